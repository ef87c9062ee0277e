"""The measurements of every pair of pictures by each metric's newest version, read as columns."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping

from convergebench import metrics
from convergebench.analysis.round_trip.measurement_columns import MeasuredPair, MeasurementColumns
from convergebench.store import Workspace
from convergebench.types import Digest, Measurement

_BLOCK = array("d", [math.nan]) * 4096
"""By which columns grow."""
_NOTHING: Mapping[str, Measurement] = {}


class PairValues(Mapping[tuple[Digest, Digest], MeasuredPair]):
    """By reference and picture, then by metric name."""

    def __init__(self, columns: MeasurementColumns, rows: Mapping[tuple[Digest, Digest], int]) -> None:
        self._columns = columns
        self._rows = rows

    def __getitem__(self, pair: tuple[Digest, Digest]) -> MeasuredPair:
        return MeasuredPair(self._columns, self._rows[pair])

    def of(self, reference: Digest, picture: Digest) -> Mapping[str, Measurement]:
        """Empty if nothing was measured."""
        row = self._rows.get((reference, picture))
        return _NOTHING if row is None else MeasuredPair(self._columns, row)

    def __iter__(self) -> Iterator[tuple[Digest, Digest]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def read_pair_values(workspace: Workspace, newest: Mapping[str, str]) -> PairValues:
    """Measurements by the newest versions of the available metrics."""
    versions = {name: version for name, version in newest.items() if name in metrics.names()}
    values = {name: array("d") for name in versions}
    missing: dict[tuple[str, int], str] = {}
    rows: dict[tuple[Digest, Digest], int] = {}
    row, reference, picture = -1, "", ""
    for its_reference, its_picture, name, version, value, reason in workspace.each_row(
        "SELECT reference, picture, metric, version, value, missing FROM measurements"
        " ORDER BY reference, picture"
    ):
        if versions.get(name) != version:
            continue
        if its_picture != picture or its_reference != reference:
            if its_reference != reference:
                reference = its_reference  # one object for all pictures that are compared with it
            row, picture = row + 1, its_picture
            rows[reference, picture] = row
            if row % len(_BLOCK) == 0:
                for column in values.values():
                    column.extend(_BLOCK)
        if value is None:
            missing[name, row] = reason
        else:
            values[name][row] = value
    return PairValues(MeasurementColumns(versions, values, missing), rows)
