"""What counts among the missing sessions of a figure."""

from __future__ import annotations

from convergebench.analysis.sessions.figures import counting_unusable, measured_curves
from convergebench.analysis.sessions.turns import SessionResult, TurnResult
from convergebench.types import Measurement


def test_entries_that_are_no_sessions_are_missing_at_every_turn_with_their_reasons() -> None:
    turns = tuple(TurnResult(turn, {"kept": Measurement("kept", "1", 0.9)}) for turn in (1, 2))
    session = SessionResult("a", "model", "session", "1", "p", "", 0, 1, turns)
    (curve,) = counting_unusable(measured_curves([session]), ["it has no turns", "it has no turns"])
    assert [(point.n, point.missing) for point in curve.points] == [(1, 2), (1, 2)]
    assert all(point.reasons == {"not usable: it has no turns": 2} for point in curve.points)
    assert curve.points[0].score is not None and curve.points[0].score.mean == 0.9
