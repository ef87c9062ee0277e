"""Contraction: whether the returns approach each other, and so a picture that editing leaves unchanged.

Banach: a map that brings any two pictures closer by a factor q < 1 has one fixed point, and repeating it
ends there. A chain shows the factor as d(n+1) / d(n), where d(n) is the distance of return n from the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.preserved_scale import preserved
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.analysis.round_trip.share_matrix import cluster_index
from convergebench.analysis.statistics.cluster_bootstrap import RESAMPLES, bootstrap_ratios, cluster_sums
from convergebench.analysis.statistics.clustered_mean import expanded_tail
from convergebench.analysis.statistics.confidence import CONFIDENCE
from convergebench.types import Measurement, MetricFacts

Verdict: TypeAlias = Literal["settling", "drifting", "diverging", "cannot tell"]


@dataclass(frozen=True)
class Contraction:
    """A model's constant with its interval, clustered by source picture, and where it will settle."""

    verdict: Verdict
    constant: float | None
    low: float | None
    high: float | None
    fixed_point_distance: float | None
    """Upper bound of its distance from the source, 0 to 1, if the trend continues; None unless it is
    settling. Chains whose last return was not compared with the source are left out."""
    n: int
    """Number of ratios used."""
    clusters: int
    reason: str | None = None
    """The reason why it is unknown."""


@dataclass(frozen=True)
class _Path:
    """One trajectory's distances: from return to return, and from the source to the last return."""

    picture: str
    moves: NDArray[np.float64]
    away: float | None


def contraction(
    results: Results, model: str, metric: str = "ssim", resamples: int = RESAMPLES
) -> Contraction:
    """The ratio of successive distances of all trajectories of the model, first moves excepted.

    The ratio is of sums, Σ d(n+1) / Σ d(n): a chain that has come to rest has distances of exactly zero, for
    which a mean of ratios is undefined.
    """
    facts = results.facts(metric)
    paths = [path for rows in _trajectories(results, model) if (path := _path(rows, facts)) is not None]
    if not paths:
        return Contraction(
            "cannot tell", None, None, None, None, 0, 0, f"no two moves were measured with {metric}"
        )
    clusters = cluster_index([path.picture for path in paths])
    after = cluster_sums(np.array([path.moves[1:].sum() for path in paths]), clusters)
    before = cluster_sums(np.array([path.moves[:-1].sum() for path in paths]), clusters)
    count, n = len(after), sum(len(path.moves) - 1 for path in paths)
    is_at_rest = not before.any()
    if is_at_rest and after.any():
        reason = "nothing moved before the last round, so that there is no ratio"
        return Contraction("cannot tell", None, None, None, None, n, count, reason)
    constant = 0.0 if is_at_rest else float(after.sum() / before.sum())
    if count < 2:
        one = "one source picture gives no interval"
        return Contraction("cannot tell", constant, None, None, None, n, count, one)
    if is_at_rest:
        return Contraction("settling", 0.0, 0.0, 0.0, _settled(paths, 0.0), n, count)
    low, high = _interval(after, before, resamples)
    verdict: Verdict = "settling" if high < 1 else "diverging" if low > 1 else "drifting"
    distance = _settled(paths, constant) if verdict == "settling" else None
    return Contraction(verdict, constant, low, high, distance, n, count)


def _interval(above: NDArray[np.float64], below: NDArray[np.float64], resamples: int) -> tuple[float, float]:
    ratios = bootstrap_ratios(above, below, resamples)
    tail = expanded_tail(CONFIDENCE, len(above))
    low, high = np.quantile(ratios[np.isfinite(ratios)], [tail, 1 - tail])
    return float(low), float(high)


def _settled(paths: Sequence[_Path], constant: float) -> float | None:
    """Upper bound of the distance of the fixed point from the source: the distance so far, plus the remaining
    distance.

    The remaining distance after a last move d is at most d·q + d·q² + … = d·q / (1 − q).
    """
    ends = [(path.away, path.moves[-1]) for path in paths if path.away is not None]
    if not ends:
        return None
    away, last = np.array(ends).T
    return float(np.minimum(away + last * constant / (1 - constant), 1.0).mean())


def _trajectories(results: Results, model: str) -> list[list[Return]]:
    rows: dict[tuple[str, int], list[Return]] = {}
    for item in sorted(results.returns_by_model.get(model, ()), key=lambda item: item.round):
        rows.setdefault((item.case, item.seed), []).append(item)
    return list(rows.values())


def _path(rows: Sequence[Return], facts: MetricFacts) -> _Path | None:
    """The moves after the first return, as far as measured without a gap; None for fewer than two."""
    moves: list[float] = []
    away: float | None = None
    for item in rows[1:]:
        distance = _distance(item.moved.get(facts.name), facts)
        if distance is None or item.round != rows[0].round + len(moves) + 1:
            break
        moves.append(distance)
        away = _distance(item.values.get(facts.name), facts)
    return _Path(rows[0].picture, np.array(moves), away) if len(moves) > 1 else None


def _distance(measured: Measurement | None, facts: MetricFacts) -> float | None:
    if measured is None or measured.value is None:
        return None
    return 1 - float(preserved(np.array([measured.value]), facts)[0])
