"""Model × suite × metric × subset × n × score: for the terminal, as CSV and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
from convergebench.benchmarks.wording import wording_name
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT, number
from convergebench.report.tables.terminal_table import fitted, terminal_table
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from rich.table import Table

_HEADINGS = (
    "model", "suite", "language", "metric", "subset", "n", "missing", "score", "low", "high", "judge",
    "wording", "as_published", "as_published_n",
)  # fmt: skip
_LARGE_SCALE = 10
"""Larger scores are points out of a hundred, which need one decimal."""


def benchmark_table(rows: Sequence[BenchmarkRow], width: int | None = None) -> Table:
    """One line per row; an unavailable score is a dash. Print benchmark_notes(rows) under it."""
    table = terminal_table()
    for heading in ("model", "suite", "", "metric", "subset"):
        table.add_column(heading, overflow="fold")
    for heading in ("n", "missing", "score", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    published = any(row.as_published for row in rows)
    for heading in ("as published", "its n") if published else ():
        table.add_column(heading, justify="right", no_wrap=True)
    large = any(row.score and row.score.mean > _LARGE_SCALE for row in rows)
    for row, following in zip(rows, (*rows[1:], None), strict=True):
        is_last_of_metric = following is not None and _block(following) != _block(row)
        places = 1 if large else 2
        more = _published_cells(row, places) if published else []
        table.add_row(*_cells(row, places), *more, end_section=is_last_of_metric)
    return fitted(table, width, ("suite", "", "95 % interval", "its n", "missing"))


def benchmark_cells(rows: Sequence[BenchmarkRow]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells for a file; the suite is in its title."""
    places = 1 if any(row.score and row.score.mean > _LARGE_SCALE for row in rows) else 2
    headings = ["model", "language", "metric", "subset", "n", "missing", "score", "95 % interval"]
    cells = [_cells(row, places) for row in rows]
    return headings, [[line[0], *line[2:]] for line in cells]


def benchmark_notes(rows: Sequence[BenchmarkRow]) -> list[str]:
    """Who judged in whose words; then for each model, why scores are missing; such are in no mean."""
    notes = [
        f"Judge {judge}, {wording_name(wording)}."
        for judge, wording in dict.fromkeys((row.judge, row.wording) for row in rows)
        if judge
    ]
    for model in dict.fromkeys(row.model for row in rows):
        reasons: Counter[str] = Counter()
        for row in rows:
            if row.model == model:
                # The same sample is missing in its subset and in every total over subsets.
                reasons |= Counter(row.reasons)
        notes += [
            f"{model}: {counted(count, 'sample')} missing: {why}" for why, count in reasons.most_common()
        ]
    return notes


def csv_benchmark(rows: Sequence[BenchmarkRow]) -> list[Row]:
    """A heading, then one row per line, at full precision; a missing value is an empty cell."""
    return [_HEADINGS, *(tuple(_json_row(row)[name] for name in _HEADINGS) for row in rows)]


def json_benchmark(rows: Sequence[BenchmarkRow]) -> list[dict[str, Any]]:
    """For json.dumps; an unavailable score is null."""
    return [{**_json_row(row), "reasons": dict(row.reasons)} for row in rows]


def _block(row: BenchmarkRow) -> tuple[str, ...]:
    return row.model, row.language, row.metric


def _cells(row: BenchmarkRow, places: int) -> list[str]:
    score = row.score
    interval = ABSENT
    if score is not None and score.low is not None:
        interval = f"{number(score.low, places)} – {number(score.high, places)}"
    return [
        row.model, row.suite, row.language, row.metric, row.subset, str(row.n), str(row.missing),
        number(score.mean if score else None, places), interval,
    ]  # fmt: skip


def _published_cells(row: BenchmarkRow, places: int) -> list[str]:
    figure = row.as_published
    return [number(figure.score, places), str(figure.n)] if figure else [ABSENT, ABSENT]


def _json_row(row: BenchmarkRow) -> dict[str, Any]:
    score = row.score
    return {
        "model": row.model, "suite": row.suite, "language": row.language, "metric": row.metric,
        "subset": row.subset, "n": row.n, "missing": row.missing,
        "score": score and score.mean, "low": score and score.low, "high": score and score.high,
        "judge": row.judge, "wording": wording_name(row.wording),
        "as_published": row.as_published and row.as_published.score,
        "as_published_n": row.as_published and row.as_published.n,
    }  # fmt: skip
