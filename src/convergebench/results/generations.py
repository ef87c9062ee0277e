"""The generation of each trajectory that is read: the newest, or an earlier one if the selection says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from convergebench.store import Workspace, hidden_runs

_GENERATIONS = """
    SELECT t.protocol, t.editor, t.case_fingerprint, t.seed, t.generation, t.id,
           EXISTS (SELECT 1 FROM steps s WHERE s.trajectory = t.id AND {visible})
           OR EXISTS (SELECT 1 FROM looks s WHERE s.trajectory = t.id AND {visible}) AS is_begun
    FROM trajectories t {which} ORDER BY t.generation DESC
"""
_GENERATIONS_OF = """
    WHERE (t.protocol, t.editor, t.case_fingerprint, t.seed)
       IN (SELECT protocol, editor, case_fingerprint, seed FROM trajectories WHERE id IN ({ids}))
"""


def chosen_generations(workspace: Workspace, of: Collection[int] | None = None) -> frozenset[int]:
    """The ids of the trajectories in the workspace's selection, one for each editor, case and seed: of all,
    or of those that the trajectories with the ids `of` have.

    A generation counts once it has a step or a reasoner's advice: a refinement that needed no edit has no
    step. The first counts without either too, unless runs are selected.
    """
    selection = workspace.selection
    visible = f"s.run IN ({ids_in(selection.runs)})" if selection.runs else "1"
    visible = f"{visible} AND s.run NOT IN ({ids_in(hidden_runs(workspace))})"
    which = "" if of is None else _GENERATIONS_OF.format(ids=ids_in(of))
    sql = _GENERATIONS.format(visible=visible, which=which)
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for *key, generation, identity, is_begun in workspace.query(sql):
        if is_begun or (generation == 0 and not selection.runs):
            found[tuple(key)].append(identity)
    at = selection.generation
    return frozenset(identities[at] for identities in found.values() if len(identities) > at)


def hidden_positions(workspace: Workspace, of: Iterable[int] | None = None) -> dict[int, int]:
    """By trajectory, of all or of those with the ids `of`: the first position that a hidden run made. It and
    all that follow it are hidden."""
    which = "" if of is None else f"AND trajectory IN ({ids_in(of)})"
    sql = f"""
        SELECT trajectory, min(position) FROM steps
        WHERE run IN ({ids_in(hidden_runs(workspace))}) AND picture IS NOT NULL {which} GROUP BY trajectory
    """
    return dict(map(tuple, workspace.query(sql)))


def ids_in(numbers: Iterable[int]) -> str:
    """Ids as they stand in a query."""
    return ", ".join(map(str, sorted(numbers)))
