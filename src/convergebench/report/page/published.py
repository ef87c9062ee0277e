"""A page that is written to be read by others says why something failed, and not on which machine."""

from __future__ import annotations

from typing import Any

from convergebench.report.shareable import ADDRESS, without_places

_MAY_NAME_PLACES = frozenset(
    (
        "settings",
        "parameters",
        "reason",
        "reasons",
        "missing",
        "missing_reason",
        "notes",
        "detail",
        "example",
    )
)
"""Keys of the page's data. Instructions, prompts and what judges said stay word for word."""


def published(section: Any) -> Any:
    """The data of a section without the addresses and paths in settings and reasons.

    >>> published({"settings": [["ray_address", "head:6379"]], "reason": "no answer from http://10.0.0.7/v1"})
    {'settings': [['ray_address', '(address)']], 'reason': 'no answer from (address)'}
    """
    if isinstance(section, dict):
        return {
            key: _without_places(one) if key in _MAY_NAME_PLACES else published(one)
            for key, one in section.items()
        }
    return [published(one) for one in section] if _has_parts(section) else section


def _without_places(value: Any) -> Any:
    match value:
        case str():
            return without_places(value)
        case dict():
            return {key: _without_places(one) for key, one in value.items()}
        case [str(name), str(setting)] if name.endswith("address") and setting != "null":
            return [name, ADDRESS]
        case list() | tuple():
            return [_without_places(one) for one in value]
    return value


def _has_parts(section: Any) -> bool:
    """Not so long lists of numbers or texts, as there are many of."""
    return isinstance(section, list | tuple) and any(isinstance(one, dict | list | tuple) for one in section)
