"""The suites and protocols among which a page lets its reader choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from convergebench.report.page.page_results import ScopedResults

SCOPES = "scopes"
"""The key of the list."""
_PREFIX = "of"


def scope_prefix(number: int) -> str:
    """Before the keys of a scope's data; the first has none, so that it is found without the list.

    >>> scope_prefix(0), scope_prefix(2)
    ('', 'of/2/')
    """
    return f"{_PREFIX}/{number}/" if number else ""


def split_key(key: str) -> tuple[int, str]:
    """A scope's number, and the key of a piece of its data.

    >>> split_key("metric/ssim"), split_key("of/2/metric/ssim")
    ((0, 'metric/ssim'), (2, 'metric/ssim'))
    """
    first, _, rest = key.partition("/")
    number, _, own = rest.partition("/")
    return (int(number), own) if first == _PREFIX and number.isdecimal() else (0, key)


def scopes_section(every: Sequence[ScopedResults]) -> list[dict[str, Any]]:
    return [{"suite": one.results.suite, "protocol": one.results.protocol, "run": one.run} for one in every]
