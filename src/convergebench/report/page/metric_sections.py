"""One metric: its ranking and curves, every value, and every two models on the cases that both have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Literal

from convergebench.analysis import (
    Ranking,
    Results,
    degradation_curves,
    of_part,
    paired_difference,
    ranking,
    reading,
)
from convergebench.analysis.round_trip.paired_difference import NothingShared
from convergebench.report.columns import (
    ColumnValue,
    RankingColumn,
    Values,
    columns_in,
    written_interval,
    written_number,
)
from convergebench.report.page.overview import case_numbers, model_numbers
from convergebench.report.tables.ranking import json_ranking

_PARTS: tuple[Literal["category", "kind"], ...] = ("category", "kind")


def metric_section(results: Results, metric: str, number: Mapping[str, int]) -> dict[str, Any]:
    """The ranking at the last round, and curves over all cases and over each part of them.

    Partially reversible edits have a ranking of their own. Models are known by their number.
    """
    partial = results.partial
    is_measured = partial is not None and metric in {facts.name for facts in partial.metrics}
    return {
        "ranking": _ranking(results, metric),
        "partial": _ranking(partial, metric) if partial and is_measured else None,
        "curves": list(_curves(results, metric, number)),
    }


def _ranking(results: Results, metric: str) -> Any:
    """The ranking as JSON, with its columns and a cell for each in every row.

    Only headline metrics are summarised beside the one that ranks: all others would take most of the time.
    """
    needed = tuple(facts for facts in results.metrics if facts in results.headline or facts.name == metric)
    ranked = ranking(replace(results, metrics=needed), metric)
    table = json_ranking(ranked)
    columns = [(column, column.values(ranked)) for column in columns_in("page", ranked)]
    for row in table["rows"]:
        row["cells"] = [_cell(column, values.get(row["model"])) for column, values in columns]
    return {**table, "columns": [_column(column, values, ranked) for column, values in columns]}


def _column(column: RankingColumn, values: Values, ranked: Ranking) -> dict[str, Any]:
    return {
        "key": column.key,
        "heading": column.title(ranked),
        "explanation": column.explanation,
        "better": column.better,
        "is_words": column.is_words or any(one.value is None and one.text for one in values.values()),
        "has_intervals": "page" in column.intervals,
    }


def _cell(column: RankingColumn, found: ColumnValue | None) -> dict[str, Any]:
    """What is written, with the numbers to sort and draw by."""
    one = found or ColumnValue()
    interval = written_interval(one, column.places)
    counts = [f"n = {one.n}" if one.n is not None else "", f"{one.missing} missing" if one.missing else ""]
    text = one.text if one.text is not None else written_number(one.value, one, column.places)
    return {
        "text": text if one.text is not None else _with_minus(text),
        "interval": _with_minus(interval),
        "hint": ", ".join(filter(None, (one.note, _with_minus(interval), *counts))),
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "reason": one.reason,
        "is_warning": one.is_warning,
    }


def _with_minus(number: str) -> str:
    return number.replace("-", "−")


def _curves(results: Results, metric: str, number: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    yield {"by": "", "part": "", "models": _points(results, metric, number)}
    for by in _PARTS:
        for name, part in of_part(results, by).items():
            yield {"by": by, "part": name, "models": _points(part, metric, number)}


def _points(part: Results, metric: str, number: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        {"model": number[curve.model], "points": [vars(point) for point in curve.points]}
        for curve in degradation_curves(part, metric)
    ]


def values_section(results: Results, metric: str) -> list[dict[str, Any]]:
    """Every trajectory's values by round; a missing one is null."""
    facts = results.facts(metric)
    model, case = model_numbers(results), case_numbers(results)
    rows: dict[tuple[int, int, int], list[float | None]] = {}
    for item in results.returns:
        row = rows.setdefault((model[item.model], case[item.case], item.seed), [None] * results.rounds)
        value = reading(item, facts)
        row[item.round - 1] = None if isinstance(value, str) else value
    return [{"model": m, "case": c, "seed": seed, "values": row} for (m, c, seed), row in rows.items()]


def pairs_section(results: Results, metric: str, round: int, models: Sequence[str]) -> list[dict[str, Any]]:
    """The first model against all others at a round; those that share no case are left out."""
    first, *others = models
    found = []
    for second in others:
        with suppress(NothingShared):
            one = paired_difference(results, first, second, metric, round)
            found.append({**asdict(one), "verdict": one.verdict, "smallest_p_value": one.smallest_p_value})
    return found
