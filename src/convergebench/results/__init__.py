"""The read model: everything that analysis, reports and the page read from a workspace."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not when it is first used: the module of the same name would take the function's place.
from convergebench.results.load_results import load_results, load_results_as_given, suites_with_returns
from convergebench.results.records import Records, WorkspaceOrRecords

if TYPE_CHECKING:
    from convergebench.results.audit_input import load_audit_input

__all__ = [
    "Records",
    "WorkspaceOrRecords",
    "load_audit_input",
    "load_results",
    "load_results_as_given",
    "suites_with_returns",
]


def __getattr__(name: str) -> Any:
    """Audits are imported when they are first used, so that a command loads only what it needs."""
    if name != "load_audit_input":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.audit_input").load_audit_input
