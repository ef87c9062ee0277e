"""The ranking as a table for the terminal, as cells for other tables, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from convergebench.analysis import ConvergenceScore, HalfLife, Interval, MetricSummary, Ranking, RankingRow
from convergebench.analysis.headline.headline import Headline
from convergebench.json_numbers import json_number
from convergebench.report.columns import (
    ColumnValue,
    RankingColumn,
    Values,
    View,
    chosen_columns,
    columns_in,
    written,
)
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT
from convergebench.report.tables.ranking_notes import ranking_notes
from convergebench.report.tables.terminal_table import terminal_table

if TYPE_CHECKING:
    from rich.table import Table

_FIRST_IN_CSV = ("group", "n", "missing")
_NARROWEST_NAME, _MODERATE_NAME = 8, 24
_FEWEST_COLUMNS = 3
_GAP = 2
"""Characters between columns."""
_ESSENTIAL = ("headline_score", "undid_mean", "kept_last", "usable")
_SESSION = ("session_seconds", "session_usd")
_LEAST_IMPORTANT = (*_SESSION, "usable_median", "ended_by", "stayed")


def ranking_table(ranking: Ranking, chosen: Sequence[str] = (), width: int | None = None) -> Table:
    """The columns with the chosen keys, or by default those that fit this width. Calibration rows are below a
    line. Print ranking_notes(ranking) under it."""
    columns = chosen_columns(ranking, chosen) if chosen else columns_in("terminal", ranking)
    fitting = Fitting(tuple(columns), "terminal")
    if width is not None and not chosen:
        fitting = fitting_columns(ranking, columns, width)
    table = terminal_table(f"{ranking.suite}, round {ranking.round}{edits_title(ranking)}")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("model", overflow="fold", min_width=_NARROWEST_NAME)
    for column in fitting.columns:
        is_left = _is_on_one_line(column, fitting.view)
        heading = column.title(ranking)
        table.add_column(
            heading if is_left else _broken(heading), justify="left" if is_left else "right", no_wrap=True
        )
    cells = _cells(ranking, fitting.columns, fitting.view)
    for row, texts, following in zip(ranking.rows, cells, (*ranking.rows[1:], None), strict=True):
        is_last_ranked = following is not None and following.is_calibration and not row.is_calibration
        table.add_row(*texts, style="dim" if row.is_calibration else "", end_section=is_last_ranked)
    if fitting.omitted:
        table.caption = f"Too narrow for: {', '.join(fitting.omitted)}. See summary --columns or --json."
        table.caption_justify = "left"
    return table


@dataclass(frozen=True)
class Fitting:
    """The columns that fit a width, the view their cells are written for, and what is left out."""

    columns: tuple[RankingColumn, ...]
    view: View
    omitted: tuple[str, ...] = ()


def fitting_columns(ranking: Ranking, columns: Sequence[RankingColumn], width: int) -> Fitting:
    """What a session takes is left out first, then intervals, then columns, the least important ones first.
    What says how good a model is stays at any width."""
    for without in (_SESSION[:count] for count in range(len(_SESSION) + 1)):
        kept = [column for column in columns if column.key not in without]
        if _text_width(ranking, kept, "terminal") <= width:
            omitted = [column.title(ranking) for column in columns if column.key in without]
            return Fitting(tuple(kept), "terminal", tuple(omitted))
    kept = list(columns)
    without_intervals: View = "json"  # the view in which no cell has one
    omitted = ["intervals"] if any("terminal" in column.intervals for column in columns) else []
    for column in sorted(columns, key=_importance):
        if _text_width(ranking, kept, without_intervals) <= width or len(kept) <= _FEWEST_COLUMNS:
            break
        if column.key not in _ESSENTIAL:
            kept.remove(column)
            omitted.append(column.title(ranking))
    return Fitting(tuple(kept), without_intervals, tuple(omitted))


def _importance(column: RankingColumn) -> tuple[int, int]:
    is_least = column.key in _LEAST_IMPORTANT
    return (_LEAST_IMPORTANT.index(column.key) if is_least else len(_LEAST_IMPORTANT), -column.order)


def _text_width(ranking: Ranking, columns: Sequence[RankingColumn], view: View) -> int:
    """In characters, with model names as they are up to a moderate length."""
    names = max((len(row.model) for row in ranking.rows), default=0)
    rows = list(_cells(ranking, columns, view))
    total = 2 * _GAP + min(max(names, _NARROWEST_NAME), _MODERATE_NAME)  # the rank is one character
    for place, column in enumerate(columns, start=2):
        heading = column.title(ranking)
        lines = [heading] if _is_on_one_line(column, view) else _broken(heading).split("\n")
        total += max(len(text) for text in (*lines, *(row[place] for row in rows))) + _GAP
    return total


def _is_on_one_line(column: RankingColumn, view: View) -> bool:
    """Whether a heading needs no break, because what is below it is long."""
    return column.is_words or (view == "terminal" and "terminal" in column.intervals)


def edits_title(ranking: Ranking) -> str:
    """The suffix of the title of a ranking that is not the main one; empty for the main one."""
    return "" if ranking.edits == "reversible" else f", {ranking.edits} edits"


def ranking_cells(ranking: Ranking, view: View) -> tuple[list[str], list[list[str]], list[int]]:
    """Headings, a row of text for each model, and the indices of text columns."""
    columns = columns_in(view, ranking)
    headings = ["#", "model", *(column.title(ranking) for column in columns)]
    words = [1, *(place for place, column in enumerate(columns, 2) if column.is_words)]
    return headings, list(_cells(ranking, columns, view)), words


def _cells(ranking: Ranking, columns: Sequence[RankingColumn], view: View) -> Iterator[list[str]]:
    found = [(column, column.values(ranking)) for column in columns]
    for row in ranking.rows:
        texts = (written(column, values.get(row.model), view) for column, values in found)
        yield [ABSENT if row.rank is None else str(row.rank), row.model, *texts]


def _broken(heading: str) -> str:
    """A heading of two words in two lines, because the numbers below are short; a metric and its round keep
    together.

    >>> _broken("half-life"), _broken("s/edit"), _broken("gated convergence"), _broken("SSIM @ R2")
    ('half-\\nlife', 's/\\nedit', 'gated\\nconv.', 'SSIM @ R2')
    """
    if "@" in heading:
        return heading
    broken = heading.replace(" ", "\n").replace("-", "-\n").replace("/", "/\n")
    return broken.replace("missing", "miss-\ning").replace("convergence", "conv.")


def csv_ranking(ranking: Ranking) -> list[Row]:
    """A heading, then a row for each model, with all metrics' means at full precision."""
    metrics = {facts.name for facts in ranking.metrics}
    columns = sorted(
        columns_in("csv", ranking),
        key=lambda one: 0 if one.key in _FIRST_IN_CSV else 1 if one.key in metrics else 2,
    )
    found = [(column, column.values(ranking)) for column in columns]
    headings = [heading for column, values in found for heading in _csv_headings(column, values)]
    return [
        ("rank", "model", "role", *headings),
        *((row.rank, row.model, row.role, *_csv_cells(row.model, found)) for row in ranking.rows),
    ]


def _csv_headings(column: RankingColumn, values: Values) -> list[str]:
    return [*column.csv_fields(), *([f"{column.key}_bound"] if _has_bound(values) else [])]


def _csv_cells(model: str, found: Sequence[tuple[RankingColumn, Values]]) -> Iterator[str | float | None]:
    for column, values in found:
        one = values.get(model, ColumnValue())
        for field in column.csv_fields().values():
            is_text = field == "value" and (column.is_words or one.value is None)
            yield one.text if is_text else getattr(one, field)
        if _has_bound(values):
            yield one.bound


def _has_bound(values: Values) -> bool:
    return any(one.bound is not None for one in values.values())


def json_ranking(ranking: Ranking) -> dict[str, Any]:
    """The ranking for json.dumps: infinite values are the string "inf", missing ones null with a reason."""
    found = [(column, column.values(ranking)) for column in columns_in("json", ranking)]
    return {
        "suite": ranking.suite,
        "round": ranking.round,
        "edits": ranking.edits,
        "ranked_by": ranking.ranked_by,
        "better": ranking.metric.better,
        "shared_cases": ranking.shared_cases,
        "unequal_cases": ranking.unequal_cases,
        "headline": None if ranking.headline is None else _json_headline(ranking.headline),
        "rows": [
            {
                **_json_row(row),
                **{column.key: values.get(row.model, ColumnValue()).as_json() for column, values in found},
            }
            for row in ranking.rows
        ],
        "notes": list(ranking_notes(ranking)),
    }


def _json_headline(found: Headline) -> dict[str, Any]:
    return {
        "cases": found.cases,
        "all_cases": found.all_cases,
        "too_few_cases": dict(found.too_few_cases),
        "deciders": dict(found.deciders),
        "graded_cases": found.graded_cases,
        "judges": list(found.judges),
        "usable_if": asdict(found.thresholds),
        "looks_like": {
            one.model: {"wear": one.wear.label, "flip": one.flip, "wear_flip": one.wear.flip}
            for one in found.resemblances
        },
    }


def _json_row(row: RankingRow) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "model": row.model,
        "role": row.role,
        "imported": row.imported,
        "n": row.n,
        "missing": row.missing,
        "metrics": {name: _json_summary(summary) for name, summary in row.metrics.items()},
        "mean_seconds": row.mean_seconds,
        "cost_usd": row.cost_usd,
        "failures": dict(row.failures),
        "group": row.group,
        "half_life": _json_half_life(row.half_life),
        "auc": json_interval(row.auc),
        "convergence": _json_score(row.convergence),
        "sentence": row.sentence,
    }


def _json_half_life(life: HalfLife | None) -> dict[str, Any] | None:
    if life is None:
        return None
    return {
        "threshold": life.threshold,
        "median": json_number(life.median),
        "low": json_number(life.low),
        "high": json_number(life.high),
        "n": life.n,
        "fell": life.fell,
        "watched": life.watched,
    }


def _json_score(score: ConvergenceScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "together": json_interval(score.together),
        "quality": json_interval(score.quality),
        "semantic": json_interval(score.semantic),
        "gated": json_interval(score.gated),
        "gated_by": score.gated_by,
        "metrics": list(score.metrics),
        "missing": list(score.missing),
    }


def json_interval(interval: Interval | None) -> dict[str, Any] | None:
    """For json.dumps; null without a value."""
    return None if interval is None else asdict(interval)


def _json_summary(summary: MetricSummary) -> dict[str, Any]:
    return {
        "mean": json_number(summary.mean),
        "low": summary.low,
        "high": summary.high,
        "n": summary.n,
        "clusters": summary.finite.clusters if summary.finite else None,
        "infinite": summary.perfect,
        "missing": summary.missing,
        "missing_reason": summary.reason,
    }
