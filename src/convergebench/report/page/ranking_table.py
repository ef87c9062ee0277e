"""A ranking for the page: its columns, and the cells of every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from convergebench.analysis import Ranking, Results, headline_rankings, headline_sentence
from convergebench.report.columns import (
    ColumnValue,
    RankingColumn,
    Values,
    columns_in,
    written_interval,
    written_number,
)
from convergebench.report.page.score import score_section
from convergebench.report.tables.ranking import json_ranking


def ranking_table(ranked: Ranking) -> dict[str, Any]:
    """The ranking as JSON, with its columns."""
    table = json_ranking(ranked)
    columns = [(column, column.values(ranked)) for column in columns_in("page", ranked)]
    for row, ranking_row in zip(table["rows"], ranked.rows, strict=True):
        row["is_calibration"] = ranking_row.is_calibration
        row["cells"] = [_cell(column, values.get(row["model"])) for column, values in columns]
    return {**table, "columns": [_column(column, values, ranked) for column, values in columns]}


def headline_tables(results: Results, number: Mapping[str, int]) -> list[dict[str, Any]]:
    """The tables that rank by visible quality, each with its sentence and the score's curves.

    The first covers the reversible edits, the second the partially reversible ones. A table whose models have
    no headline score is left out.
    """
    if not results.headline:  # nothing is measured, as where there are single edits only
        return []
    return [
        {
            **ranking_table(ranked),
            "headline_sentence": headline_sentence(ranked.headline),
            "score": score_section(part, ranked.headline, number),
        }
        for part, ranked in headline_rankings(_summarised(results))
        if ranked.headline is not None
    ]


def _summarised(results: Results) -> Results:
    """Excludes drift metrics, whose means appear in none of these columns and take most of the time."""
    partial = results.partial and _summarised(results.partial)
    return replace(results, metrics=results.headline, partial=partial)


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
    """The displayed text, with the numbers for sorting and drawing."""
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
