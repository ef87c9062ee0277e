"""Removing models and runs from a workspace, and pictures and measurements that nothing needs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.store.visibility import IMPORTED
from convergebench.store.workspace import Workspace
from convergebench.types import Digest
from convergebench.types.picture_hints import pictures_in

_OF_MODELS = "SELECT id FROM trajectories WHERE editor IN ({models})"
_EMPTY_TRAJECTORIES = """
    DELETE FROM trajectories
    WHERE id IN ({ids}) AND NOT EXISTS (SELECT 1 FROM steps WHERE trajectory = trajectories.id)
"""
_STILL_USED = "SELECT 1 FROM steps WHERE run = runs.id"
_FROM_RUNS = """
    SELECT trajectory, min(position) FROM steps WHERE run IN ({runs}) AND picture IS NOT NULL
    GROUP BY trajectory
"""


@dataclass(frozen=True)
class RemovedRows:
    trajectories: int
    steps: int
    judgements: int


def remove_models(workspace: Workspace, models: Sequence[Digest]) -> RemovedRows:
    """Delete all edits of these models. Their pictures stay until `collect_garbage`."""

    def write(db: sqlite3.Connection) -> RemovedRows:
        marks = ", ".join("?" * len(models))
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
    """Delete what these runs made: edits with all that follow them in their trajectories, verdicts, and
    imported rows."""
    chosen = ", ".join(map(str, runs))

    def write(db: sqlite3.Connection) -> RemovedRows:
        cuts = {row[0]: row[1] for row in db.execute(_FROM_RUNS.format(runs=chosen))}
        steps = delete_steps(db, cuts)
        steps += db.execute(f"DELETE FROM steps WHERE run IN ({chosen})").rowcount  # failed attempts
        empty = _EMPTY_TRAJECTORIES.format(ids=", ".join(map(str, cuts)) or "NULL")
        trajectories = db.execute(empty).rowcount
        db.execute(f"DELETE FROM looks WHERE run IN ({chosen})")
        keys = [row[0] for row in db.execute(f"SELECT key FROM judgements WHERE run IN ({chosen})")]
        db.executemany("DELETE FROM looks WHERE judgement = ?", [(key,) for key in keys])
        db.executemany("DELETE FROM judge_attempts WHERE judgement = ?", [(key,) for key in keys])
        db.executemany("DELETE FROM judgements WHERE key = ?", [(key,) for key in keys])
        db.execute(f"DELETE FROM judge_attempts WHERE run IN ({chosen})")
        db.execute(f"DELETE FROM imported_returns WHERE run IN ({chosen})")
        db.execute(f"DELETE FROM hidden_runs WHERE run IN ({chosen})")
        db.execute(f"DELETE FROM runs WHERE id IN ({chosen}) AND NOT EXISTS ({_STILL_USED})")
        return RemovedRows(trajectories, steps, len(keys))

    return workspace.transact(write)


def delete_steps(db: sqlite3.Connection, cuts: dict[int, int]) -> int:
    """Delete the steps of these trajectories from a position on, and refinements that refer to them."""
    before = db.total_changes
    db.executemany(
        "DELETE FROM looks "
        "WHERE primary_step IN (SELECT id FROM steps WHERE trajectory = ? AND position >= ?)",
        list(cuts.items()),
    )
    db.executemany("DELETE FROM looks WHERE trajectory = ?", [(identity,) for identity in cuts])
    looks = db.total_changes - before
    db.executemany("DELETE FROM steps WHERE trajectory = ? AND position >= ?", list(cuts.items()))
    return db.total_changes - before - looks


def _delete_trajectories(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    db.executemany("DELETE FROM trajectories WHERE id = ?", [(identity,) for identity in ids])


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
