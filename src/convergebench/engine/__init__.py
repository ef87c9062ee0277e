"""Runs trajectories."""

from convergebench.engine.limits import Attempted, Budget, Lane, Limits, Patience
from convergebench.engine.local import Outcome, run_plan
from convergebench.engine.plan import Plan
from convergebench.engine.watch import Unwatched, Watch

__all__ = [
    "Attempted",
    "Budget",
    "Lane",
    "Limits",
    "Outcome",
    "Patience",
    "Plan",
    "Unwatched",
    "Watch",
    "run_plan",
]
