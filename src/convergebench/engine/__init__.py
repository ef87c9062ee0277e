"""Runs trajectories."""

from convergebench.engine.limits import Patience
from convergebench.engine.local import Outcome, run_plan
from convergebench.engine.plan import Plan
from convergebench.engine.watch import Unwatched, Watch

__all__ = ["Outcome", "Patience", "Plan", "Unwatched", "Watch", "run_plan"]
