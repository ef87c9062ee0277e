"""Connections to the database of a workspace, and its errors in words for the user."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from convergebench.errors import WorkspaceError
from convergebench.store import schema
from convergebench.store.pictures import RESERVE_BYTES, disk_full

DATABASE = "convergebench.sqlite"
BUSY_SECONDS = 60


def connect(folder: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the database of a workspace; raises WorkspaceError if a newer version made it."""
    path = folder / DATABASE
    with explained(folder):
        if read_only:
            connection = _read_only(path)
        else:
            connection = sqlite3.connect(path, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA synchronous = FULL")
        connection.row_factory = sqlite3.Row
        found = schema.version_of(connection)
    if found > schema.VERSION:
        raise WorkspaceError(
            f"{folder} was made by a newer ConvergeBench (workspace version {found}, this one reads up to "
            f"{schema.VERSION}): pip install --upgrade convergebench"
        )
    return connection


def migrated_copy(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The database in memory, in the schema of this version; the connection is closed."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.backup(copy)
    connection.close()
    copy.row_factory = sqlite3.Row
    schema.migrate(copy)
    return copy


def _read_only(path: Path) -> sqlite3.Connection:
    """Reading the write-ahead log needs a writable folder. In a read-only folder, no process can be
    writing."""
    uri = f"{path.as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, BUSY_SECONDS, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.is_file() and log.stat().st_size:
            raise WorkspaceError(
                f"{path.parent} is read-only and its last rows are still in {log.name}; "
                "copy the folder to where it can be written"
            ) from None
        connection = sqlite3.connect(
            f"{uri}&immutable=1", uri=True, isolation_level=None, check_same_thread=False
        )
    return connection


def explain(error: Exception, folder: Path) -> Exception:
    """The same error with advice for the user."""
    if not isinstance(error, sqlite3.Error):
        return error
    message = str(error)
    if "full" in message or ("disk I/O" in message and not _has_room(folder)):
        return disk_full(folder)
    if "disk I/O" in message:
        return WorkspaceError(
            f"the disk that holds {folder} failed (disk I/O error): it is full, limited by a quota, or "
            "damaged; all finished work is saved. Rerun the command when that is solved."
        )
    if (folder / DATABASE).is_dir():
        return WorkspaceError(f"{folder / DATABASE} is a folder, not a database; move it away")
    if "readonly" in message or "unable to open" in message:
        return WorkspaceError(f"cannot write to {folder}: it is read-only; choose another with --workspace")
    if "not a database" in message or "malformed" in message:
        return WorkspaceError(
            f"the database {folder / DATABASE} is damaged ({message}); the pictures are not affected. "
            f"Try `sqlite3 {DATABASE} .recover`, or move it away and start a new one."
        )
    if "locked" in message:
        return WorkspaceError(f"another process kept {folder} locked for {BUSY_SECONDS} seconds; try again")
    return error


def _has_room(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free >= RESERVE_BYTES
    return True


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Errors of SQLite in this block are raised with advice."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, folder) from error
