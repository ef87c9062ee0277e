"""Figures of sessions by turn, as tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from convergebench.analysis.sessions.compare import TurnComparison
from convergebench.analysis.sessions.figures import TurnCurve
from convergebench.analysis.sessions.turns import NO_PICTURE, NOT_REACHED, UNUSABLE_ENTRY, TurnPoint
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.report.formatting import signed
from convergebench.report.tables.terminal_table import fitting_table
from convergebench.shown_text import counted
from convergebench.types import SuiteId

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 4
"""Turns that fit into a terminal's table."""
BETWEEN = "turns between"


def turn_tables(curves: Sequence[TurnCurve], width: int | None = None) -> list[Table]:
    """A table for each figure: models down, some turns across, each mean with its interval as far as the
    width allows."""
    groups = [list(group) for _, group in groupby(curves, key=lambda curve: curve.figure)]
    return [
        fitting_table(partial(_table, group), ("intervals", BETWEEN, "missing"), width) for group in groups
    ]


def _table(curves: Sequence[TurnCurve], omitted: Collection[str]) -> Table:
    from rich.table import Column, Table

    figure = curves[0].figure
    turns = shown_turns(max(len(curve.points) for curve in curves))
    if BETWEEN in omitted:
        turns = list(dict.fromkeys((turns[0], turns[-1])))
    counts = [name for name in ("n", "missing") if name not in omitted]
    table = Table(
        Column("model", no_wrap=True), *(Column(f"turn {turn}", no_wrap=True) for turn in turns), *counts,
        box=None, title=f"{figure.title} ({figure.better} is better)", title_justify="left",
        title_style="italic",
    )  # fmt: skip
    for curve in curves:
        numbers = _counts(curve, turns)
        cells = [_cell(curve, turn, with_interval="intervals" not in omitted) for turn in turns]
        table.add_row(curve.model, *cells, *(numbers[name] for name in counts))
    return table


def turn_cells(curves: Sequence[TurnCurve]) -> tuple[list[str], list[list[str]], list[str]]:
    """The same for a file: headings, cells, and why values are missing."""
    turns = shown_turns(max(len(curve.points) for curve in curves))
    cells = [
        [
            curve.model,
            *(_cell(curve, turn, with_interval=True) for turn in turns),
            *_counts(curve, turns).values(),
        ]
        for curve in curves
    ]
    return ["model", *(f"turn {turn}" for turn in turns), "n", "missing"], cells, turn_notes(curves)


def shown_turns(turns: int, most: int = SHOWN) -> list[int]:
    """The first, the last, and some between.

    >>> shown_turns(3), shown_turns(20)
    ([1, 2, 3], [1, 7, 14, 20])
    """
    if turns <= most:
        return list(range(1, turns + 1))
    return [round(1 + place * (turns - 1) / (most - 1)) for place in range(most)]


def _counts(curve: TurnCurve, turns: Sequence[int]) -> dict[str, str]:
    """The numbers of sessions with and without a value, of each turn shown where they differ."""
    points = [curve.points[turn - 1] for turn in turns if turn <= len(curve.points)]
    counts = {"n": [one.n for one in points], "missing": [one.missing for one in points]}
    return {
        name: ", ".join(map(str, each if len(set(each)) > 1 else each[:1])) for name, each in counts.items()
    }


def _cell(curve: TurnCurve, turn: int, *, with_interval: bool) -> str:
    point = curve.points[turn - 1] if turn <= len(curve.points) else None
    if point is None or point.score is None:
        return "–"
    digits = curve.figure.decimals
    text = f"{point.score.mean:.{digits}f}"
    if not with_interval or point.score.low is None or point.score.high is None:
        return text
    return f"{text} ({point.score.low:.{digits}f}–{point.score.high:.{digits}f})"


def turn_notes(curves: Sequence[TurnCurve]) -> list[str]:
    """Why values are missing at the last turn: once for each model if there is no picture, or else for each
    figure."""
    notes: dict[str, None] = {}
    for curve in curves:
        for reason, count in curve.points[-1].reasons.items():
            if reason == NOT_REACHED:
                sessions = counted(count, "session")
                text = f"{curve.model}: {sessions} ended before the last turn, since an edit failed"
            elif reason.startswith(UNUSABLE_ENTRY):
                why = reason.removeprefix(UNUSABLE_ENTRY)
                text = f"{count} of the set's entries cannot be used and are missing at every turn: {why}"
            elif reason.startswith(NO_PICTURE):
                text = f"{curve.model}: {count} × {reason}"
            else:
                text = f"{curve.model}, {curve.figure.title}: {count} missing: {reason}"
            notes[text] = None
    return list(notes)


def comparison_tables(comparisons: Sequence[TurnComparison]) -> list[Table]:
    """A table for each figure: some turns down, both means, their paired difference and what it says."""
    from rich.table import Table

    tables = []
    for one in comparisons:
        digits = one.figure.decimals
        title = f"{one.figure.title} ({one.figure.better} is better)"
        table = Table(
            "turn", one.first, one.second, "difference", "n", "",
            box=None, title=title, title_justify="left", title_style="italic",
        )  # fmt: skip
        turns = shown_turns(len(one.points), 2 * SHOWN)
        for point in (one.points[turn - 1] for turn in turns):
            change = point.difference
            ends = (
                ""
                if change.low is None
                else f" ({signed(change.low, digits)} to {signed(change.high, digits)})"
            )
            table.add_row(
                str(point.turn), f"{point.first_mean:.{digits}f}", f"{point.second_mean:.{digits}f}",
                f"{signed(change.mean, digits)}{ends}", str(change.n), one.verdict(point),
            )  # fmt: skip
        tables.append(table)
    return tables


def json_comparisons(comparisons: Iterable[TurnComparison]) -> list[dict[str, Any]]:
    return [
        {
            "figure": one.figure.key,
            "title": one.figure.title,
            "better": one.figure.better,
            "first": one.first,
            "second": one.second,
            "turns": [
                {
                    "turn": point.turn,
                    "first": point.first_mean,
                    "second": point.second_mean,
                    "difference": point.difference.mean,
                    "low": point.difference.low,
                    "high": point.difference.high,
                    "n": point.difference.n,
                    "only_first": point.only_first,
                    "only_second": point.only_second,
                    "verdict": one.verdict(point),
                }
                for point in one.points
            ],
        }
        for one in comparisons
    ]


def json_turns(curves: Iterable[TurnCurve]) -> list[dict[str, Any]]:
    return [
        {
            "model": curve.model,
            "protocol": curve.protocol,
            "figure": curve.figure.key,
            "title": curve.figure.title,
            "better": curve.figure.better,
            "judge": curve.figure.judge or None,
            "wording": curve.figure.wording or None,
            "final_turn": _json_interval(curve.final),
            "all_turns": _json_interval(curve.every),
            "turns": [json_point(point) for point in curve.points],
        }
        for curve in curves
    ]


def _json_interval(mean: Interval | None) -> dict[str, Any] | None:
    if mean is None:
        return None
    return {"mean": mean.mean, "low": mean.low, "high": mean.high, "n": mean.n}


def json_point(point: TurnPoint) -> dict[str, Any]:
    score = point.score
    return {
        "turn": point.turn,
        "mean": score and score.mean,
        "low": score and score.low,
        "high": score and score.high,
        "n": point.n,
        "missing": point.missing,
        "reasons": dict(point.reasons),
    }


CSV_COLUMNS = (
    "suite", "model", "protocol", "figure", "turn", "mean", "low", "high", "n", "missing", "reasons",
    "judge", "wording",
)  # fmt: skip


def csv_turns(suite: SuiteId, curves: Iterable[TurnCurve]) -> list[tuple[str | int | float | None, ...]]:
    """One row for each model, figure and turn."""
    return [
        (
            suite, curve.model, curve.protocol, curve.figure.key, point.turn,
            *_interval(point), point.n, point.missing,
            "; ".join(f"{count} × {reason}" for reason, count in point.reasons.items()),
            curve.figure.judge, curve.figure.wording,
        )
        for curve in curves
        for point in curve.points
    ]  # fmt: skip


def _interval(point: TurnPoint) -> tuple[float | None, float | None, float | None]:
    score = point.score
    return (score.mean, score.low, score.high) if score else (None, None, None)
