"""The sessions of a workspace, for summary and export where there are no round trips."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.analysis.sessions.figures import FIGURES, PASSED, TurnCurve
from convergebench.benchmarks.session_curves import session_curves
from convergebench.results import Records, SuiteId, WorkspaceOrRecords, suites_with_returns
from convergebench.results.sessions import load_sessions, suites_with_sessions

KEPT = FIGURES[0]


@dataclass(frozen=True)
class SessionsOfSuite:
    suite: str
    sessions: int
    turns: int
    """With a picture."""
    models: tuple[str, ...]
    curves: tuple[TurnCurve, ...]

    @property
    def headline(self) -> tuple[TurnCurve, ...]:
        """What was kept by turn, and how many passed if a judge was asked."""
        return tuple(one for one in self.curves if one.figure.key in (KEPT.key, PASSED.key))


def sessions_alone(workspace: WorkspaceOrRecords, suite: str | None = None) -> list[SessionsOfSuite]:
    """The sessions of a workspace without round trips, of one suite or of all; empty for all others."""
    records = Records.of(workspace)
    if suites_with_returns(records):
        return []
    return [_sessions(records, name) for name in suites_with_sessions(records) if _is_named(name, suite)]


def _is_named(name: str, suite: str | None) -> bool:
    return SuiteId.parse(name).is_named(suite) or name.rpartition("/")[0] == suite


def _sessions(records: Records, suite: str) -> SessionsOfSuite:
    found = load_sessions(records, [suite])
    turns = sum(turn.missing is None for session in found for turn in session.turns)
    models = tuple(dict.fromkeys(session.model for session in found))
    return SessionsOfSuite(suite, len(found), turns, models, tuple(session_curves(records, suite)))
