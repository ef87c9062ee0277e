"""All figures by turn that a workspace has of a suite's sessions."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.analysis.sessions.figures import TurnCurve, counting_unusable, measured_curves
from convergebench.benchmarks.session_scoring import judged_curves
from convergebench.results import Records
from convergebench.results.sessions import load_sessions, unusable_entries
from convergebench.types import SuiteId


def session_curves(records: Records, suite: SuiteId, models: Sequence[str] = ()) -> list[TurnCurve]:
    """Those of judges first, then what was measured. Entries of the set that cannot be used are missing."""
    sessions = load_sessions(records, [suite], models)
    curves = [*judged_curves(records, suite, sessions), *measured_curves(sessions)]
    return counting_unusable(curves, unusable_entries(records, suite).values())
