"""What a page is made of, also where nothing has come back yet."""

from __future__ import annotations

from convergebench.analysis import Results
from convergebench.errors import WorkspaceError
from convergebench.results import Records, WorkspaceOrRecords, load_results


def page_results(workspace: WorkspaceOrRecords, suite: str | None = None) -> Results:
    """The results; empty ones where there are only single edits, or not even those."""
    try:
        return load_results(workspace, suite)
    except WorkspaceError:
        return Results(suite or "nothing measured yet", 1, (), (), (), ())


def holds_only_single_edits(workspace: WorkspaceOrRecords) -> bool:
    """Whether editors were asked for something here, and nothing of it should equal its source."""
    records = Records.of(workspace)
    results = page_results(records)
    return bool(records.trajectories) and not (results.uses or results.returns)
