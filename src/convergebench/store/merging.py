"""Copying everything in one workspace into another."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convergebench.errors import ConvergeBenchError
from convergebench.store.removal import needed_pictures
from convergebench.store.workspace import Workspace

_AS_THEY_ARE = (
    "editors", "case_facts", "suite_cases", "judges", "rubrics", "measurement_details", "model_names",
)  # fmt: skip
_KEY = ("protocol", "editor", "case_fingerprint", "seed")


@dataclass(frozen=True)
class Merged:
    runs: int
    trajectories: int
    """That are new here."""
    steps: int
    pictures: int
    missing_pictures: int
    """Referred to by the other workspace, and not readable there."""


def merge(into: Workspace, other: Workspace) -> Merged:
    """Add all runs, edits, measurements and verdicts of another workspace. Nothing here is replaced.

    Runs get new numbers. A trajectory that both have continues here if it is the same one as far as both go;
    otherwise both are kept, as generations in the order in which they were begun. Merging the same workspace
    again adds nothing.
    """
    with into.alone():
        pictures, missing = _copy_pictures(into, other)
        runs, trajectories, steps = into.transact(lambda db: _merge_rows(db, other))
    return Merged(runs, trajectories, steps, pictures, missing)


def _copy_pictures(into: Workspace, other: Workspace) -> tuple[int, int]:
    """First of all, since a row must not refer to a picture that is not there."""
    here, there = into.pictures.sizes(), other.pictures.sizes()
    wanted = needed_pictures(other)
    copied, missing = 0, len(wanted - there.keys() - here.keys())
    for digest in sorted(wanted & (there.keys() - here.keys())):
        try:
            into.pictures.put(other.pictures.load(digest))
            copied += 1
        except ConvergeBenchError:
            missing += 1
    return copied, missing


def _merge_rows(db: sqlite3.Connection, other: Workspace) -> tuple[int, int, int]:
    for table in _AS_THEY_ARE:
        _insert_rows(db, "INSERT OR IGNORE", table, other.query(f"SELECT * FROM {table}"))
    runs, new_runs = _merge_runs(db, other)
    trajectories, added, steps, positions = _merge_trajectories(db, other, runs)
    _merge_spending(db, other, runs)
    _merge_measurements(db, other)
    _merge_judgements(db, other, runs)
    for row in other.query("SELECT * FROM looks"):
        owner, step = trajectories.get(row["trajectory"]), positions.get(row["primary_step"])
        if owner is not None and step is not None:
            values = {**dict(row), "trajectory": owner, "primary_step": step, "run": runs[row["run"]]}
            _insert(db, "INSERT OR IGNORE", "looks", values)
    return new_runs, added, steps


def _merge_runs(db: sqlite3.Connection, other: Workspace) -> tuple[dict[int, int], int]:
    """The number of each run here, and how many are new: a run is the same if it began at the same moment
    with the same settings."""
    known = {(row["started"], row["settings"]): row["id"] for row in db.execute("SELECT * FROM runs")}
    numbers, new = {}, 0
    for row in other.query("SELECT * FROM runs ORDER BY id"):
        identity = known.get((row["started"], row["settings"]))
        if identity is None:
            identity, new = _insert(db, "INSERT", "runs", _without_id(row)), new + 1
            rows = other.query("SELECT * FROM imported_returns WHERE run = ? ORDER BY id", row["id"])
            for one in rows:
                _insert(db, "INSERT", "imported_returns", {**_without_id(one), "run": identity})
        numbers[row["id"]] = identity
    return numbers, new


def _merge_trajectories(
    db: sqlite3.Connection, other: Workspace, runs: Mapping[int, int]
) -> tuple[dict[int, int], int, int, dict[int, int]]:
    """The trajectories' ids here, how many are new, the number of new steps, and the steps' ids here."""
    ids: dict[int, int] = {}
    step_ids: dict[int, int] = {}
    added = made = 0
    for row in other.query("SELECT * FROM trajectories ORDER BY id"):
        steps = other.query("SELECT * FROM steps WHERE trajectory = ? ORDER BY id", row["id"])
        found = _same_trajectory(db, row, steps)
        if found is None:
            key = tuple(row[name] for name in _KEY)
            where = " AND ".join(f"{name} = ?" for name in _KEY)
            (last,) = db.execute(f"SELECT max(generation) FROM trajectories WHERE {where}", key).fetchone()
            generation = 0 if last is None else last + 1
            found = _insert(db, "INSERT", "trajectories", {**_without_id(row), "generation": generation})
            added += 1
        db.execute("UPDATE trajectories SET rounds = max(rounds, ?) WHERE id = ?", (row["rounds"], found))
        ids[row["id"]] = found
        made += _merge_steps(db, found, steps, runs, step_ids)
        _order_generations(db, row)
    return ids, added, made, step_ids


def _same_trajectory(db: sqlite3.Connection, row: sqlite3.Row, steps: list[sqlite3.Row]) -> int | None:
    """A generation here that has the same pictures at all positions that both have."""
    theirs = {step["position"]: step["picture"] for step in steps if step["picture"] is not None}
    where = " AND ".join(f"{name} = ?" for name in _KEY)
    key = tuple(row[name] for name in _KEY)
    for one in db.execute(f"SELECT id FROM trajectories WHERE {where} ORDER BY generation DESC", key):
        ours = dict(
            map(tuple, db.execute(
                "SELECT position, picture FROM steps WHERE trajectory = ? AND picture IS NOT NULL", (one[0],)
            ))
        )  # fmt: skip
        shared = ours.keys() & theirs.keys()
        if all(ours[position] == theirs[position] for position in shared) and (
            shared or not ours or not theirs
        ):
            return int(one[0])
    return None


def _merge_steps(
    db: sqlite3.Connection,
    trajectory: int,
    steps: list[sqlite3.Row],
    runs: Mapping[int, int],
    step_ids: dict[int, int],
) -> int:
    known = {
        (row["position"], row["picture"], row["at"]): row["id"]
        for row in db.execute("SELECT * FROM steps WHERE trajectory = ?", (trajectory,))
    }
    finished = {position: identity for (position, picture, _), identity in known.items() if picture}
    made = 0
    for step in steps:
        identity = known.get((step["position"], step["picture"], step["at"]))
        if identity is None and step["picture"] is not None:
            identity = finished.get(step["position"])
        if identity is None:
            values = {**_without_id(step), "trajectory": trajectory, "run": runs[step["run"]]}
            identity, made = _insert(db, "INSERT", "steps", values), made + 1
        step_ids[step["id"]] = identity
    return made


def _order_generations(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    """Number the generations of one trajectory in the order of their first steps."""
    where = " AND ".join(f"{name} = ?" for name in _KEY)
    found = db.execute(
        f"""SELECT id, generation, (SELECT min(at) FROM steps WHERE trajectory = trajectories.id) AS begun
        FROM trajectories WHERE {where}""",
        tuple(row[name] for name in _KEY),
    ).fetchall()
    # One without a step is the next to be begun.
    ordered = sorted(found, key=lambda one: (one["begun"] is None, one["begun"] or "", one["generation"]))
    if [one["generation"] for one in ordered] == list(range(len(ordered))):
        return
    for shift in (-len(ordered), 0):  # no two may have the same number meanwhile
        for number, one in enumerate(ordered):
            db.execute("UPDATE trajectories SET generation = ? WHERE id = ?", (number + shift, one["id"]))


def _merge_spending(db: sqlite3.Connection, other: Workspace, runs: Mapping[int, int]) -> None:
    """A run's entries are added and settled in one place, so what is here are the first of those there."""
    for theirs, ours in runs.items():
        there = other.query("SELECT * FROM spending WHERE run = ? ORDER BY id", theirs)
        here = db.execute("SELECT id FROM spending WHERE run = ? ORDER BY id", (ours,)).fetchall()
        db.executemany(
            "UPDATE spending SET charged_usd = coalesce(charged_usd, ?) WHERE id = ?",
            [(row["charged_usd"], entry["id"]) for row, entry in zip(there, here, strict=False)],
        )
        for row in there[len(here) :]:
            _insert(db, "INSERT", "spending", {**_without_id(row), "run": ours})


def _merge_measurements(db: sqlite3.Connection, other: Workspace) -> None:
    """A value replaces a missing one, never the reverse."""
    db.executemany(
        """INSERT INTO measurements VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value, missing = excluded.missing, at = excluded.at
        WHERE value IS NULL AND excluded.value IS NOT NULL""",
        map(tuple, other.query("SELECT * FROM measurements")),
    )


def _merge_judgements(db: sqlite3.Connection, other: Workspace, runs: Mapping[int, int]) -> None:
    have = {row[0] for row in db.execute("SELECT key FROM judgements WHERE outcome = 'ok'")}
    for row in other.query("SELECT * FROM judgements"):
        if row["key"] not in have and (row["outcome"] == "ok" or not _has_judgement(db, row["key"])):
            _insert(db, "INSERT OR REPLACE", "judgements", {**dict(row), "run": runs[row["run"]]})
    known = {(row["judgement"], row["at"]) for row in db.execute("SELECT judgement, at FROM judge_attempts")}
    for row in other.query("SELECT * FROM judge_attempts ORDER BY id"):
        if (row["judgement"], row["at"]) not in known:
            _insert(db, "INSERT", "judge_attempts", {**_without_id(row), "run": runs[row["run"]]})


def _has_judgement(db: sqlite3.Connection, key: str) -> bool:
    return db.execute("SELECT 1 FROM judgements WHERE key = ?", (key,)).fetchone() is not None


def _insert_rows(db: sqlite3.Connection, verb: str, table: str, rows: list[sqlite3.Row]) -> None:
    for row in rows:
        _insert(db, verb, table, dict(row))


def _insert(db: sqlite3.Connection, verb: str, table: str, values: Mapping[str, Any]) -> int:
    marks = ", ".join("?" * len(values))
    sql = f"{verb} INTO {table} ({', '.join(values)}) VALUES ({marks})"
    return int(db.execute(sql, tuple(values.values())).lastrowid or 0)


def _without_id(row: sqlite3.Row) -> dict[str, Any]:
    return {name: row[name] for name in row.keys() if name != "id"}  # noqa: SIM118
