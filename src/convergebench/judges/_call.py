"""What judges behind an API share: their keys, and what an HTTP status stands for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.types import EditError, Misconfigured, Parameter, RateLimited, Refused, Unavailable

LONGEST_REASON = 300
_PASSING = (408, 409, 425)
_BAD_QUESTION = (400, 413, 422)


@dataclass(frozen=True)
class Key:
    """An API key in the environment, under the first of these names that is set."""

    names: tuple[str, ...]

    @property
    def value(self) -> str | None:
        return next((os.environ[name] for name in self.names if os.environ.get(name)), None)

    def required(self) -> str:
        if self.value is None:
            raise Misconfigured(f"there is no key: set {' or '.join(self.names)}")
        return self.value

    def hidden_in(self, text: object) -> str:
        """A provider's words in one short line, without the key."""
        line = " ".join(str(text).split())
        if self.value:
            line = line.replace(self.value, "[key]")
        return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def sent_settings(settings: Mapping[str, Parameter], *ours: str) -> dict[str, Parameter]:
    """What goes into the call as it is; a setting that was emptied, as in ?temperature=, is left out."""
    return {key: value for key, value in settings.items() if key not in ours and value != ""}


def error_for(status: int, reason: str, key: Key, after_seconds: float | None = None) -> EditError:
    """What an HTTP status stands for. The reason of a 401 is left out: some providers quote the key in it.

    A question that a server calls bad is refused, and the others go on: it may be this picture or text alone.
    """
    if status == 401:
        return Misconfigured(f"the key in {' or '.join(key.names)} is not accepted; check it and run again")
    if status == 429:
        return RateLimited(reason, after_seconds)
    if status in _BAD_QUESTION:
        return Refused(f"{status}: {reason}")
    if status >= 500 or status in _PASSING:
        return Unavailable(f"{status}: {reason}")
    return Misconfigured(f"{status}: {reason}")


def seconds_in(retry_after: str | None) -> float | None:
    """A Retry-After header that counts seconds; a date, or none, is no hint."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
