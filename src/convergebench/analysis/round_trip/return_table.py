"""Returns as columns: most statistics over very many need a few numbers of each, and no object for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.measurement_columns import MeasuredRows, numbers, together
from convergebench.types import Measurement

if TYPE_CHECKING:
    from convergebench.analysis.round_trip.results import Return, Role


class TrajectoryFacts(Protocol):
    """What the returns of a trajectory have in common; a return has it too."""

    @property
    def model(self) -> str: ...
    @property
    def role(self) -> Role: ...
    @property
    def case(self) -> str: ...
    @property
    def picture(self) -> str: ...
    @property
    def pair(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def seed(self) -> int: ...


class ReturnTable(Sequence["Return"]):
    """Returns with their columns; the objects of a trajectory are made when the first of them is used."""

    def __init__(
        self,
        trajectories: Sequence[TrajectoryFacts],
        trajectory: NDArray[np.intp],
        number: NDArray[np.intp],
        round: NDArray[np.intp],
        is_imported: NDArray[np.bool_],
        values: Sequence[Mapping[str, Measurement]],
        make: Callable[[int], Sequence[Return]],
        *,
        has_forwards: bool = True,
    ) -> None:
        """`trajectory` has the place of each return's trajectory, and `number` its own place in that, where
        `make` has the object. Without `has_forwards`, no forward edit was measured."""
        self.trajectories = trajectories
        self.trajectory = trajectory
        self._number = number
        self.round = round
        self.is_imported = is_imported
        self.values = values
        self.has_forwards = has_forwards
        self._make = make

    @classmethod
    def of(cls, returns: Sequence[Return]) -> ReturnTable:
        """The columns of returns that are objects already."""
        if isinstance(returns, ReturnTable):
            return returns
        return cls(
            returns,
            np.arange(len(returns)),
            np.zeros(len(returns), np.intp),
            np.array([item.round for item in returns], np.intp),
            np.array([item.imported for item in returns], np.bool_),
            together([item.values for item in returns]),
            lambda place: returns[place : place + 1],
        )

    def at(self, places: NDArray[np.intp]) -> ReturnTable:
        """Some of the returns."""
        values = self.values
        return ReturnTable(
            self.trajectories,
            self.trajectory[places],
            self._number[places],
            self.round[places],
            self.is_imported[places],
            values.at(places) if isinstance(values, MeasuredRows) else [values[place] for place in places],
            self._make,
            has_forwards=self.has_forwards,
        )

    def numbers(self, metric: str) -> NDArray[np.float64]:
        """The metric's value of each return; NaN where it is missing or was not measured."""
        return numbers(self.values, metric)

    def has(self, metric: str) -> bool:
        """Whether the metric was tried on any return."""
        if isinstance(self.values, MeasuredRows):
            return self.values.has(metric)
        return any(metric in values for values in self.values)

    def facts(self) -> list[TrajectoryFacts]:
        """What each return has in common with the others of its trajectory."""
        return [self.trajectories[place] for place in self.trajectory.tolist()]

    def pictures(self) -> list[str]:
        """The source picture of each return."""
        return [one.picture for one in self.facts()]

    def case_seeds(self) -> list[tuple[str, int]]:
        """The case and seed of each return."""
        return [(one.case, one.seed) for one in self.facts()]

    def by_trajectory(self) -> Iterator[tuple[TrajectoryFacts, Sequence[int]]]:
        """Trajectories with the rounds of their returns, in order; one whose returns are apart comes more
        than once."""
        last = np.flatnonzero(np.diff(self.trajectory, append=-1))
        rounds, start = self.round.tolist(), 0
        for place, end in zip(self.trajectory[last].tolist(), (last + 1).tolist(), strict=True):
            yield self.trajectories[place], rounds[start:end]
            start = end

    @overload
    def __getitem__(self, place: int) -> Return: ...
    @overload
    def __getitem__(self, place: slice) -> ReturnTable: ...
    def __getitem__(self, place: int | slice) -> Return | ReturnTable:
        if isinstance(place, slice):
            return self.at(np.arange(len(self))[place])
        return self._make(int(self.trajectory[place]))[int(self._number[place])]

    def __iter__(self) -> Iterator[Return]:
        for trajectory, number in zip(self.trajectory.tolist(), self._number.tolist(), strict=True):
            yield self._make(trajectory)[number]

    def __len__(self) -> int:
        return len(self.trajectory)
