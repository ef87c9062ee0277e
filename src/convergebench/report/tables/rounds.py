"""The score or the ranking metric at the headline rounds 1, 2, 3, 5, 10, 15 and 20, and at the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from convergebench.analysis import CurvePoint, HeadlineRounds
from convergebench.analysis.headline.headline import SCORE
from convergebench.analysis.round_trip.ranking import CALIBRATION
from convergebench.json_numbers import json_number
from convergebench.report.formatting import decimals, metric_title, number
from convergebench.report.tables.terminal_table import terminal_table
from convergebench.report.tables.text_table import TextTable

if TYPE_CHECKING:
    from rich.table import Table


def rounds_table(marks: HeadlineRounds, models: Sequence[str]) -> Table:
    """Means by round, with n where it is not the same throughout, or where infinite values are left out.

    Models are in the given order.
    """
    table = terminal_table(_title(marks))
    table.add_column("model", overflow="fold", min_width=8)
    for mark in marks.rounds:
        table.add_column(f"R{mark}", justify="right", no_wrap=True)
    for model, *cells in rounds_cells(marks, models):
        table.add_row(model, *cells, style="dim" if marks.roles[model] in CALIBRATION else "")
    return table


def rounds_text(marks: HeadlineRounds, models: Sequence[str]) -> TextTable:
    return TextTable(
        "by-round",
        _title(marks),
        _explained(marks),
        ["model", *(f"R{mark}" for mark in marks.rounds)],
        rounds_cells(marks, models),
    )


def _title(marks: HeadlineRounds) -> str:
    title = metric_title(marks.metric)
    return f"{title[0].upper()}{title[1:]} by round"


def _explained(marks: HeadlineRounds) -> str:
    if marks.metric == SCORE:
        return "Means over the chains that the score is over; the mean of all rounds is the score."
    return (
        "Means over all returns, with the number of returns where it is not the same throughout, or where "
        "infinite values are left out of the mean."
    )


def rounds_cells(marks: HeadlineRounds, models: Sequence[str]) -> list[list[str]]:
    """One row per model: its name, then its mean at each headline round."""
    return [[model, *_cells(marks, marks.points[model])] for model in models]


def json_rounds(marks: HeadlineRounds, models: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "model": model,
            "metric": marks.metric.name,
            "round": one.round,
            "mean": json_number(one.mean),
            "low": one.low,
            "high": one.high,
            "n": one.n,
            "infinite": one.perfect,
            "missing": one.missing,
        }
        for model in models
        for one in marks.points[model]
    ]


def _cells(marks: HeadlineRounds, points: Sequence[CurvePoint]) -> list[str]:
    places = decimals(marks.metric)
    alike = len({one.n for one in points}) == 1
    return [number(one.mean, places) + _count(one, alike) for one in points]


def _count(point: CurvePoint, alike: bool) -> str:
    """How many values the mean is over, where that must be said."""
    if point.perfect and point.perfect < point.n:
        return f" ({point.n - point.perfect} of {point.n})"
    return "" if alike else f" ({point.n})"
