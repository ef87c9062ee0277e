"""The sessions of a workspace, for summary and export where there are no round trips."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.analysis.sessions.figures import FIGURES, PASSED, TurnCurve
from convergebench.benchmarks.session_curves import session_curves
from convergebench.results import Records, WorkspaceOrRecords, suites_with_returns
from convergebench.results.sessions import load_sessions, suites_with_sessions
from convergebench.types import SuiteId

KEPT = FIGURES[0]


@dataclass(frozen=True)
class SessionsOfSuite:
    suite: SuiteId
    sessions: int
    turns: int
    """With a picture."""
    models: tuple[str, ...]
    curves: tuple[TurnCurve, ...]

    @property
    def headline(self) -> tuple[TurnCurve, ...]:
        """What was kept by turn, and how many passed if a judge was asked."""
        return tuple(one for one in self.curves if one.figure.key in (KEPT.key, PASSED.key))


def sessions_alone(workspace: WorkspaceOrRecords, suite: SuiteId | None = None) -> list[SessionsOfSuite]:
    """The sessions of a workspace without round trips, of one suite or of all; empty for all others."""
    records = Records.of(workspace)
    if suites_with_returns(records):
        return []
    return [
        _sessions(records, one)
        for one in suites_with_sessions(records)
        if one.is_named(suite) or one.base == suite
    ]


def _sessions(records: Records, suite: SuiteId) -> SessionsOfSuite:
    found = load_sessions(records, [suite])
    turns = sum(turn.missing is None for session in found for turn in session.turns)
    models = tuple(dict.fromkeys(session.model for session in found))
    return SessionsOfSuite(suite, len(found), turns, models, tuple(session_curves(records, suite)))
