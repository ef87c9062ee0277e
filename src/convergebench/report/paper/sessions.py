"""What sessions contribute to the paper: each figure by turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from convergebench.analysis.sessions.figures import TurnCurve, measured_curves
from convergebench.benchmarks.session_scoring import judged_curves
from convergebench.report.formatting import ABSENT
from convergebench.report.paper.counting import listed
from convergebench.report.paper.grids import Grid
from convergebench.report.paper.part import PaperPart
from convergebench.report.tables.turns import shown_turns, turn_notes
from convergebench.results import Records
from convergebench.results.sessions import load_sessions, suites_with_sessions
from convergebench.shown_text import counted
from convergebench.types import SuiteId

_MOST_TURNS = 6
_ABOUT = (
    "Measured is the part of the picture that the requests leave alone. A session that ended early counts as "
    "missing from the turn on that it did not reach."
)

_MISSING = "What is missing stands below each table."


def session_part(records: Records, *, alone: bool) -> PaperPart:
    """Empty if the workspace has no sessions. Without round trips, they also say what was tested."""
    suites = suites_with_sessions(records)
    tables: list[Grid] = []
    said, judged = [], []
    for suite in suites:
        sessions = load_sessions(records, [suite])
        curves = [*judged_curves(records, suite, sessions), *measured_curves(sessions)]
        models = list(dict.fromkeys(session.model for session in sessions))
        turns = max((len(session.turns) for session in sessions), default=0)
        said.append(
            f"{suite} has {counted(len({one.case for one in sessions}), 'session')} of up to "
            f"{counted(turns, 'turn')}, edited by {listed(models)}."
        )
        judged += [f"{suite} was judged by {by}, turn by turn." for by in _judges(curves)]
        tables += _tables(suite, curves)
    if not suites:
        return PaperPart()
    return PaperPart(
        names=("sessions",),
        values={"suites": ", ".join(suites)},
        claims={
            "sessions": [_ABOUT],
            "setup": said,
            **({"judged": judged} if judged else {}),
            **({"tested": said, "conclusion": said, "missing": [_MISSING]} if alone else {}),
        },
        tables={"sessions": tables},
    )


def _judges(curves: Sequence[TurnCurve]) -> list[str]:
    figures = [curve.figure for curve in curves if curve.figure.judge]
    return list(dict.fromkeys(f"{one.judge} ({one.wording})" for one in figures))


def _tables(suite: SuiteId, curves: Sequence[TurnCurve]) -> Iterator[Grid]:
    for figure, group in groupby(curves, key=lambda curve: curve.figure):
        own = list(group)
        turns = shown_turns(max(len(curve.points) for curve in own), _MOST_TURNS)
        rows = [
            [curve.model, *(_cell(curve, turn) for turn in turns), str(curve.points[-1].n),
             str(curve.points[-1].missing)]
            for curve in own
        ]  # fmt: skip
        yield Grid(
            ["model", *(f"turn {turn}" for turn in turns), "n", "missing"],
            rows,
            notes=turn_notes(own),
            caption=f"{suite}: {figure.title} by turn, {figure.better} is better. Means with 95 % "
            "intervals; n and missing at the last turn.",
        )


def _cell(curve: TurnCurve, turn: int) -> str:
    point = curve.points[turn - 1] if turn <= len(curve.points) else None
    if point is None or point.score is None:
        return ABSENT
    places, score = curve.figure.decimals, point.score
    if score.low is None or score.high is None:
        return f"{score.mean:.{places}f}"
    return f"{score.mean:.{places}f} [{score.low:.{places}f}, {score.high:.{places}f}]"
