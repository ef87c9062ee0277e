"""What a page is made of, also where nothing has come back yet."""

from __future__ import annotations

from convergebench.analysis import Results
from convergebench.errors import WorkspaceError
from convergebench.results import load_results
from convergebench.store import Workspace


def page_results(workspace: Workspace, suite: str | None = None) -> Results:
    """The results; empty ones where there are only single edits, or not even those."""
    try:
        return load_results(workspace, suite)
    except WorkspaceError:
        return Results(suite or "nothing measured yet", 1, (), (), (), ())


def holds_only_single_edits(workspace: Workspace) -> bool:
    """Whether editors were asked for something here, and nothing of it should equal its source."""
    found = page_results(workspace)
    begun = workspace.query("SELECT 1 FROM trajectories LIMIT 1")
    return bool(begun) and not (found.uses or found.returns)
