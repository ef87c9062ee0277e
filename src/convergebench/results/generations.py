"""The generation of each trajectory that is read: the newest, or an earlier one if the selection says so."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from convergebench.store import Workspace, hidden_runs

_GENERATIONS = """
    SELECT t.protocol, t.editor, t.case_fingerprint, t.seed, t.generation, t.id,
           EXISTS (SELECT 1 FROM steps s WHERE s.trajectory = t.id AND {visible}) AS is_begun
    FROM trajectories t ORDER BY t.generation DESC
"""


def chosen_generations(workspace: Workspace) -> frozenset[int]:
    """The ids of the trajectories in the workspace's selection, one for each editor, case and seed.

    A generation counts once it has a step. The first counts without one too, unless runs are selected.
    """
    selection = workspace.selection
    visible = f"s.run IN ({_ids(selection.runs)})" if selection.runs else "1"
    sql = _GENERATIONS.format(visible=f"{visible} AND s.run NOT IN ({_ids(hidden_runs(workspace))})")
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for *key, generation, identity, is_begun in workspace.query(sql):
        if is_begun or (generation == 0 and not selection.runs):
            found[tuple(key)].append(identity)
    at = selection.generation
    return frozenset(identities[at] for identities in found.values() if len(identities) > at)


def hidden_positions(workspace: Workspace) -> dict[int, int]:
    """By trajectory, the first position that a hidden run made: it and all that follow it are hidden."""
    sql = f"""
        SELECT trajectory, min(position) FROM steps
        WHERE run IN ({_ids(hidden_runs(workspace))}) AND picture IS NOT NULL GROUP BY trajectory
    """
    return dict(map(tuple, workspace.query(sql)))


def _ids(numbers: Any) -> str:
    return ", ".join(map(str, sorted(numbers)))
