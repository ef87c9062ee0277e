"""Hints of a case that name pictures of the store by their digests."""

from __future__ import annotations

from collections.abc import Mapping

from convergebench.types.values import Digest

REFERENCES = "references"
"""The digests of the case's reference pictures, separated by spaces."""
TARGETS, MASKS = "targets", "masks"
"""The digests of the turns' targets and masks, separated by spaces; `-` for a turn without one."""
_NONE = "-"


def digests_hint(pictures: Mapping[int, Digest], turns: int) -> str:
    """The digests of some turns' pictures, by turn counted from 1, as a hint."""
    return " ".join(pictures.get(turn, _NONE) for turn in range(1, turns + 1))


def digests_of(hints: Mapping[str, str], name: str) -> dict[int, Digest]:
    """
    >>> digests_of({"masks": "- 1f 2e"}, "masks")
    {2: '1f', 3: '2e'}
    """
    listed = enumerate(hints.get(name, "").split(), start=1)
    return {turn: digest for turn, digest in listed if digest != _NONE}


def pictures_in(hints: Mapping[str, str]) -> list[Digest]:
    """Every picture that the hints name.

    >>> pictures_in({"references": "0a", "masks": "- 1f", "tasks": "add|remove"})
    ['0a', '1f']
    """
    return [digest for name in (REFERENCES, TARGETS, MASKS) for digest in digests_of(hints, name).values()]
