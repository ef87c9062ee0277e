"""Degradation curves: a metric over the rounds, one curve per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.analysis.round_trip.metric_summary import MetricSummary, not_sampled, summarise
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
    grouped = results.returns_by_round()
    rounds = range(1, results.rounds + 1) if rounds is None else rounds

    def point(model: str, number: int) -> CurvePoint:
        if not results.is_measured_at(facts, model, number):
            return _point(number, not_sampled(expected[model]))
        return _point(number, summarise(grouped.get((model, number), []), facts, expected[model]))

    return tuple(
        Curve(model, role, tuple(point(model, number) for number in rounds))
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
