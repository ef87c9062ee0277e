"""What models are ranked by, at each round and in each part of the suite: the score, or a metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from convergebench.analysis.headline.chain_rounds import Chain
from convergebench.analysis.headline.headline import SCORE, Headline
from convergebench.analysis.round_trip.breakdown import Breakdown, Part, breakdown, group_of
from convergebench.analysis.round_trip.degradation_curves import Curve, CurvePoint
from convergebench.analysis.round_trip.headline_rounds import HeadlineRounds, headline_rounds
from convergebench.analysis.round_trip.metric_summary import MetricSummary
from convergebench.analysis.round_trip.missing_values import planned_trajectories
from convergebench.analysis.round_trip.ranking import Ranking
from convergebench.analysis.round_trip.reported_rounds import reported_rounds
from convergebench.analysis.round_trip.results import FailedStep, Results, Return, Role
from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean


def ranking_by_round(results: Results, ranked: Ranking) -> HeadlineRounds:
    if ranked.headline is None:
        return headline_rounds(results, ranked.metric.name)
    return score_by_round(results, ranked.headline)


def ranking_by_part(results: Results, ranked: Ranking, by: Part) -> Breakdown:
    if ranked.headline is None:
        return breakdown(results, by, ranked.metric.name, ranked.round)
    return score_by_part(results, ranked.headline, by)


def score_by_round(results: Results, found: Headline) -> HeadlineRounds:
    """At the rounds that every report shows; the mean of all rounds is the score."""
    roles, rounds = results.roles(), reported_rounds(results.rounds)
    curves = _curves(results, found, roles, rounds)
    return HeadlineRounds(SCORE, rounds, {curve.model: curve.points for curve in curves}, roles)


def score_curves(results: Results, found: Headline) -> tuple[Curve, ...]:
    """At every round. Probes and floors, which do not edit, are left out."""
    roles = results.roles()
    ranked = {row.model: row.role for row in found.rows if row.model in roles}
    return _curves(results, found, ranked, range(1, results.rounds + 1))


def score_by_part(results: Results, found: Headline, by: Part) -> Breakdown:
    """Over the chains of the score and all their rounds."""
    steps = _steps(results)
    group = {item.case: group_of(item, by) for item in steps}
    begun = {(item.model, item.case, item.seed) for item in steps}
    expected = Counter((model, group[case]) for model, case, _ in begun)
    return Breakdown(
        by,
        SCORE,
        None,
        tuple(sorted(set(group.values()))),
        {
            model: {
                part: _summary(
                    [one for one in found.scored[model] if group[one.case] == part], expected[model, part]
                )
                for part in sorted({part for one, part in expected if one == model})
            }
            for model in results.roles()
        },
    )


def _steps(results: Results) -> tuple[Return | FailedStep, ...]:
    return (*results.returns, *results.troubles)


def _curves(
    results: Results, found: Headline, roles: Mapping[str, Role], rounds: Sequence[int]
) -> tuple[Curve, ...]:
    """Over the chains of the score that are in the results."""
    planned, cases = planned_trajectories(results), {item.case for item in _steps(results)}
    chains = {model: [one for one in found.scored[model] if one.case in cases] for model in roles}
    return tuple(
        Curve(model, role, tuple(_point(number, chains[model], planned[model]) for number in rounds))
        for model, role in roles.items()
    )


def _point(number: int, chains: Sequence[Chain], planned: int) -> CurvePoint:
    mean = _mean([(one.picture, one.quality_at(number)) for one in chains])
    return CurvePoint(
        round=number,
        mean=mean.mean if mean else None,
        low=mean.low if mean else None,
        high=mean.high if mean else None,
        n=len(chains),
        missing=planned - len(chains),
        perfect=0,
    )


def _summary(chains: Sequence[Chain], expected: int) -> MetricSummary:
    mean = _mean([(one.picture, one.score) for one in chains])
    return MetricSummary(
        finite=mean,
        perfect=0,
        missing=expected - len(chains),
        mean=mean.mean if mean else None,
        reason=None if mean else "no chain counts in the score",
    )


def _mean(values: Iterable[tuple[str, float | None]]) -> Interval | None:
    """Of values from 0 to 1 by picture, as points."""
    known = [(picture, 100 * value) for picture, value in values if value is not None]
    if not known:
        return None
    pictures, points = zip(*known, strict=True)
    return clustered_mean(np.array(points), pictures, possible=(0.0, SCORE.perfect))
