"""Measurements of many pairs of pictures, one column of numbers per metric.

A large workspace has millions of them; as objects they would take ten times the memory.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from convergebench.types import Measurement

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOT_IN_CHAIN = -1
"""The row of a pair that was not measured by region."""


@dataclass(eq=False)
class MeasurementColumns:
    """One row per pair of pictures; a value that is not a number is missing, or was not measured."""

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


def numbers(pairs: Sequence[Mapping[str, Measurement]], name: str) -> NDArray[np.float64]:
    """The value of a metric for each pair; NaN where it is missing or was not measured."""
    if not pairs or type(pairs[0]) is not MeasuredPair:
        return _one_by_one(pairs, name)
    columns = pairs[0]._columns
    together = [pair for pair in pairs if type(pair) is MeasuredPair and pair._columns is columns]
    if len(together) < len(pairs) or name not in columns.values:
        return _one_by_one(pairs, name)
    column = np.frombuffer(columns.values[name], np.float64)
    found = column[[pair._row for pair in together]]
    chain = np.array([pair._chain_row for pair in together])
    if (chain != NOT_IN_CHAIN).any():
        in_chain = column[chain]
        missing = [row for metric, row in columns.missing if metric == name]
        comes_first = (chain != NOT_IN_CHAIN) & (~np.isnan(in_chain) | np.isin(chain, missing))
        found = np.where(comes_first, in_chain, found)
    return found


def _one_by_one(pairs: Sequence[Mapping[str, Measurement]], name: str) -> NDArray[np.float64]:
    values = (pair[name].value if name in pair else None for pair in pairs)
    return np.array([math.nan if value is None else value for value in values], np.float64)
