"""The columns of the returns of many trajectories, read one trajectory at a time."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from convergebench.analysis.round_trip.measurement_columns import NOT_IN_CHAIN, NOT_MEASURED, MeasuredRows
from convergebench.analysis.round_trip.results import Role
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.protocols import RETURN_ROLES, is_forward
from convergebench.results.chain_returns import ChainReader
from convergebench.results.chain_steps import ChainSteps
from convergebench.results.pair_values import PairValues
from convergebench.results.trajectories import TrajectoryRecord


class ReturnedTrajectory(NamedTuple):
    """What the columns need to know of a trajectory."""

    model: str
    role: Role
    case: str
    picture: str
    pair: str
    kind: str
    category: str
    seed: int

    @classmethod
    def of(cls, one: TrajectoryRecord) -> ReturnedTrajectory:
        case = one.case
        return cls(
            one.model, one.editor.role, case.id, case.picture, case.pair, case.kind, case.category, one.seed
        )


class ReturnColumns:
    """Collects returns that were compared with the source as a whole, not by region: then a million
    measurements can be very many returns."""

    def __init__(self, reader: ChainReader) -> None:
        self._reader = reader
        self._chains: list[tuple[TrajectoryRecord, ChainSteps]] = []
        self._counts = array("q")
        self._round = array("q")
        self._is_imported = array("b")

    def add(self, trajectory: TrajectoryRecord, chain: ChainSteps) -> None:
        places = _returned(chain)
        self._chains.append((trajectory, chain))
        self._counts.append(len(places))
        self._round.extend([chain.rounds[place] for place in places])
        self._is_imported.extend([chain.runs[place] in self._reader.imports for place in places])

    def table(self, values: PairValues) -> ReturnTable:
        """The returns of all trajectories so far, with these measurements."""
        rows = array("q")
        for _, chain in self._chains:
            pictures = [chain.pictures[place] for place in _returned(chain)]
            rows.extend(values.rows([chain.inputs[0][0]] * len(pictures), pictures))
        row = np.array(rows, np.intp)
        return ReturnTable(
            [ReturnedTrajectory.of(one) for one, _ in self._chains],
            np.repeat(np.arange(len(self._chains)), self._counts),
            np.arange(len(row)) - np.repeat(np.cumsum(self._counts) - self._counts, self._counts),
            np.array(self._round, np.intp),
            np.array(self._is_imported, np.bool_),
            MeasuredRows(values.columns, row, np.full(len(row), NOT_IN_CHAIN)),
            cache(lambda place: self._reader.returns(*self._chains[place])[0]),
            has_forwards=bool(self._reader.pairs.clip_directions.values)
            or any(_measured_forwards(chain, values) for _, chain in self._chains),
        )


def _returned(chain: ChainSteps) -> Sequence[int]:
    """The places of the returns that have a picture."""
    places = _return_places(tuple(chain.roles))
    if None in chain.pictures:
        return [place for place in places if chain.pictures[place] is not None]
    return places


def _measured_forwards(chain: ChainSteps, values: PairValues) -> bool:
    places = _forward_places(tuple(chain.roles))
    inputs = list(chain.inputs)
    given = [inputs[place][0] for place in places]
    made = [chain.pictures[place] for place in places]
    rows = values.rows(given, made)
    # A picture against itself is not measured, and known all the same.
    return rows.count(NOT_MEASURED) < len(rows) or any(map(operator.eq, given, made))


@lru_cache
def _return_places(roles: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(place for place, role in enumerate(roles) if role in RETURN_ROLES)


@lru_cache
def _forward_places(roles: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(place for place, role in enumerate(roles) if is_forward(role))
