"""Runs trajectories."""

from convergebench.engine.budget import Budget
from convergebench.engine.editing.plan import Plan
from convergebench.engine.editing.session import run_plan
from convergebench.engine.limits import Attempted, Lane, Limits, Patience
from convergebench.engine.progress import NoProgress, RunProgress
from convergebench.engine.run_limits import RunLimits
from convergebench.engine.session import RunOutcome

__all__ = [
    "Attempted",
    "Budget",
    "Lane",
    "Limits",
    "NoProgress",
    "Patience",
    "Plan",
    "RunLimits",
    "RunOutcome",
    "RunProgress",
    "run_plan",
]
