"""Removing models and runs from a workspace, and pictures and measurements that nothing needs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convergebench.store.visibility import IMPORTED
from convergebench.store.workspace import Workspace
from convergebench.types import Digest
from convergebench.types.picture_hints import pictures_in

_REFINED = "SELECT fingerprint FROM editors WHERE parameters ->> 'primary' IN ({models})"
_OF_MODELS = "SELECT id FROM trajectories WHERE editor IN ({models})"
_EMPTY_TRAJECTORIES = """
    DELETE FROM trajectories
    WHERE id IN ({ids}) AND NOT EXISTS (SELECT 1 FROM steps WHERE trajectory = trajectories.id)
    AND NOT EXISTS (SELECT 1 FROM looks WHERE trajectory = trajectories.id)
"""
_NO_RUN = 0
_STILL_USED = "SELECT 1 FROM steps WHERE run = runs.id"
_FROM_RUNS = """
    SELECT trajectory, min(position) FROM (
        SELECT trajectory, position FROM steps WHERE run IN ({runs}) AND picture IS NOT NULL
        UNION ALL
        SELECT s.trajectory, s.position FROM judgements j JOIN looks l ON l.judgement = j.key
        JOIN steps s ON s.trajectory = l.trajectory AND s.round >= l.round WHERE j.run IN ({runs})
    ) GROUP BY trajectory
"""
_DELETED = "FROM steps WHERE trajectory = :trajectory AND position >= :position"
_REFINEMENTS = """
    SELECT l.trajectory, s.trajectory AS primary_edit, s.position
    FROM looks l JOIN steps s ON s.id = l.primary_step
"""


@dataclass(frozen=True)
class RemovedRows:
    trajectories: int
    steps: int
    judgements: int


def remove_models(workspace: Workspace, models: Sequence[Digest]) -> RemovedRows:
    """Delete all edits of these models, and the refinements of them. Their pictures stay until
    `collect_garbage`."""
    refined = workspace.query(_REFINED.format(models=_marks(models)), *models)
    models = [*models, *(row[0] for row in refined)]

    def write(db: sqlite3.Connection) -> RemovedRows:
        marks = _marks(models)
        ids = [row[0] for row in db.execute(_OF_MODELS.format(models=marks), models)]
        steps = delete_steps(db, dict.fromkeys(ids, 0))
        _delete_trajectories(db, ids)
        for table, column in (
            ("editors", "fingerprint"), ("model_names", "model"), ("hidden_models", "model"),
        ):  # fmt: skip
            db.execute(f"DELETE FROM {table} WHERE {column} IN ({marks})", models)
        imported = [(one.removeprefix(IMPORTED),) for one in models if one.startswith(IMPORTED)]
        db.executemany("DELETE FROM imported_returns WHERE model = ?", imported)
        return RemovedRows(len(ids), steps, 0)

    return workspace.transact(write)


def remove_runs(workspace: Workspace, runs: Sequence[int]) -> RemovedRows:
    """Delete what these runs made: edits and advice with all edits that follow them, verdicts, and imported
    rows."""
    chosen = ", ".join(map(str, runs))
    made = dict(map(tuple, workspace.query(_FROM_RUNS.format(runs=chosen))))
    cuts = with_refinements(workspace, made)

    def write(db: sqlite3.Connection) -> RemovedRows:
        steps = delete_steps(db, cuts)
        steps += db.execute(f"DELETE FROM steps WHERE run IN ({chosen})").rowcount  # failed attempts
        db.execute(f"DELETE FROM looks WHERE run IN ({chosen})")
        keys = [row[0] for row in db.execute(f"SELECT key FROM judgements WHERE run IN ({chosen})")]
        db.executemany("DELETE FROM looks WHERE judgement = ?", [(key,) for key in keys])
        empty = _EMPTY_TRAJECTORIES.format(ids=", ".join(map(str, cuts)) or "NULL")
        trajectories = db.execute(empty).rowcount
        db.executemany("DELETE FROM judge_attempts WHERE judgement = ?", [(key,) for key in keys])
        db.executemany("DELETE FROM judgements WHERE key = ?", [(key,) for key in keys])
        db.execute(f"DELETE FROM judge_attempts WHERE run IN ({chosen})")
        db.execute(f"DELETE FROM imported_returns WHERE run IN ({chosen})")
        db.execute(f"DELETE FROM hidden_runs WHERE run IN ({chosen})")
        # Spent all the same; but a later run may get the same number.
        db.execute(f"UPDATE spending SET run = {_NO_RUN} WHERE run IN ({chosen})")
        db.execute(f"DELETE FROM runs WHERE id IN ({chosen}) AND NOT EXISTS ({_STILL_USED})")
        return RemovedRows(trajectories, steps, len(keys))

    return workspace.transact(write)


def delete_steps(db: sqlite3.Connection, cuts: Mapping[int, int]) -> int:
    """Delete the steps of these trajectories from a position on, and the advice on their pictures."""
    places = [{"trajectory": trajectory, "position": position} for trajectory, position in cuts.items()]
    db.executemany(f"DELETE FROM looks WHERE primary_step IN (SELECT id {_DELETED})", places)
    later = f"round > (SELECT min(round) {_DELETED})"
    db.executemany(f"DELETE FROM looks WHERE trajectory = :trajectory AND {later}", places)
    before = db.total_changes
    db.executemany(f"DELETE {_DELETED}", places)
    return db.total_changes - before


def with_refinements(workspace: Workspace, cuts: Mapping[int, int]) -> dict[int, int]:
    """The same, with the whole of each refinement whose primary edit is deleted."""
    refined = {
        row["trajectory"]: 0
        for row in workspace.query(_REFINEMENTS)
        if row["primary_edit"] in cuts and row["position"] >= cuts[row["primary_edit"]]
    }
    return {**cuts, **refined}


def _delete_trajectories(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    rows = [(identity,) for identity in ids]
    db.executemany("DELETE FROM looks WHERE trajectory = ?", rows)
    db.executemany("DELETE FROM trajectories WHERE id = ?", rows)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


@dataclass(frozen=True)
class Garbage:
    """Pictures that no edit, verdict or case refers to."""

    pictures: tuple[Digest, ...]
    bytes: int


def find_garbage(workspace: Workspace) -> Garbage:
    sizes = workspace.pictures.sizes()
    unneeded = tuple(sorted(sizes.keys() - needed_pictures(workspace)))
    return Garbage(unneeded, sum(sizes[digest] for digest in unneeded))


def collect_garbage(workspace: Workspace) -> Garbage:
    """Delete pictures that nothing needs, and their measurements. No run may be working meanwhile."""
    with workspace.alone():
        found = find_garbage(workspace)
        workspace.pictures.remove(found.pictures)
        rows = [(digest,) for digest in found.pictures]
        for table in ("measurements", "measurement_details"):
            workspace.write_rows(f"DELETE FROM {table} WHERE picture = ?", rows).result()
        return found


def needed_pictures(workspace: Workspace) -> set[Digest]:
    """Results and inputs of edits, what cases name beside their sources, and the pictures that judges saw."""
    needed = {row[0] for row in workspace.query("SELECT DISTINCT picture FROM steps WHERE picture NOTNULL")}
    for row in workspace.query("SELECT DISTINCT inputs FROM steps"):
        needed.update(json.loads(row[0]))
    for row in workspace.query("SELECT DISTINCT pictures FROM judgements"):
        needed.update(digest for _, digest in json.loads(row[0]))
    for row in workspace.query("SELECT hints FROM case_facts"):
        needed.update(pictures_in(json.loads(row[0])))
    return needed
