"""A workspace: one folder with one database and one picture store, safe to kill and safe to share."""

from __future__ import annotations

import contextlib
import itertools
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from convergebench._version import __version__
from convergebench.atomic_files import remove_leftovers
from convergebench.errors import EmptyWorkspace, WorkspaceError
from convergebench.providers import whole
from convergebench.store import schema
from convergebench.store.claims import Claims
from convergebench.store.connection import DATABASE, connect, explain, explained, migrated_copy
from convergebench.store.enrolment import Enrolment, enrol_one
from convergebench.store.insertion import Insertion
from convergebench.store.journal import Journal
from convergebench.store.picture_location import choose_location, pictures_of
from convergebench.store.selection import EVERYTHING, Selection
from convergebench.store.timestamp import timestamp
from convergebench.types import (
    Digest,
    Failure,
    Measurement,
    PictureFacts,
    Step,
)

T = TypeVar("T")

MeasurementKey: TypeAlias = tuple[Digest, Digest, str, str]
"""Reference, picture, metric, version."""


_STEPS = Insertion(
    "steps",
    (
        "trajectory", "position", "role", "round", "instruction", "seed", "inputs",
        "picture", "width", "height", "media_type", "failure", "reason",
        "seconds", "cost_usd", "attempts", "run", "at",
    ),
)  # fmt: skip
_MEASUREMENTS = Insertion(
    "measurements",
    ("reference", "picture", "metric", "version", "value", "missing", "at"),
    "ON CONFLICT DO UPDATE SET value = excluded.value, missing = excluded.missing, at = excluded.at "
    "WHERE value IS NULL",
)
_DETAILS = Insertion(
    "measurement_details",
    ("reference", "picture", "metric", "version", "detail"),
    "ON CONFLICT DO UPDATE SET detail = excluded.detail",
)
_DETAILS_OF_MISSING = replace(
    _DETAILS,
    conflict="ON CONFLICT DO UPDATE SET detail = excluded.detail WHERE NOT EXISTS ("
    "SELECT 1 FROM measurements m WHERE (m.reference, m.picture, m.metric, m.version) "
    "= (excluded.reference, excluded.picture, excluded.metric, excluded.version) AND m.value IS NOT NULL)",
)


@dataclass
class Run:
    """A recorded run."""

    id: int
    ending: str = "finished"
    """Set by the session that runs it."""


class Workspace:
    """Open one with `Workspace.create(folder)` for running, or `Workspace.existing(folder)` for reading."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        journal: Journal | None,
        selection: Selection = EVERYTHING,
    ) -> None:
        self.folder = folder
        self.selection = selection
        self.pictures = pictures_of(folder)
        self._connection = connection
        self._reading = threading.RLock()
        self._journal = journal
        self._claims = Claims.of(folder) if journal else None

    @classmethod
    def create(cls, folder: Path, pictures: str | None = None) -> Workspace:
        """Open for running; create it if necessary, with its pictures in another folder or at a URL if
        given."""
        folder = folder.absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if pictures is not None:
                choose_location(folder, pictures)
            pictures_of(folder).prepare()
            remove_leftovers(folder)
            claims = Claims.of(folder)
        except OSError as error:
            raise WorkspaceError(
                f"cannot write to {folder}: {error.strerror}; choose another place with --workspace"
            ) from error
        connection = connect(folder)
        with explained(folder), claims.making():
            # SQLite itself does not wait for a lock when it enables the write-ahead log.
            connection.execute("PRAGMA journal_mode = WAL")
            schema.migrate(connection)
        return cls(folder, connection, Journal(lambda: connect(folder), lambda error: explain(error, folder)))

    @classmethod
    def existing(cls, folder: Path, selection: Selection = EVERYTHING) -> Workspace:
        """Open for reading only. Everything that is read from it covers the selection.

        A workspace of an older version is read through a copy in memory of the newest version.
        """
        folder = folder.absolute()
        if (folder / DATABASE).is_dir():
            raise WorkspaceError(f"{folder / DATABASE} is a folder, not a database; move it away")
        if not (folder / DATABASE).is_file():
            raise WorkspaceError(f"no workspace in {folder}; create one with convergebench run")
        connection = connect(folder, read_only=True)
        if schema.version_of(connection) == 0:
            connection.close()
            raise EmptyWorkspace(f"the database in {folder} is empty; fill it with convergebench run")
        if schema.version_of(connection) < schema.VERSION:
            connection = migrated_copy(connection)
        return cls(folder, connection, None, selection)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._connection.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Runs and trajectories

    @contextlib.contextmanager
    def run(self, settings: Mapping[str, Any]) -> Iterator[Run]:
        """Record a run with its settings, and at the end how it ended, failed if an error was raised."""
        run = Run(self.start_run(settings))
        outcome = "failed"
        try:
            yield run
            outcome = run.ending
        finally:
            self.finish_run(run.id, outcome)

    def start_run(self, settings: Mapping[str, Any], package: str = __version__) -> int:
        sql = "INSERT INTO runs (started, settings, package) VALUES (?, ?, ?) RETURNING id"
        row = (timestamp(), json.dumps(settings, allow_nan=False), package)
        return self.submit(lambda db: int(db.execute(sql, row).fetchone()[0])).result()

    def finish_run(self, run: int, outcome: str) -> None:
        row = (timestamp(), outcome, run)
        self.write_rows("UPDATE runs SET finished = ?, outcome = ? WHERE id = ?", [row]).result()

    def enrol(self, enrolments: Sequence[Enrolment], *, fresh: bool) -> list[int]:
        """The trajectories' ids, in order: existing ones, or new generations if `fresh`."""
        return self.submit(lambda db: [enrol_one(db, wanted, fresh) for wanted in enrolments]).result()

    def finished_edits(self, protocol: str) -> dict[tuple[str, str, int], int]:
        """The number of finished edits by (editor, case, seed), as fingerprints, in the newest generation. A
        trajectory with a refusal counts as complete, because no other edit will follow."""
        sql = """
            SELECT editor, case_fingerprint, t.seed, max(generation),
                   iif(max(s.failure = 'refused'), 1 << 60, count(s.picture)) AS done
            FROM trajectories t LEFT JOIN steps s ON s.trajectory = t.id
            WHERE protocol = ? GROUP BY t.id ORDER BY generation
        """
        return {tuple(row[:3]): row["done"] for row in self.query(sql, protocol)}

    def claim(self, trajectory: int) -> bool:
        """Claim a trajectory; false if another process holds it. Claims end with their process."""
        assert self._claims is not None
        return self._claims.take(trajectory)

    def release(self, trajectory: int) -> None:
        assert self._claims is not None
        self._claims.release(trajectory)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other process from working in it; WorkspaceError if one already does."""
        assert self._claims is not None
        with self._claims.alone() as is_alone:
            if not is_alone:
                raise WorkspaceError(f"a run is working in {self.folder}; wait until it has ended")
            yield

    # Steps

    def record_step(self, trajectory: int, run: int, step: Step) -> Future[None]:
        return self.record_steps([(trajectory, run, step)])

    def record_steps(self, steps: Sequence[tuple[int, int, Step]]) -> Future[None]:
        """Steps with their trajectories and runs: all of them, or none if one cannot be recorded."""
        at = timestamp()
        return self._insert(_STEPS, [_step_row(trajectory, run, step, at) for trajectory, run, step in steps])

    def steps(self, trajectory: int) -> list[Step]:
        """The latest record of each position, in order."""
        rows = self.query("SELECT * FROM steps WHERE trajectory = ? ORDER BY id", trajectory)
        latest = {row["position"]: row for row in rows}
        return [_step(latest[position]) for position in sorted(latest)]

    # Measurements

    def record_measurements(self, rows: Sequence[tuple[Digest, Digest, Measurement]]) -> Future[None]:
        """Store (reference, picture, measurement); a value replaces a missing one, never the reverse. Neither
        is a value's detail replaced by that of a missing one."""
        at, journal = timestamp(), self._opened_journal
        details: dict[Insertion, list[tuple[Any, ...]]] = {}
        for reference, picture, one in rows:
            if one.detail is not None:
                insertion = _DETAILS if one.missing is None else _DETAILS_OF_MISSING
                row = (reference, picture, one.metric, one.version, whole(one.detail))
                details.setdefault(insertion, []).append(row)
        for insertion, found in details.items():
            journal.insert(insertion, found)
        values = [
            (reference, picture, one.metric, one.version, one.value, one.missing and whole(one.missing), at)
            for reference, picture, one in rows
        ]
        return journal.insert(_MEASUREMENTS, values)

    def measured(
        self, references: Sequence[Digest], pictures: Sequence[Digest]
    ) -> dict[MeasurementKey, bool]:
        """What was tried on these pictures against these references, and whether that settled it: by a value,
        or by a reason that has a detail."""
        sql = f"""
            SELECT reference, picture, metric, version, value IS NOT NULL OR detail IS NOT NULL
            FROM measurements LEFT JOIN measurement_details USING (reference, picture, metric, version)
            WHERE reference IN ({_places(references)}) AND picture IN ({_places(pictures)})
        """
        rows = self.query(sql, *references, *pictures)
        return {
            (reference, picture, metric, version): bool(there)
            for reference, picture, metric, version, there in rows
        }

    # Reading for results/

    @property
    def data_version(self) -> int:
        """A number that changes with every commit of any process."""
        return int(self.query("PRAGMA data_version")[0][0])

    def check(self) -> tuple[int, str]:
        """The number of steps, and the first problem that SQLite finds in the database, or "ok"."""
        ((steps,),) = self.query("SELECT count(*) FROM steps")
        ((finding,),) = self.query("PRAGMA quick_check(1)")
        return int(steps), str(finding)

    def query(self, sql: str, *arguments: Any) -> list[sqlite3.Row]:
        with explained(self.folder), self._reading:
            return self._connection.execute(sql, arguments).fetchall()

    def each_row(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The same as an iterator of tuples, for results that do not fit into memory; other threads' queries
        wait meanwhile. What one thread iterates over at the same time is from one moment."""
        with explained(self.folder), self._reading:
            cursor = self._connection.cursor()
            cursor.row_factory = None
            yield from cursor.execute(sql)

    def beside(self) -> Workspace | None:
        """The same on a connection of its own, so that two threads read at the same time; None if it is read
        through a copy in memory."""
        if not self.query("PRAGMA database_list")[0]["file"]:
            return None
        return Workspace(self.folder, connect(self.folder, read_only=True), None, self.selection)

    def keep(self, table: str, sql: str) -> None:
        """Keep the rows of a query in a temporary table of this connection."""
        self.query(f"CREATE TEMP TABLE {table} AS {sql}")

    def write_rows(self, sql: str, rows: Sequence[Any]) -> Future[None]:
        """Run the statement once for each row, a tuple or a mapping, in one transaction."""
        return self.write_together([(sql, row) for row in rows])

    def write_together(self, statements: Sequence[tuple[str, Any]]) -> Future[None]:
        """Statements, each with its row, in one transaction: after a kill all of them are there, or none."""

        def write(db: sqlite3.Connection) -> None:
            # Nothing is returned: a cursor released on another thread would reset a statement that is in use.
            for sql, rows in itertools.groupby(statements, key=lambda one: one[0]):
                db.executemany(sql, [_storable(row) for _, row in rows])

        return self.submit(write)

    def transact(self, write: Callable[[sqlite3.Connection], T]) -> T:
        """Several statements as one transaction."""
        return self.submit(write).result()

    def submit(self, write: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """The same, for those who wait for it later."""
        return self._opened_journal.submit(write)

    def _insert(self, insertion: Insertion, rows: Sequence[tuple[Any, ...]]) -> Future[None]:
        return self._opened_journal.insert(insertion, [_storable_values(row) for row in rows])

    @property
    def _opened_journal(self) -> Journal:
        if self._journal is None:
            raise WorkspaceError(f"{self.folder} is open for reading only")
        return self._journal


def _step_row(trajectory: int, run: int, step: Step, at: str) -> tuple[Any, ...]:
    done, failed = (step.outcome, None) if isinstance(step.outcome, PictureFacts) else (None, step.outcome)
    facts = (None,) * 4 if done is None else (done.digest, done.width, done.height, done.media_type)
    reason = (None, None) if failed is None else (failed.kind, failed.reason)
    return (
        trajectory, step.position, step.role, step.round, step.instruction, step.seed,
        json.dumps(step.inputs), *facts, *reason,
        step.seconds, step.cost_usd, step.attempts, run, at,
    )  # fmt: skip


def _step(row: sqlite3.Row) -> Step:
    outcome: PictureFacts | Failure
    if row["picture"] is None:
        outcome = Failure(row["failure"], row["reason"])
    else:
        outcome = PictureFacts(row["picture"], row["width"], row["height"], row["media_type"])
    return Step(
        row["position"], row["role"], row["round"], row["instruction"], row["seed"],
        tuple(json.loads(row["inputs"])), outcome, row["seconds"], row["cost_usd"], row["attempts"],
    )  # fmt: skip


def _storable(row: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any] | Sequence[Any]:
    """The same without lone surrogates, because one in a model's text must not lose the row."""
    if isinstance(row, Mapping):
        return dict(zip(row, _storable_values(tuple(row.values())), strict=True))
    return _storable_values(row)


def _storable_values(row: Sequence[Any]) -> Sequence[Any]:
    return [whole(value) if isinstance(value, str) else value for value in row]


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
