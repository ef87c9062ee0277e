"""A column's values as text, the same in every view."""

from __future__ import annotations

import math

from convergebench.report.columns._column import ColumnValue, RankingColumn, View
from convergebench.report.formatting import ABSENT, number


def written(column: RankingColumn, value: ColumnValue | None, view: View) -> str:
    """The cell's text; a missing value is a dash."""
    if value is None:
        return ABSENT
    if value.text is not None:
        return value.text
    has_interval = view in column.intervals and value.low is not None and math.isfinite(value.low)
    text = written_number(value.value, value, column.places)
    return f"{text} {written_interval(value, column.places)}" if has_interval else text


def written_number(part: float | None, value: ColumnValue, places: int) -> str:
    """One of the value's numbers.

    >>> written_number(math.inf, ColumnValue(math.inf, limit=6), 1)
    '>6'
    >>> written_number(0.8, ColumnValue(0.8, bound="≤"), 1)
    '≤ 0.8'
    """
    if part is not None and math.isinf(part) and value.limit is not None:
        return f">{value.limit:g}"
    bound = f"{value.bound} " if value.bound and part == value.value else ""
    return bound + number(part, places if value.places is None else value.places)


def written_interval(value: ColumnValue, places: int) -> str:
    """Such as [2.5, >6]; empty without an interval."""
    if value.low is None or value.high is None:
        return ""
    low, high = (written_number(end, value, places) for end in (value.low, value.high))
    return f"[{low}, {high}]"
