"""Missing values with reasons: returns that were never created and values that could not be measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from convergebench.analysis.round_trip.measurement_columns import MeasuredPair
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.types import FailureKind, Measurement, MetricFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

MissingKind: TypeAlias = FailureKind | Literal["not_run", "not_measured"]
RETURN = "return"
"""The name of the missing item if the picture itself is missing; otherwise it is the metric's name."""

NOT_SAMPLED = "measured only at reported rounds, where it applies, unless it is requested"
_NOT_YET = "the run has not come this far"
_Trajectory: TypeAlias = tuple[str, str, int]
"""Model, case and seed."""


@dataclass(frozen=True)
class MissingValue:
    """A return or a value that should exist and does not."""

    model: str
    case: str
    """Empty for trajectories without any step, of which only the number is known."""
    seed: int | None
    round: int
    what: str
    kind: MissingKind
    reason: str
    failed_at: str = ""
    """The step that ended the trajectory, if there is one."""
    count: int = 1


def missing_values(results: Results, round: int | None = None) -> tuple[MissingValue, ...]:
    """Every missing return, and every missing value of the existing returns; of all rounds or of one."""
    rounds = range(1, results.rounds + 1) if round is None else range(round, round + 1)
    return (*absent_returns(results, rounds), *_missing_values(results, rounds))


def absent_returns(results: Results, rounds: range) -> tuple[MissingValue, ...]:
    """Every missing return of these rounds."""
    return (*_missing_returns(results, rounds), *_unstarted(results, rounds))


def planned_trajectories(results: Results) -> dict[str, int]:
    """The number of trajectories of each model, started or not; includes models without any."""
    begun = Counter(model for model, _, _ in results.returned_rounds)
    planned = {use.model: use.trajectories for use in results.uses}
    return {model: max(begun[model], planned.get(model, 0)) for model in (*planned, *begun)}


def reading(returned: Return, metric: MetricFacts) -> float | str:
    """The metric's value for a return, or the reason why it has none."""
    return value_or_reason(returned.values, metric)


def value_or_reason(values: Mapping[str, Measurement], metric: MetricFacts) -> float | str:
    """The same from the measurements of a return."""
    if type(values) is MeasuredPair:  # there can be millions
        value = values.number(metric.name)
        if value is not None and (math.isfinite(value) or value == metric.perfect):
            return value
    measurement = values.get(metric.name)
    if measurement is None:
        return NOT_SAMPLED if metric.is_sampled else "not measured yet"
    if measurement.value is None:
        return measurement.missing or "no reason was recorded"
    if math.isfinite(measurement.value) or measurement.value == metric.perfect:
        return measurement.value
    return f"the metric gave {measurement.value}"


def readings(returned: Sequence[Return], metric: MetricFacts) -> NDArray[np.float64]:
    """`reading` of each return, NaN for reasons; for very many returns."""
    found = ReturnTable.of(returned).numbers(metric.name)
    return np.where(np.isfinite(found) | (found == metric.perfect), found, math.nan)


def _missing_returns(results: Results, rounds: range) -> Iterator[MissingValue]:
    troubles: dict[_Trajectory, list[FailedStep]] = {}
    for trouble in sorted(results.troubles, key=lambda t: t.round):
        troubles.setdefault((trouble.model, trouble.case, trouble.seed), []).append(trouble)
    from_elsewhere = results.table.at(np.flatnonzero(results.table.is_imported))
    imported = {(one.model, one.case, one.seed) for one, _ in from_elsewhere.by_trajectory()}
    for trajectory, returned in results.returned_rounds.items():
        unknown = "what was imported does not have it" if trajectory in imported else _NOT_YET
        for number in rounds:
            if number not in returned:
                before = [t for t in troubles.get(trajectory, ()) if t.round <= number]
                yield _missing_return(trajectory, number, before[-1] if before else None, unknown)


def _missing_return(
    trajectory: _Trajectory, number: int, cause: FailedStep | None, unknown: str
) -> MissingValue:
    model, case, seed = trajectory
    if cause is None:
        return MissingValue(model, case, seed, number, RETURN, "not_run", unknown)
    step = f"{cause.role} edit of round {cause.round}"
    return MissingValue(
        model, case, seed, number, RETURN, cause.kind_of_failure, cause.reason, failed_at=step
    )


def _unstarted(results: Results, rounds: range) -> Iterator[MissingValue]:
    begun = Counter(model for model, _, _ in results.returned_rounds)
    for model, planned in planned_trajectories(results).items():
        absent = planned - begun[model]
        for number in rounds if absent else ():
            yield MissingValue(
                model, "", None, number, RETURN, "not_run", "the run has not begun these", count=absent
            )


def _missing_values(results: Results, rounds: range) -> Iterator[MissingValue]:
    returns = results.table.at(np.flatnonzero(np.isin(results.table.round, rounds)))
    absent = np.array([np.isnan(readings(returns, metric)) for metric in results.metrics], bool)
    for place in np.flatnonzero(absent.any(axis=0)).tolist() if len(absent) else ():
        one, values = returns.trajectories[returns.trajectory[place]], returns.values[place]
        for metric in results.metrics:
            value = value_or_reason(values, metric)
            if isinstance(value, str) and not (
                metric.is_sampled and value in (NOT_SAMPLED, metric.inapplicable)
            ):
                number = int(returns.round[place])
                yield MissingValue(one.model, one.case, one.seed, number, metric.name, "not_measured", value)
