"""Verdicts of judges as tables: the totals of each suite, and its subsets by the overall metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convergebench.report.formatting import ABSENT, counted, number
from convergebench.report.page.judged_tables import subset_tables
from convergebench.report.page.step_index import by_picture, index_steps
from convergebench.report.page.verdicts import judgements_of
from convergebench.report.paper.grids import Grid, shaded
from convergebench.results import Records

_LARGE_SCALE = 10
"""Larger scores are points out of a hundred, which need one decimal."""
_MOST_REASONS = 3
_TOTALS = ("overall", "complex overall", "all")


@dataclass(frozen=True)
class JudgedTable:
    caption: str
    table: Grid


def judged_tables(records: Records) -> list[JudgedTable]:
    """The tables of each suite and judge; empty if no judge has graded a picture."""
    steps = index_steps(records)
    judgements = judgements_of(records, by_picture(steps))
    found: list[JudgedTable] = []
    for table in subset_tables(judgements, steps):
        found += _tables(table["suite"], records.judge_labels[table["judge"]], table["rows"])
    return found


def _tables(suite: str, judge: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[JudgedTable]:
    totals = [row for row in rows if _is_total(row["subset"])]
    if not totals:
        return
    places = 1 if any((row["score"] or 0) > _LARGE_SCALE for row in rows) else 2
    yield JudgedTable(
        f"{suite} as {judge} judges it: means with 95 % intervals, clustered by source picture.",
        _totals_grid(totals, places),
    )
    last = totals[-1]["metric"]
    parts = [row for row in rows if row["metric"] == last and not _is_total(row["subset"])]
    if len({row["subset"] for row in parts}) > 1:
        yield JudgedTable(
            f"{suite} as {judge} judges it: {last} by subset, with the number of samples.",
            _parts_grid(parts, places),
        )


def _is_total(subset: str) -> bool:
    return subset.lower().startswith(_TOTALS)


def _totals_grid(rows: Sequence[Mapping[str, Any]], places: int) -> Grid:
    cells = [
        [row["model"], row["language"], row["metric"], row["subset"], _score(row, places), str(row["n"]),
         str(row["missing"])]
        for row in rows
    ]  # fmt: skip
    notes = [note for model in dict.fromkeys(row["model"] for row in rows) for note in _missing(model, rows)]
    rules = [place for place in range(1, len(rows)) if rows[place]["model"] != rows[place - 1]["model"]]
    headings = ["model", "language", "metric", "over", "score", "n", "missing"]
    return Grid(headings, cells, left=(0, 1, 2, 3), rules=rules, notes=notes)


def _missing(model: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The same sample is missing in every total, so the largest count of a reason is used."""
    reasons: Counter[str] = Counter()
    for row in rows:
        if row["model"] == model:
            reasons |= Counter(row["reasons"])
    if not reasons:
        return
    parts = [f"{why} ({count})" for why, count in reasons.most_common(_MOST_REASONS)]
    more = [counted(len(reasons) - _MOST_REASONS, "other reason")] if len(reasons) > _MOST_REASONS else []
    yield f"Missing for {model}: {'; '.join([*parts, *more])}."


def _parts_grid(rows: Sequence[Mapping[str, Any]], places: int) -> Grid:
    columns = list(dict.fromkeys(_column(row) for row in rows))
    subsets = list(dict.fromkeys(row["subset"] for row in rows))
    found = {(row["subset"], _column(row)): row for row in rows}

    def cell(subset: str, column: str) -> tuple[str, float | None]:
        row = found.get((subset, column))
        if row is None or row["score"] is None:
            return ABSENT, None
        return f"{number(row['score'], places)} ({row['n']})", None

    return shaded(
        "subset", subsets, columns, [[cell(name, column) for column in columns] for name in subsets]
    )


def _column(row: Mapping[str, Any]) -> str:
    return f"{row['model']}, {row['language']}" if row["language"] else str(row["model"])


def _score(row: Mapping[str, Any], places: int) -> str:
    if row["score"] is None or row["low"] is None:
        return number(row["score"], places)
    return f"{number(row['score'], places)} [{number(row['low'], places)}, {number(row['high'], places)}]"
