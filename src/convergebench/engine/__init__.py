"""Runs trajectories."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    name: home
    for home, names in {
        "budget": ("Budget",),
        "editing.plan": ("Plan",),
        "editing.session": ("run_plan",),
        "limits": ("Attempted", "Lane", "Limits", "Patience"),
        "progress": ("NoProgress", "RunProgress"),
        "run_limits": ("RunLimits",),
        "session": ("RunOutcome",),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used: judging needs nothing of editing and measuring."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
