"""Rows of whole tables, for results that move between workspaces as files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from convergebench.errors import WorkspaceError
from convergebench.store.workspace import MeasurementKey, Workspace
from convergebench.types import Digest

TableRow: TypeAlias = Mapping[str, Any]
"""By column."""


def read_table(workspace: Workspace, table: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """In an order that depends on the content only."""
    names = ", ".join(columns)
    for row in workspace.query(f"SELECT {names} FROM {table} ORDER BY {names}"):
        yield dict(row)


def insert_tables(workspace: Workspace, rows: Mapping[str, Sequence[TableRow]]) -> None:
    """WorkspaceError if the rows contradict the schema, or refer to rows that are not there."""

    def write(db: sqlite3.Connection) -> None:
        for table, found in rows.items():
            if found:
                columns = tuple(found[0])
                marks = ", ".join("?" * len(columns))
                sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
                db.executemany(sql, [tuple(row[name] for name in columns) for row in found])

    try:
        workspace.transact(write)
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise WorkspaceError(f"the rows contradict each other ({error})") from error
    broken = workspace.query("PRAGMA foreign_key_check")
    if broken:
        raise WorkspaceError(f"a row of {broken[0]['table']} refers to one that is not there")


def measured_values(workspace: Workspace) -> dict[MeasurementKey, float]:
    """Every value; missing ones are left out."""
    sql = "SELECT reference, picture, metric, version, value FROM measurements WHERE value NOTNULL"
    return {tuple(row[:4]): row[4] for row in workspace.query(sql)}


def measured_pairs(workspace: Workspace) -> list[tuple[Digest, Digest]]:
    """Every reference and picture with a measurement."""
    sql = "SELECT DISTINCT reference, picture FROM measurements"
    return [(row[0], row[1]) for row in workspace.query(sql)]


def forget_measurements(workspace: Workspace, pairs: Sequence[tuple[Digest, Digest]]) -> None:
    """Delete the measurements of these references and pictures."""
    for table in ("measurements", "measurement_details"):
        workspace.write_rows(f"DELETE FROM {table} WHERE reference = ? AND picture = ?", pairs).result()


def change_fingerprints(workspace: Workspace, editors: Mapping[Digest, Digest]) -> None:
    """Give editors, by their fingerprints, others; names that users gave are dropped."""
    changes = [(new, old) for old, new in editors.items()]
    workspace.write_rows("DELETE FROM model_names WHERE model = ?", [(old,) for old in editors])
    workspace.write_rows("UPDATE editors SET fingerprint = ? WHERE fingerprint = ?", changes)
    workspace.write_rows("UPDATE trajectories SET editor = ? WHERE editor = ?", changes).result()
