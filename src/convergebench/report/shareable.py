"""Text of a workspace as others may read it: without addresses and paths, and in a paper without advice for
the user."""

from __future__ import annotations

import re

from convergebench.shown_text import shortened

ADDRESS = "(address)"
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]*://[^\s,;)\]}\"'“”]+"
    r"|(?<![\w.])(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]*:[0-9a-f:]*\])(?::\d+)?(?![\w.])",
    re.IGNORECASE,
)
_SETTING = re.compile(r"[?&][\w-]+=\(address\)")
"""In the name of a model or judge, where its server is."""
_PATH = re.compile(
    r"(?<![\w./~])(?!/>|(?<=<)/\w+>|(?<=\$)/\w+(?![\w/]))"
    r"(?:~|\.{1,2})?/(?:[^\s/,;:)\"'“”]+/)*(?P<name>[^\s/,;:)\"'“”]*)"
    r"|\b[A-Za-z]:\\(?:[^\s\\,;:)\"']+\\)*(?P<windows>[^\s\\,;:)\"']*)"
)
"""A slash of a unit, as in $/session, or of a tag, as in </b>, begins no path."""
_ADVICE = re.compile(
    r"\s*[:;,(]?\s*(?:(?:run|or|by|with|see|use|try)\b:?\s+)?(?:`)?"
    r"(?:pip install|convergebench (?=[a-z]))(?:(?!\.\s).)*?(?=\.\s|\.?$)"
)


def without_places(text: str) -> str:
    """The text without addresses of servers, and with files by their names alone.

    >>> without_places("no answer from http://127.0.0.1:8188/view within 5 s")
    'no answer from (address) within 5 s'
    >>> without_places("judge server:looker?base_url=http://127.0.0.1:8000/v1")
    'judge server:looker'
    >>> without_places("images=/home/me/pictures/set.csv, suite=anna/hat@1/partial")
    'images=set.csv, suite=anna/hat@1/partial'
    """
    return _SETTING.sub("", _PATH.sub(_name, _ADDRESS.sub(ADDRESS, text)))


def shareable(text: str) -> str:
    """
    >>> shareable("CLIP needs torch: pip install 'convergebench[torch]'; see /home/me/log")
    'CLIP needs torch'
    """
    return without_places(_ADVICE.sub("", text))


def shareable_reason(reason: str) -> str:
    """Without addresses first, or one could be cut in its middle."""
    return shortened(shareable(" ".join(reason.split())))


def _name(found: re.Match[str]) -> str:
    """The last part of a path; a lone slash stays."""
    if found.group() == "/":
        return "/"
    return found.group("name") or found.group("windows") or "(path)"
