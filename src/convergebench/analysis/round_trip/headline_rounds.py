"""Results at the rounds that every report shows: 1, 2, 3, 5, 10, 15 and 20, as far as they exist, and the
last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.analysis.round_trip.degradation_curves import CurvePoint, degradation_curves
from convergebench.analysis.round_trip.reported_rounds import reported_rounds
from convergebench.analysis.round_trip.results import Results, Role
from convergebench.types import MetricFacts


@dataclass(frozen=True)
class HeadlineRounds:
    """A metric at the headline rounds, for every model. Rounds for which no trajectory was planned are
    omitted."""

    metric: MetricFacts
    rounds: tuple[int, ...]
    points: Mapping[str, tuple[CurvePoint, ...]]
    """By model, one value per round."""
    roles: Mapping[str, Role]


def headline_rounds(results: Results, metric: str) -> HeadlineRounds:
    """The metric's mean at each headline round, with its interval and n."""
    rounds = reported_rounds(results.rounds)
    curves = degradation_curves(results, metric, rounds)
    return HeadlineRounds(
        metric=results.facts(metric),
        rounds=rounds,
        points={curve.model: curve.points for curve in curves},
        roles={curve.model: curve.role for curve in curves},
    )
