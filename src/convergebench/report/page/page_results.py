"""The results for a page, also if there are none yet."""

from __future__ import annotations

from convergebench.analysis import Results
from convergebench.errors import WorkspaceError
from convergebench.results import Records, WorkspaceOrRecords, load_results


def page_results(workspace: WorkspaceOrRecords, suite: str | None = None) -> Results:
    """The results; empty if there are only single edits, or none at all."""
    try:
        return load_results(workspace, suite)
    except WorkspaceError:
        return Results(suite or "nothing measured yet", 1, (), (), (), ())


def holds_only_single_edits(workspace: WorkspaceOrRecords) -> bool:
    """Whether the workspace contains requested edits, none of which should equal its source."""
    records = Records.of(workspace)
    results = page_results(records)
    return bool(records.trajectories) and not (results.uses or results.returns)
