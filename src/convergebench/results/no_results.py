"""Why a workspace has nothing to show, and what to do."""

from __future__ import annotations

from convergebench.errors import WorkspaceError
from convergebench.store import Workspace
from convergebench.store.visibility import hidden_models


def no_results(workspace: Workspace) -> WorkspaceError:
    """For a workspace, or chosen models of it, without results that are not hidden."""
    folder = workspace.folder
    if not hidden_models(workspace):
        return WorkspaceError(f"{folder} has no results yet; create some with convergebench run")
    return WorkspaceError(
        f"every model that {folder} could show is hidden. convergebench workspace list -w {folder} names "
        f"them; show one with convergebench workspace hide --undo --model NAME -w {folder}"
    )
