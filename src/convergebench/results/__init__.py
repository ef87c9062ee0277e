"""The read model: everything that analysis, reports and the page read from a workspace."""

from convergebench.results.audit_input import load_audit_input
from convergebench.results.load_results import load_results, load_results_as_given, suites_with_returns
from convergebench.results.records import Records, WorkspaceOrRecords

__all__ = [
    "Records",
    "WorkspaceOrRecords",
    "load_audit_input",
    "load_results",
    "load_results_as_given",
    "suites_with_returns",
]
