"""The measurements of every pair of pictures by each metric's newest version, read as columns."""

from __future__ import annotations

import itertools
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from convergebench import metrics
from convergebench.analysis.round_trip.measurement_columns import MeasuredPair, MeasurementColumns
from convergebench.store import Workspace
from convergebench.types import Digest, Measurement

_NOTHING: Mapping[str, Measurement] = {}
_BLOCK = 8192
"""Pairs that are read at a time."""
_MISSING = "SELECT reference, picture, metric, version, missing FROM measurements WHERE value IS NULL"


class PairValues(Mapping[tuple[Digest, Digest], MeasuredPair]):
    """By reference and picture, then by metric name."""

    def __init__(self, columns: MeasurementColumns, rows: Mapping[tuple[Digest, Digest], int]) -> None:
        self._columns = columns
        self._rows = rows

    def __getitem__(self, pair: tuple[Digest, Digest]) -> MeasuredPair:
        return MeasuredPair(self._columns, self._rows[pair])

    def of(self, reference: Digest, picture: Digest) -> Mapping[str, Measurement]:
        """Empty if nothing was measured, or only by older versions."""
        row = self._rows.get((reference, picture))
        return _NOTHING if row is None else MeasuredPair(self._columns, row)

    def of_each(
        self, references: Sequence[Digest | None], pictures: Sequence[Digest | None]
    ) -> list[Mapping[str, Measurement]]:
        """The same of each pair; empty for one without a reference or a picture."""
        rows: Any = self._rows  # which has no pair with None
        return [
            _NOTHING if row is None else MeasuredPair(self._columns, row)
            for row in map(rows.get, zip(references, pictures, strict=True))
        ]

    def __iter__(self) -> Iterator[tuple[Digest, Digest]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def read_pair_values(workspace: Workspace, newest: Mapping[str, str]) -> PairValues:
    """Measurements by the newest versions of the available metrics."""
    versions = {name: version for name, version in newest.items() if name in metrics.names()}
    if not versions:
        return PairValues(MeasurementColumns(versions, {}), {})
    rows: dict[tuple[Digest, Digest], int] = {}
    columns = [array("d") for _ in versions]
    cursor = workspace.each_row(_values_by_pair(versions))
    while block := list(itertools.islice(cursor, _BLOCK)):
        references, pictures, *values = zip(*block, strict=True)
        pairs = zip(map(sys.intern, references), pictures, strict=True)  # many have the same reference
        rows.update(zip(pairs, range(len(rows), len(rows) + len(block)), strict=True))
        for column, found in zip(columns, values, strict=True):
            column.frombytes(np.array(found, np.float64).tobytes())  # None becomes NaN
    missing = {
        (name, rows[reference, picture]): reason
        for reference, picture, name, version, reason in workspace.each_row(_MISSING)
        # Another process may have measured a pair since.
        if versions.get(name) == version and (reference, picture) in rows
    }
    return PairValues(MeasurementColumns(versions, dict(zip(versions, columns, strict=True)), missing), rows)


def _values_by_pair(versions: Mapping[str, str]) -> str:
    """One row for each pair, which is several times as fast to read as one for each measurement."""
    columns = ", ".join(
        f"max(value) FILTER (WHERE metric = {_quoted(name)} AND version = {_quoted(version)})"
        for name, version in versions.items()
    )
    return f"SELECT reference, picture, {columns} FROM measurements GROUP BY reference, picture"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
