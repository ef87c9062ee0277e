"""The measurements of every pair of pictures by each metric's newest version, read as columns."""

from __future__ import annotations

import itertools
import math
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from convergebench import metrics
from convergebench.analysis.round_trip.measurement_columns import (
    NOT_MEASURED,
    MeasuredPair,
    MeasurementColumns,
)
from convergebench.store import Workspace
from convergebench.types import Digest, Measurement

_NOTHING: Mapping[str, Measurement] = {}
_NO_ROWS: Mapping[Digest, int] = {}
_BLOCK = 512
"""Pairs that are read at a time: few enough for a processor's cache."""
_GATHERED = "gathered_pairs"
_MISSING = "SELECT reference, picture, metric, version, missing FROM measurements WHERE value IS NULL"


class PairValues(Mapping[tuple[Digest, Digest], MeasuredPair]):
    """By reference and picture, then by metric name."""

    def __init__(self, columns: MeasurementColumns, rows: Mapping[Digest, Mapping[Digest, int]]) -> None:
        self.columns = columns
        self._rows = rows

    def __getitem__(self, pair: tuple[Digest, Digest]) -> MeasuredPair:
        reference, picture = pair
        return MeasuredPair(self.columns, self._rows[reference][picture])

    def of(self, reference: Digest, picture: Digest) -> Mapping[str, Measurement]:
        """Empty if nothing was measured, or only by older versions."""
        row = self._rows.get(reference, _NO_ROWS).get(picture)
        return _NOTHING if row is None else MeasuredPair(self.columns, row)

    def rows(self, references: Sequence[Digest | None], pictures: Sequence[Digest | None]) -> list[int]:
        """The row of each pair in the columns; that of an empty one without a reference or a picture."""
        by_reference: Any = self._rows  # which has no pair with None
        if references and references.count(references[0]) == len(references):
            row_of = by_reference.get(references[0], _NO_ROWS).get
            return [row_of(picture, NOT_MEASURED) for picture in pictures]
        return [
            by_reference[reference].get(picture, NOT_MEASURED) if reference in by_reference else NOT_MEASURED
            for reference, picture in zip(references, pictures, strict=True)
        ]

    def of_each(
        self, references: Sequence[Digest | None], pictures: Sequence[Digest | None]
    ) -> list[Mapping[str, Measurement]]:
        """The measurements of each pair; empty for one without a reference or a picture."""
        return [
            _NOTHING if row == NOT_MEASURED else MeasuredPair(self.columns, row)
            for row in self.rows(references, pictures)
        ]

    def __iter__(self) -> Iterator[tuple[Digest, Digest]]:
        return ((reference, picture) for reference, rows in self._rows.items() for picture in rows)

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))


def gather_pairs(workspace: Workspace, newest: Mapping[str, str]) -> str:
    """Keep what `read_pair_values` reads in a table of the workspace's connection; the query of that."""
    versions = _available(newest)
    if versions:
        workspace.keep(_GATHERED, _values_by_pair(versions))
    return f"SELECT * FROM {_GATHERED}"


def read_pair_values(
    workspace: Workspace, newest: Mapping[str, str], gathered: str | None = None
) -> PairValues:
    """Measurements by the newest versions of the available metrics, from the table if it was gathered."""
    versions = _available(newest)
    if not versions:
        return PairValues(MeasurementColumns(versions, {}), {})
    rows: defaultdict[Digest, dict[Digest, int]] = defaultdict(dict)
    columns = [array("d") for _ in versions]
    has_gaps = False
    cursor = workspace.each_row(gathered or _values_by_pair(versions))
    while block := list(itertools.islice(cursor, _BLOCK)):
        references, pictures, *values = zip(*block, strict=True)
        numbers_of_rows = range(len(columns[0]), len(columns[0]) + len(block))
        if references[0] == references[-1]:  # they are sorted
            rows[references[0]].update(zip(pictures, numbers_of_rows, strict=True))
        else:
            for reference, picture, row in zip(references, pictures, numbers_of_rows, strict=True):
                rows[reference][picture] = row
        for column, found in zip(columns, values, strict=True):
            numbers = np.array(found, np.float64)  # None becomes NaN
            column.frombytes(numbers.tobytes())
            has_gaps = has_gaps or bool(np.isnan(numbers).any())
    missing = _missing(workspace, versions, rows) if has_gaps else {}
    for column in columns:
        column.append(math.nan)
    measured = MeasurementColumns(versions, dict(zip(versions, columns, strict=True)), missing)
    return PairValues(measured, dict(rows))


def _available(newest: Mapping[str, str]) -> Mapping[str, str]:
    return {name: version for name, version in newest.items() if name in metrics.names()}


def _missing(
    workspace: Workspace, versions: Mapping[str, str], rows: Mapping[Digest, Mapping[Digest, int]]
) -> dict[tuple[str, int], str]:
    """By metric and row: why a measurement has no value."""
    return {
        (name, rows[reference][picture]): reason
        for reference, picture, name, version, reason in workspace.each_row(_MISSING)
        # Another process may have measured a pair since.
        if versions.get(name) == version and picture in rows.get(reference, _NO_ROWS)
    }


def _values_by_pair(versions: Mapping[str, str]) -> str:
    """One row for each pair, which is several times as fast to read as one for each measurement."""
    columns = ", ".join(
        f"max(value) FILTER (WHERE metric = {_quoted(name)} AND version = {_quoted(version)})"
        for name, version in versions.items()
    )
    return f"SELECT reference, picture, {columns} FROM measurements GROUP BY reference, picture"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
