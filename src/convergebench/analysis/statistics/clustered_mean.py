"""Means of clustered values: edits of one source picture are not independent of each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.cluster_bootstrap import RESAMPLES, cluster_sums, shared_draws
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile

Scale: TypeAlias = tuple[float, float]
"""The least and the greatest possible value."""


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval, over `n` values in `clusters` clusters.

    A single cluster says nothing about other clusters, so its interval has no low and no high.
    """

    mean: float
    low: float | None
    high: float | None
    n: int
    clusters: int

    def within(self, possible: Scale) -> Interval:
        """Without what is impossible."""
        if self.low is None or self.high is None:
            return self
        least, most = min(possible[0], self.mean), max(possible[1], self.mean)
        return replace(self, low=max(self.low, least), high=min(self.high, most))


FEWEST_TO_RESAMPLE = 8
"""The mean of a resample never lies outside the range of the cluster means. With few clusters, even extreme
percentiles therefore cover too little: 50 % for two, 88 % for four, 95 % for eight."""
ROUNDING = 1e-9
"""Means of equal grades, such as 11/3, differ by less."""
UNBOUNDED: Scale = (-math.inf, math.inf)


def scale_of_differences(scale: Scale) -> Scale:
    """
    >>> scale_of_differences((1.0, 5.0))
    (-4.0, 4.0)
    """
    width = scale[1] - scale[0]
    return -width, width


def draw_ahead(counts: Iterable[int]) -> None:
    """Draw the resamples for means over these numbers of clusters before the values are known."""
    import numpy.ma  # noqa: F401, which np.quantile imports when it is first used

    for count in counts:
        if count >= FEWEST_TO_RESAMPLE:
            shared_draws(count, RESAMPLES, 0)


def clustered_mean(
    values: NDArray[np.float64],
    clusters: Sequence[str] | NDArray[Any],
    resamples: int = RESAMPLES,
    level: float = CONFIDENCE,
    seed: int = 0,
    possible: Scale = UNBOUNDED,
) -> Interval:
    """The mean and its interval: expanded percentiles over resamples of whole clusters, or Student's interval
    for few clusters.

    Values must be finite, and there must be at least one. The same seed gives the same interval on every
    machine. The interval stays within `possible`.
    """
    sums, sizes = _cluster_totals(values, clusters)
    mean, count = float(sums.sum() / sizes.sum()), len(sums)
    if count == 1:
        return Interval(mean, None, None, n=len(values), clusters=1)
    if count < FEWEST_TO_RESAMPLE:
        low, high = _student_interval(values, clusters, count, level)
    else:
        draws = shared_draws(count, resamples, seed)
        tail = expanded_tail(level, count)
        low, high = np.quantile((draws @ sums) / (draws @ sizes), [tail, 1 - tail])
    least, most = min(possible[0], values.min()), max(possible[1], values.max())
    return Interval(mean, max(float(low), least), min(float(high), most), n=len(values), clusters=count)


def mean_of_grades(
    values: NDArray[np.float64], clusters: Sequence[str] | NDArray[Any], possible: Scale = UNBOUNDED
) -> Interval:
    """The mean of what judges said, or of differences of it. Grades are coarse and often all equal, which
    does not tell how others would spread: then there is no interval.

    >>> mean_of_grades(np.array([3.0, 3.0, 3.0]), ["a", "b", "c"])
    Interval(mean=3.0, low=None, high=None, n=3, clusters=3)
    """
    found = clustered_mean(values, clusters, possible=possible)
    return replace(found, low=None, high=None) if np.ptp(values) < ROUNDING else found


def _student_interval(
    values: NDArray[np.float64], clusters: Sequence[str] | NDArray[Any], count: int, level: float
) -> tuple[float, float]:
    error = clustered_standard_error(values, clusters)
    assert error is not None
    reach = student_quantile((1 + level) / 2, count - 1) * error
    return float(values.mean() - reach), float(values.mean() + reach)


def clustered_standard_error(
    values: NDArray[np.float64], clusters: Sequence[str] | NDArray[Any]
) -> float | None:
    """The standard error of the mean with the C/(C−1) correction; None for one cluster."""
    residuals, _ = _cluster_totals(values - values.mean(), clusters)
    count = len(residuals)
    if count == 1:
        return None
    return math.sqrt(count / (count - 1) * float((residuals**2).sum())) / len(values)


def _cluster_totals(
    values: NDArray[np.float64], clusters: Sequence[str] | NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not len(values) or not np.isfinite(values).all():
        raise ValueError("a mean needs at least one value, and finite ones only")
    index = _index(clusters)
    return cluster_sums(values, index), np.bincount(index).astype(np.float64)


def _index(clusters: Sequence[str] | NDArray[Any]) -> NDArray[np.intp]:
    """The number of each value's cluster, in alphabetical order; many times as fast as making an array of
    texts."""
    numbers = {name: number for number, name in enumerate(sorted(set(clusters)))}
    return np.fromiter((numbers[name] for name in clusters), np.intp, len(clusters))


def expanded_tail(level: float, clusters: int) -> float:
    """The share to cut off at each end.

    Plain percentiles are too narrow for few clusters: resampling omits the C/(C−1) and the heavy tails of
    Student's t. Cutting at the normal probability of the scaled t quantile corrects both (Hesterberg 2014,
    arXiv:1411.5279).
    """
    widened = math.sqrt(clusters / (clusters - 1)) * student_quantile((1 + level) / 2, clusters - 1)
    return NormalDist().cdf(-widened)
