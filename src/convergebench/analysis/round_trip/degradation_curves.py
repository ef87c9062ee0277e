"""Degradation curves: a metric over the rounds, one curve per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.analysis.round_trip.metric_summary import MetricSummary, summarise_round
from convergebench.analysis.round_trip.missing_values import planned_trajectories
from convergebench.analysis.round_trip.results import Results, Role


@dataclass(frozen=True)
class CurvePoint:
    """The mean at one round over `n` values; `perfect` of them are infinite and not in the mean."""

    round: int
    mean: float | None
    low: float | None
    high: float | None
    n: int
    missing: int
    perfect: int


@dataclass(frozen=True)
class Curve:
    model: str
    role: Role
    points: tuple[CurvePoint, ...]


def degradation_curves(
    results: Results, metric: str, rounds: Sequence[int] | None = None
) -> tuple[Curve, ...]:
    """One curve per model, in the order of the results, with a point for every round, or for those named."""
    facts = results.facts(metric)
    expected = planned_trajectories(results)
    rounds = range(1, results.rounds + 1) if rounds is None else rounds
    return tuple(
        Curve(
            model,
            role,
            tuple(_point(r, summarise_round(results, model, r, facts, expected[model])) for r in rounds),
        )
        for model, role in results.roles().items()
    )


def _point(number: int, summary: MetricSummary) -> CurvePoint:
    return CurvePoint(
        round=number,
        mean=summary.mean,
        low=summary.low,
        high=summary.high,
        n=summary.n,
        missing=summary.missing,
        perfect=summary.perfect,
    )
