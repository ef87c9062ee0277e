"""Removes keys, paths and addresses of the machine from what leaves it."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.providers import SECRET_NAME, SHORTEST_SECRET, whole

KEY, PATH, ADDRESS = "[key]", "[path]", "[address]"
_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_HOST = 2

_KEYS = (
    re.compile(r"(?i)\b(?:bearer|basic)\s+[\w+/=.~-]{8,}"),
    re.compile(
        r"(?i)\b(?:api[_-]?key|access[_-]?token|token|secret|password|authorization)\s*[=:]\s*[^\s&,;]+"
    ),
    re.compile(r"\b(?:sk|pk|rk|r8|hf|gsk|xai|ghp|ghs|glpat|key|fal|bfl)[-_][\w-]{12,}"),
    re.compile(r"\bAIza[\w-]{20,}"),
)
_OPAQUE = (
    re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE),
    re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{20,}\b"),
)
"""Words of free text that only a machine reads: a key, or the number of a request."""
_URL = re.compile(r"\b[A-Za-z][\w+.-]*://[^\s\"'<>()\[\]]+")
_VALUE_URL = re.compile(r"\b[A-Za-z][\w+.-]*://[^\s\"'<>()\[\]&,]+")
"""In a name, other parameters follow."""
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]\w)")
_IPV6 = re.compile(r"(?<![\w:])\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]?(?::\d+)?")
_LOCAL_HOST = re.compile(
    r"\blocalhost(?::\d+)?\b|\b[\w-]+(?:\.[\w-]+)*\.(?:local|internal|lan|corp|home|localdomain|intranet)"
    r"(?::\d+)?\b",
    re.IGNORECASE,
)
_HOST_AND_PORT = re.compile(r"(?<![\w.\[/-])[A-Za-z][\w-]*(?:\.[\w-]+)*:\d{2,5}(?![\w.]\w)")
_BEGINS = r"(?:^|(?<=[:=,@\s\"'(\[]))(?:~[\w-]*/|\.{1,2}/|[A-Za-z]:[\\/]|\\\\|/)(?=[\w.~\\ -])"


@dataclass(frozen=True)
class _Form:
    """How keys, paths and addresses look in one kind of text."""

    url: re.Pattern[str]
    path_end: str
    """A path goes on with these characters."""
    keys: tuple[re.Pattern[str], ...]
    hosts: tuple[re.Pattern[str], ...]


_PROSE = _Form(_URL, r"[^\s\"'<>,;:)\]]*", (*_KEYS, *_OPAQUE), (_HOST_AND_PORT,))
_VALUE = _Form(_VALUE_URL, r"(?:[^?&,\"'@\n]|@(?![0-9a-f]{6,}(?:/[\w-]+)*$))*", _KEYS, ())
"""In a setting or a name, a path goes on to the end, spaces included, but for the version of a suite."""
_OWN_FILES = re.compile(rf"^(folder|edits):{_VALUE.path_end}")
"""A suite of somebody's files: it is named by them, and recognised elsewhere by its version alone."""


class Scrubber:
    """What is known of this machine, and the texts without it.

    Exact texts (keys in the environment, home, host name) are found wherever they stand; other keys, paths
    and addresses by their form.
    """

    def __init__(self, *folders: Path) -> None:
        self._secrets = tuple(sorted(_secrets(), key=len, reverse=True))
        self._folders = tuple(sorted(_folder_texts(folders), key=len, reverse=True))
        hosts = {socket.gethostname(), socket.gethostname().partition(".")[0]}
        words = [
            re.escape(host) for host in sorted(hosts, key=len, reverse=True) if len(host) >= _SHORTEST_HOST
        ]
        self._hosts = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(words)})(?![\w-])") if words else None

    def text(self, text: str) -> str:
        """A message in prose, such as the reason for a failure."""
        return self._scrubbed(text, _PROSE)

    def value(self, value: Any) -> Any:
        """A setting or a name, or any structure of them as JSON has it."""
        if isinstance(value, str):
            return self._scrubbed(_OWN_FILES.sub(rf"\1:{PATH}", value), _VALUE)
        if isinstance(value, dict):
            return {
                self.value(name): KEY if one and SECRET_NAME.search(name) else self.value(one)
                for name, one in value.items()
            }
        return [self.value(one) for one in value] if isinstance(value, list | tuple) else value

    def found_in(self, data: bytes) -> str | None:
        """What of the exact texts these bytes hold: a last check of everything that is written."""
        for known, what in ((self._secrets, "a key of the environment"), (self._folders, "a folder's path")):
            if any(text.encode() in data for text in known):
                return what
        return None

    def _scrubbed(self, text: str, form: _Form) -> str:
        text = whole(text)
        for secret in self._secrets:
            text = text.replace(secret, KEY)
        text = form.url.sub(ADDRESS, text)
        for folder in self._folders:
            text = re.sub(re.escape(folder) + form.path_end, PATH, text)
        for pattern in form.keys:
            text = pattern.sub(KEY, text)
        for pattern in (_MAIL, _LOCAL_HOST, *form.hosts):
            text = pattern.sub(ADDRESS, text)
        for pattern in (_IPV4, _IPV6):
            text = pattern.sub(lambda found: ADDRESS if _is_address(found.group()) else found.group(), text)
        text = re.sub(_BEGINS + form.path_end, PATH, text)
        return self._hosts.sub(ADDRESS, text) if self._hosts else text


def _secrets() -> set[str]:
    return {
        value.strip()
        for name, value in os.environ.items()
        if _SECRET_VARIABLE.search(name) and len(value.strip()) >= SHORTEST_SECRET
    }


def _folder_texts(folders: Iterable[Path]) -> set[str]:
    every = (Path.home(), Path.cwd(), Path(tempfile.gettempdir()), *(one.absolute() for one in folders))
    # A folder like / or /tmp is in too many texts that mean something else.
    return {str(one) for one in every if len(one.parts) > 2 or one == Path.home() != Path("/")}


def _is_address(text: str) -> bool:
    """
    >>> [_is_address(one) for one in ("10.0.0.7:8000", "[::1]:80", "12:30:45", "1.2.3.400")]
    [True, True, False, False]
    """
    bare = text.partition("]")[0].removeprefix("[") if text.startswith("[") else text
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return False
    return True
