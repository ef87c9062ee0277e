"""Rows that are inserted many at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

_ROWS = (64, 8, 1)
"""Numbers of rows for one statement: few, since each is a statement of its own for SQLite to compile."""


@dataclass(frozen=True)
class Insertion:
    """An INSERT of rows as tuples, in the order of the columns.

    Many rows are one statement: Python takes its turn among the threads again after each, and while many
    edits are made this takes longer than the statement.
    """

    table: str
    columns: tuple[str, ...]
    conflict: str = ""
    """The clause for rows that are there already."""

    def write(self, db: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> None:
        start = 0
        for count in _ROWS:
            while len(rows) - start >= count:
                db.execute(self._sql(count), [value for row in rows[start : start + count] for value in row])
                start += count

    @cache  # noqa: B019 - there are a few, and they are constants
    def _sql(self, count: int) -> str:
        row = f"({', '.join('?' * len(self.columns))})"
        values = ", ".join([row] * count)
        return f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES {values} {self.conflict}"
