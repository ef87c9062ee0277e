"""Measurements of many pairs of pictures, one column of numbers per metric.

A large workspace has millions of them; as objects they would take ten times the memory.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from convergebench.types import Measurement

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOT_MEASURED = NOT_IN_CHAIN = -1
"""The row of a pair that was not measured, or not by region: the last one, which is empty."""


@dataclass(eq=False)
class MeasurementColumns:
    """One row per pair of pictures, and an empty one at the end; a value that is not a number is missing, or
    was not measured."""

    versions: Mapping[str, str]
    """By metric name, in the order of the columns."""
    values: dict[str, array[float]]
    missing: dict[tuple[str, int], str] = field(default_factory=dict)
    """By metric and row: the reason why a measurement has no value."""

    def has(self, name: str, row: int) -> bool:
        """Whether it was measured, with or without a value."""
        return not math.isnan(self.values[name][row]) or (name, row) in self.missing

    def get(self, name: str, row: int) -> Measurement | None:
        """None if it was not measured."""
        value = self.values[name][row]
        if not math.isnan(value):
            return Measurement(name, self.versions[name], value)
        reason = self.missing.get((name, row))
        return None if reason is None else Measurement(name, self.versions[name], None, reason)


class MeasuredPair(Mapping[str, Measurement]):
    """The measurements of one pair by metric name, and those by region of its place in a chain."""

    __slots__ = ("_chain_row", "_columns", "_row")

    def __init__(self, columns: MeasurementColumns, row: int, chain_row: int = NOT_IN_CHAIN) -> None:
        self._columns = columns
        self._row = row
        self._chain_row = chain_row

    def in_chain(self, other: MeasuredPair) -> MeasuredPair:
        """The same with the other's measurements, which come first where both have one."""
        return MeasuredPair(self._columns, self._row, other._row)

    def number(self, name: str) -> float | None:
        """The value of a metric; None if it is missing or was not measured."""
        column = self._columns.values.get(name)
        if column is None:
            return None
        value = column[self._row]
        if self._chain_row != NOT_IN_CHAIN:
            if not math.isnan(column[self._chain_row]):
                value = column[self._chain_row]
            elif (name, self._chain_row) in self._columns.missing:
                return None
        return None if math.isnan(value) else value

    def numbers(self) -> dict[str, float]:
        """The values of all metrics that have one."""
        found = ((name, self.number(name)) for name in self._columns.versions)
        return {name: value for name, value in found if value is not None}

    def __getitem__(self, name: str) -> Measurement:
        if name in self._columns.values:
            if self._chain_row != NOT_IN_CHAIN:
                found = self._columns.get(name, self._chain_row)
                if found is not None:
                    return found
            found = self._columns.get(name, self._row)
            if found is not None:
                return found
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        columns = self._columns
        return (isinstance(name, str) and name in columns.values) and (
            columns.has(name, self._row)
            or (self._chain_row != NOT_IN_CHAIN and columns.has(name, self._chain_row))
        )

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._columns.versions if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return any(name in self for name in self._columns.versions)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, eq=False)
class MeasuredRows(Sequence[Mapping[str, Measurement]]):
    """The measurements of many pairs, by their rows."""

    columns: MeasurementColumns
    row: NDArray[np.intp]
    chain_row: NDArray[np.intp]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The value of a metric for each pair; NaN where it is missing or was not measured."""
        if name not in self.columns.values:
            return np.full(len(self), math.nan)
        column = np.frombuffer(self.columns.values[name], np.float64)
        found, in_chain = column[self.row], column[self.chain_row]
        comes_first = ~np.isnan(in_chain)
        if missing := self._missing(name):
            comes_first |= np.isin(self.chain_row, missing)
        return np.where(comes_first, in_chain, found)

    def has(self, name: str) -> bool:
        """Whether the metric was tried on any pair."""
        if name not in self.columns.values:
            return False
        if not np.isnan(self.numbers(name)).all():
            return True
        missing = self._missing(name)
        return bool(np.isin(self.row, missing).any() or np.isin(self.chain_row, missing).any())

    def _missing(self, name: str) -> list[int]:
        return [row for metric, row in self.columns.missing if metric == name]

    def at(self, places: NDArray[np.intp]) -> MeasuredRows:
        return MeasuredRows(self.columns, self.row[places], self.chain_row[places])

    @overload
    def __getitem__(self, place: int) -> MeasuredPair: ...
    @overload
    def __getitem__(self, place: slice) -> MeasuredRows: ...
    def __getitem__(self, place: int | slice) -> MeasuredPair | MeasuredRows:
        if isinstance(place, slice):
            return MeasuredRows(self.columns, self.row[place], self.chain_row[place])
        return MeasuredPair(self.columns, int(self.row[place]), int(self.chain_row[place]))

    def __len__(self) -> int:
        return len(self.row)


def numbers(pairs: Sequence[Mapping[str, Measurement]], name: str) -> NDArray[np.float64]:
    """The value of a metric for each pair; NaN where it is missing or was not measured."""
    if isinstance(pairs, MeasuredRows):
        return pairs.numbers(name)
    values = (pair[name].value if name in pair else None for pair in pairs)
    return np.array([math.nan if value is None else value for value in values], np.float64)


def together(pairs: Sequence[Mapping[str, Measurement]]) -> Sequence[Mapping[str, Measurement]]:
    """The same as rows, if all are rows of the same columns."""
    if not pairs or type(pairs[0]) is not MeasuredPair:
        return pairs
    columns = pairs[0]._columns
    rows = [pair for pair in pairs if type(pair) is MeasuredPair and pair._columns is columns]
    if len(rows) < len(pairs):
        return pairs
    return MeasuredRows(
        columns, np.array([pair._row for pair in rows]), np.array([pair._chain_row for pair in rows])
    )
