"""The definition of a ranking column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from convergebench.analysis import Interval, Ranking
from convergebench.errors import WrongUse
from convergebench.json_numbers import json_number

View: TypeAlias = Literal["terminal", "text", "paper", "page", "csv", "json"]
"""The views of a ranking; `text` is Markdown and LaTeX."""
Views: TypeAlias = tuple[View, ...]
Field: TypeAlias = Literal["value", "low", "high", "n"]
Bound: TypeAlias = Literal["≤", "≥"]

FILES: Views = ("text", "paper", "page", "csv", "json")
"""Every view but the terminal, which has little room."""
TABLES: Views = ("terminal", "text", "paper", "page")
_LAST = 1000


@dataclass(frozen=True)
class ColumnValue:
    """One model in one column; None is missing, never zero."""

    value: float | None = None
    """The number for sorting and ranking; infinite if the end was not observed."""
    low: float | None = None
    high: float | None = None
    n: int | None = None
    missing: int | None = None
    text: str | None = None
    """Shown instead of the number; the value in a text column."""
    bound: Bound | None = None
    """Set if only a bound on the value is known, such as ≤ 0.8."""
    limit: float | None = None
    """The end of observation: an infinite number is shown as more than this."""
    places: int | None = None
    """Decimals, if different from the column's."""
    note: str = ""
    """More about this value, for a tooltip."""
    reason: str | None = None
    """The reason for a missing value."""
    is_warning: bool = False

    @classmethod
    def from_interval(cls, interval: Interval | None) -> ColumnValue:
        return cls() if interval is None else cls(interval.mean, interval.low, interval.high, interval.n)

    def as_json(self) -> dict[str, Any]:
        """For json.dumps."""
        return {
            "value": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n": self.n,
            "missing": self.missing,
            "bound": self.bound,
            "text": self.text,
            "reason": self.reason,
        }


Values: TypeAlias = Mapping[str, ColumnValue]
"""By model; models without a value are omitted."""


@dataclass(frozen=True)
class RankingColumn:
    """One statistic of every model, and how it is presented in every view of a ranking."""

    key: str
    """Its name in --columns, CSV and JSON."""
    heading: str | Callable[[Ranking], str]
    """Short, because numbers are narrow."""
    explanation: str
    """A sentence for a reader who does not know the statistic."""
    values: Callable[[Ranking], Values]
    """A pure function of the ranking and its results."""
    order: int = _LAST
    """Position: columns are sorted by this number."""
    better: Literal["higher", "lower"] | None = None
    """None if models cannot be ranked by it."""
    places: int = 2
    """Decimals."""
    is_words: bool = False
    """Whether its cells are text, which is aligned left, instead of numbers."""
    views: Views | Callable[[Ranking], Views] = FILES
    """The views that show it by default."""
    intervals: Views = ()
    """The views that show the interval next to the value."""
    in_headline: bool = False
    """Whether it appears in tables that rank by visible quality; these have no other columns."""
    csv: Mapping[str, Field] | None = None
    """CSV headings and their contents; by default the value, its interval and n."""

    def title(self, ranking: Ranking) -> str:
        return self.heading if isinstance(self.heading, str) else self.heading(ranking)

    def is_shown(self, view: View, ranking: Ranking) -> bool:
        if view in TABLES and ranking.headline is not None:
            return self.in_headline
        if self.in_headline and self.key != "group":
            return view not in TABLES and ranking.headline is not None
        return view in (self.views(ranking) if callable(self.views) else self.views)

    def csv_fields(self) -> Mapping[str, Field]:
        if self.csv is not None:
            return self.csv
        if self.is_words:
            return {self.key: "value"}
        return {self.key: "value", f"{self.key}_low": "low", f"{self.key}_high": "high", f"{self.key}_n": "n"}

    def losses(self, ranking: Ranking) -> dict[str, float]:
        """For `reordered`: the values as numbers, lowest is best, without missing ones."""
        if self.better is None:
            raise WrongUse(f"models cannot be ranked by the column {self.key}")
        sign = -1 if self.better == "higher" else 1
        found = self.values(ranking)
        return {model: sign * one.value for model, one in found.items() if one.value is not None}
