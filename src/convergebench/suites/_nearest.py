"""The error for a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from convergebench.errors import WrongUse


def unknown(what: str, name: str, known: Iterable[str]) -> WrongUse:
    """Names the nearest known name, or all of them where none is near."""
    choices = sorted(known)
    near = get_close_matches(name, choices, n=1)
    advice = f"did you mean {near[0]}?" if near else f"choose from {', '.join(choices)}."
    return WrongUse(f"there is no {what} {name!r}; {advice}")
