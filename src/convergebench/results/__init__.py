"""The read model: everything that analysis, reports and the page read from a workspace."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from convergebench.results.records import Records, WorkspaceOrRecords

if TYPE_CHECKING:
    from convergebench.results.audit_input import load_audit_input
    from convergebench.results.round_trip_results import (
        load_results,
        load_results_as_given,
        suites_with_returns,
    )

__all__ = [
    "Records",
    "WorkspaceOrRecords",
    "load_audit_input",
    "load_results",
    "load_results_as_given",
    "suites_with_returns",
]

_HOMES = {
    "load_audit_input": "audit_input",
    "load_results": "round_trip_results",
    "load_results_as_given": "round_trip_results",
    "suites_with_returns": "round_trip_results",
}


def __getattr__(name: str) -> Any:
    """Audits and round trips are imported when they are first used, so that a command loads only what it
    needs."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
