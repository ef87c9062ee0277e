"""Model × suite × metric × subset × n × score: for the terminal, as CSV and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, Sample
from convergebench.benchmarks.wording import wording_name
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT, number
from convergebench.report.tables.terminal_table import fitting_table, terminal_table
from convergebench.shown_text import counted, printable

if TYPE_CHECKING:
    from rich.table import Table

_HEADINGS = (
    "model", "suite", "language", "metric", "subset", "n", "missing", "score", "low", "high", "judge",
    "wording", "as_published", "as_published_n",
)  # fmt: skip
INTERVAL = "95 % interval"
_LARGE_SCALE = 10
"""Larger scores are points out of a hundred, which need one decimal."""


def benchmark_tables(rows: Sequence[BenchmarkRow], width: int | None = None) -> list[Table]:
    """A table for each model, suite and language, with a part for each metric; an unavailable score is a
    dash. Columns that do not fit into the width are left out. Print benchmark_notes(rows) under them."""
    places = _places(rows)
    groups: dict[tuple[str, ...], list[BenchmarkRow]] = {}
    for row in rows:
        groups.setdefault(_subject(row), []).append(row)
    optional = (INTERVAL, "missing")
    return [fitting_table(partial(_table, group, places), optional, width) for group in groups.values()]


def _table(rows: Sequence[BenchmarkRow], places: int, omitted: Collection[str]) -> Table:
    from rich.text import Text

    numbers = [name for name in ("n", "missing", "score", INTERVAL) if name not in omitted]
    if any(row.as_published for row in rows):
        numbers.append("as published")
    table = terminal_table(", ".join(filter(None, _subject(rows[0]))))
    table.add_column("subset", overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=heading != "as published")
    for metric in dict.fromkeys(row.metric for row in rows):
        table.add_row(Text(printable(metric), style="bold"))
        own = [row for row in rows if row.metric == metric]
        for row in own:
            cells = dict(zip(("n", "missing", "score", INTERVAL), _cells(row, places)[5:], strict=True))
            cells["as published"] = _published_cell(row, places)
            table.add_row(f" {row.subset}", *(cells[name] for name in numbers), end_section=row is own[-1])
    return table


def benchmark_cells(rows: Sequence[BenchmarkRow]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells for a file; the suite is in its title."""
    places = _places(rows)
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
        reasons = _reasons([row for row in rows if row.model == model])
        notes += [
            f"{model}: {counted(count, 'sample')} missing: {why}" for why, count in reasons.most_common()
        ]
    return notes


def _reasons(rows: Sequence[BenchmarkRow]) -> Counter[str]:
    """Each sample counts once, though it is missing in its subset and in every total over subsets."""
    lacking: dict[Sample, str] = {}
    others: Counter[str] = Counter()
    for row in rows:
        for sample, why in row.lacking.items():
            lacking.setdefault(sample, why)
        others |= Counter(row.reasons) - Counter(row.lacking.values())
    return Counter(lacking.values()) + others


def csv_benchmark(rows: Sequence[BenchmarkRow]) -> list[Row]:
    """A heading, then one row per line, at full precision; a missing value is an empty cell."""
    return [_HEADINGS, *(tuple(_json_row(row)[name] for name in _HEADINGS) for row in rows)]


def json_benchmark(rows: Sequence[BenchmarkRow]) -> list[dict[str, Any]]:
    """For json.dumps; an unavailable score is null."""
    return [{**_json_row(row), "reasons": dict(row.reasons)} for row in rows]


def _subject(row: BenchmarkRow) -> tuple[str, ...]:
    return row.model, row.suite, row.language


def _places(rows: Sequence[BenchmarkRow]) -> int:
    return 1 if any(row.score and row.score.mean > _LARGE_SCALE for row in rows) else 2


def _cells(row: BenchmarkRow, places: int) -> list[str]:
    score = row.score
    interval = ABSENT
    if score is not None and score.low is not None:
        interval = f"{number(score.low, places)} – {number(score.high, places)}"
    return [
        row.model, row.suite, row.language, row.metric, row.subset, str(row.n), str(row.missing),
        number(score.mean if score else None, places), interval,
    ]  # fmt: skip


def _published_cell(row: BenchmarkRow, places: int) -> str:
    figure = row.as_published
    return f"{number(figure.score, places)} (n {figure.n})" if figure else ABSENT


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
