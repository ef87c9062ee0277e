"""Model names and hidden models and runs. A model is named by its fingerprint, or as imported:NAME."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.store.timestamp import timestamp
from convergebench.store.workspace import Workspace
from convergebench.types import Digest

IMPORTED = "imported:"
"""Before the name of a model of an imported table, which has no fingerprint."""


def read_model_names(workspace: Workspace) -> dict[Digest, str]:
    """The names that users gave, by model."""
    return dict(map(tuple, workspace.query("SELECT model, name FROM model_names")))


def set_model_name(workspace: Workspace, model: Digest, name: str) -> None:
    """Name a model; an empty name restores the original one."""
    if name:
        sql = "INSERT OR REPLACE INTO model_names VALUES (?, ?, ?)"
        workspace.write_rows(sql, [(model, name, timestamp())]).result()
    else:
        workspace.write_rows("DELETE FROM model_names WHERE model = ?", [(model,)]).result()


def hidden_models(workspace: Workspace) -> frozenset[Digest]:
    return frozenset(row[0] for row in workspace.query("SELECT model FROM hidden_models"))


def hidden_runs(workspace: Workspace) -> frozenset[int]:
    return frozenset(row[0] for row in workspace.query("SELECT run FROM hidden_runs"))


def hide(workspace: Workspace, models: Sequence[Digest], runs: Sequence[int]) -> None:
    """Leave them out of everything that is read from the workspace."""
    now = timestamp()
    workspace.write_rows("INSERT OR IGNORE INTO hidden_models VALUES (?, ?)", [(one, now) for one in models])
    rows = [(one, now) for one in runs]
    workspace.write_rows("INSERT OR IGNORE INTO hidden_runs VALUES (?, ?)", rows).result()


def unhide(workspace: Workspace, models: Sequence[Digest], runs: Sequence[int]) -> None:
    workspace.write_rows("DELETE FROM hidden_models WHERE model = ?", [(one,) for one in models])
    workspace.write_rows("DELETE FROM hidden_runs WHERE run = ?", [(one,) for one in runs]).result()
