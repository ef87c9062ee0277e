"""Results at the rounds that are reported everywhere: 1, 2, 3, 5, 10, 15 and 20, as far as there are any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.analysis.round_trip.degradation_curves import CurvePoint, degradation_curves
from convergebench.analysis.round_trip.results import Results, Role
from convergebench.types import MetricFacts

HEADLINE_ROUNDS = (1, 2, 3, 5, 10, 15, 20)


@dataclass(frozen=True)
class HeadlineRounds:
    """A metric at the marks, for every model; a mark that no trajectory was planned for is left out."""

    metric: MetricFacts
    rounds: tuple[int, ...]
    points: Mapping[str, tuple[CurvePoint, ...]]
    """By model, one for each of the rounds."""
    roles: Mapping[str, Role]


def headline_rounds(results: Results, metric: str) -> HeadlineRounds:
    """The metric's mean with its interval and n at each mark."""
    rounds = tuple(mark for mark in HEADLINE_ROUNDS if mark <= results.rounds)
    curves = degradation_curves(results, metric)
    return HeadlineRounds(
        metric=results.facts(metric),
        rounds=rounds,
        points={curve.model: tuple(curve.points[mark - 1] for mark in rounds) for curve in curves},
        roles={curve.model: curve.role for curve in curves},
    )
