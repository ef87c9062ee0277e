"""How long the edits of each model took."""

from __future__ import annotations

from convergebench.results.runs import read_runs
from convergebench.store import Workspace
from convergebench.types import Digest


def mean_edit_seconds(workspace: Workspace) -> dict[Digest, float]:
    """By fingerprint, over all edits that were not imported."""
    imports = ", ".join(str(run.id) for run in read_runs(workspace) if run.is_import)
    sql = f"""
        SELECT t.editor, avg(s.seconds) FROM steps s JOIN trajectories t ON t.id = s.trajectory
        WHERE s.picture IS NOT NULL AND s.run NOT IN ({imports}) GROUP BY t.editor
    """
    return dict(map(tuple, workspace.query(sql)))
