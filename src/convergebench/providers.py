"""What API providers have in common: keys in the environment, and the meaning of HTTP status codes."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from convergebench.errors import WrongUse
from convergebench.types import EditError, Misconfigured, RateLimited, Refused, Unavailable

LONGEST_REASON = 300
IMPOSSIBLE_USD = 100.0
"""No single call costs as much."""
_MOST_UNITS = 1e300
"""A larger whole number cannot be multiplied by a fraction."""
GEMINI_HOST = "https://generativelanguage.googleapis.com/"
_WORTH_ASKING_AGAIN = (408, 409, 425)
_TOO_LARGE = 413
_KEY = re.compile(r"[!-~]+")
SECRET_NAME = re.compile(r"^key$|api[_-]?key|token$|secret|password|authorization", re.IGNORECASE)
_LOGIN = re.compile(r"\w[\w+.-]*://[^/?#]*@")


def key_in(names: Sequence[str]) -> str | None:
    """The key in the first of these environment variables that is set, without the line end that files put
    behind it. Misconfigured if no request could carry it: the error that comes of trying would quote it."""
    for name in names:
        if key := os.environ.get(name, "").strip():
            if not _KEY.fullmatch(key):
                raise Misconfigured(f"the API key in {name} contains an invalid character; copy it again")
            return key
    return None


def check_no_secret(name: str, text: str) -> None:
    """WrongUse if this parameter of an editor or a judge looks like a key, or an address with a login in it:
    names with their parameters are kept in the workspace.

    >>> check_no_secret("max_tokens", "2048")
    """
    if SECRET_NAME.search(name):
        raise WrongUse(
            f"{name} looks like an API key, and names are stored with results: set the provider's "
            "environment variable instead (see: convergebench models, docs/editors.md#keys)"
        )
    if _LOGIN.match(text):
        raise WrongUse(
            f"the address in {name} contains a login, and names are stored with results: remove it, "
            "and set the provider's environment variable (docs/editors.md#keys)"
        )


HIDDEN_KEY = "[key]"
SHORTEST_SECRET = 6
"""Shorter ones, as local servers are given, protect nothing and are part of many words and numbers."""


def without_key(text: str, key: str | None) -> str:
    """
    >>> without_key("no account for sk-1234", "sk-1234"), without_key('{"score": 10}', "0")
    ('no account for [key]', '{"score": 10}')
    """
    return text.replace(key, HIDDEN_KEY) if key and len(key) >= SHORTEST_SECRET else text


def one_line(text: object, secret: str | None) -> str:
    """A provider's message, short enough for a table and without the key."""
    line = without_key(" ".join(whole(str(text)).split()), secret)
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def whole(text: str) -> str:
    """The text with a mark for each half of a character: JSON can hold one half, but no database, terminal
    or request takes it.

    >>> whole("a hat \\ud83d"), whole("a hat \\ud83c\\udfa9") == "a hat \\U0001f3a9"
    ('a hat \ufffd', True)
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def error_for(
    status: int,
    reason: str,
    *,
    key_name: str,
    after_seconds: float | None = None,
    refused: Collection[int] = (_TOO_LARGE,),
) -> EditError:
    """The error that an HTTP status means, unless the provider's own codes are more specific.

    The reason that comes with 401 is left out: some providers quote the key in it.
    """
    if status == 401:
        return Misconfigured(f"the key in {key_name} was rejected; check it and rerun the command")
    if status == 429:
        return RateLimited(reason, after_seconds)
    if status in refused:
        return Refused(f"{status}: {reason}")
    if status >= 500 or status in _WORTH_ASKING_AGAIN:
        return Unavailable(f"{status}: {reason}")
    return Misconfigured(f"{status}: {reason}")


def sane_cost_usd(stated: object) -> float | None:
    """A cost that a provider states, if it can be one: a finite number of dollars, not negative, and below
    what any single call costs.

    >>> [sane_cost_usd(one) for one in (0.04, 0, -1, float("nan"), float("inf"), True, "0.04", 10**30)]
    [0.04, 0.0, None, None, None, None, None, None]
    """
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return None
    return float(stated) if 0 <= stated < IMPOSSIBLE_USD else None


def stated_cost_usd(units: object, unit_usd: float) -> float | None:
    """The cost in a reply, in dollars: None if it says none, and NaN if what it says is no number, so that it
    is not counted and a warning is given.

    >>> stated_cost_usd(4, 0.01), stated_cost_usd(None, 0.01), stated_cost_usd(True, 0.01)
    (0.04, None, nan)
    """
    if units is None:
        return None
    if isinstance(units, bool) or not isinstance(units, int | float) or abs(units) > _MOST_UNITS:
        return math.nan
    return units * unit_usd


def seconds_in(retry_after: str | None) -> float | None:
    """A Retry-After header's seconds, or those until its date; None if it is neither.

    >>> seconds_in("2.5"), seconds_in("Sun, 06 Nov 1994 08:49:37 GMT"), seconds_in("soon")
    (2.5, 0.0, None)
    """
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return _seconds_until(retry_after or "")
    return seconds if 0 <= seconds < float("inf") else None


def _seconds_until(date: str) -> float | None:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return None
    if then.tzinfo is None:  # a date without a place is in UTC
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def gemini_address(base_url: object) -> str:
    """Where Gemini is asked: as given, as the SDK's environment variable says, or at Google."""
    return str(base_url or os.environ.get("GOOGLE_GEMINI_BASE_URL") or GEMINI_HOST)
