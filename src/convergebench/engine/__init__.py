"""Runs trajectories."""

from convergebench.engine.editing.plan import Plan
from convergebench.engine.editing.session import RunOutcome, run_plan
from convergebench.engine.limits import Attempted, Budget, Lane, Limits, Patience
from convergebench.engine.progress import NoProgress, RunProgress

__all__ = [
    "Attempted",
    "Budget",
    "Lane",
    "Limits",
    "NoProgress",
    "Patience",
    "Plan",
    "RunOutcome",
    "RunProgress",
    "run_plan",
]
