"""WiseEdit's own treatment of missing data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convergebench.analysis.judged.benchmark_scores import VerdictRow

LOWEST = 1.0
"""The grade of every sample of a subset without results: 0 points."""
_LANGUAGES = frozenset({"en", "cn"})


def verdicts_as_published(rows: Sequence[VerdictRow]) -> list[VerdictRow]:
    """A subset of which a model has no picture at all has the lowest grade throughout. A row of the table is
    dropped in both languages if one of its grades is missing in either: a single language leaves none."""
    shown = {(row.model, row.subset) for row in rows if not _has_no_picture(row)}
    filled = [
        row if (row.model, row.subset) in shown else replace(row, value=LOWEST, missing=None) for row in rows
    ]
    languages: dict[tuple[str, str, int], set[str]] = {}
    for row in filled:
        languages.setdefault(_table_row(row), set()).add(row.language)
    dropped = {key for key, found in languages.items() if found < _LANGUAGES}
    dropped |= {_table_row(row) for row in filled if row.value is None}
    return [row for row in filled if _table_row(row) not in dropped]


def _has_no_picture(row: VerdictRow) -> bool:
    return (row.missing or "").startswith("no picture")


def _table_row(row: VerdictRow) -> tuple[str, str, int]:
    """A case is called <subset>/<language>/<idx>; both languages are one row."""
    subset, _, rest = row.case.partition("/")
    return row.model, f"{subset}/{rest.partition('/')[2]}", row.seed
