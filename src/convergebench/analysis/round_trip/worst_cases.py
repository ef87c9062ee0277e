"""The trajectories that lose most, worst first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from convergebench.analysis.round_trip.half_life import THRESHOLD, fall_times
from convergebench.analysis.round_trip.missing_values import readings
from convergebench.analysis.round_trip.preserved_scale import has_scale, shortfall
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.analysis.round_trip.share_matrix import share_matrices
from convergebench.errors import WrongUse


@dataclass(frozen=True)
class WorstCase:
    """A return with its value, and the round in which its trajectory fell below the threshold."""

    returned: Return
    value: float
    fell_at: float | None
    """None if it did not fall."""


def worst_cases(
    results: Results,
    metric: str = "ssim",
    round: int | None = None,
    models: Sequence[str] = (),
    threshold: float = THRESHOLD,
    limit: int | None = None,
) -> tuple[WorstCase, ...]:
    """The returns of a round, by default the last, for all models except floors, or for the named models: all
    of them, or the worst."""
    facts = results.facts(metric)
    number = results.round_or_last(round)
    unknown = [model for model in models if model not in results.roles()]
    if unknown:
        raise WrongUse(f"there is no model {unknown[0]} here; choose from: {', '.join(results.roles())}")
    fallen = _fallen(results, metric, threshold)
    returns = results.table.at(np.flatnonzero(results.table.round == number))
    values = readings(returns, facts).tolist()
    wanted = [one.model in models if models else one.role != "floor" for one in returns.facts()]
    places = [place for place, value in enumerate(values) if wanted[place] and not math.isnan(value)]
    places.sort(key=lambda place: -shortfall(values[place], facts))
    worst = [(returns[place], values[place]) for place in places[:limit]]
    return tuple(
        WorstCase(item, value, fallen.get((item.model, item.case, item.seed))) for item, value in worst
    )


def _fallen(results: Results, metric: str, threshold: float) -> dict[tuple[str, str, int], float]:
    fallen: dict[tuple[str, str, int], float] = {}
    if not has_scale(results.facts(metric)):
        return fallen
    for model, of_model in share_matrices(results, metric).items():
        times, fell = fall_times(of_model.bridged, threshold)
        for row in np.flatnonzero(fell):
            fallen[model, *of_model.keys[row]] = float(times[row])
    return fallen
