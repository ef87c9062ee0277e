"""Intervals of estimates from votes, which depend on each other by source picture and by rater."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile


def two_way_mean(
    values: NDArray[np.float64],
    pictures: Sequence[str],
    raters: Sequence[str],
    possible: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """The mean with an interval by picture and by rater.

    Where all values are equal, which says nothing about others, it is Clopper and Pearson's with the fewer of
    pictures and raters as trials, for shares from 0 to 1.
    """
    mean = float(values.mean())
    found = two_way_interval(mean, (values - mean) / len(values), pictures, raters, possible)
    if found.low is None or len(set(values.tolist())) > 1 or mean not in possible:
        return found
    reach = ((1 - CONFIDENCE) / 2) ** (1 / found.clusters)
    low, high = (reach, 1.0) if mean == 1.0 else (0.0, 1 - reach)
    return Interval(mean, low, high, found.n, found.clusters)


def two_way_interval(
    estimate: float,
    influences: NDArray[np.float64],
    pictures: Sequence[str],
    raters: Sequence[str],
    possible: tuple[float, float],
) -> Interval:
    """`influences` say how much each vote moves the estimate; they sum to zero.

    The variance is that by picture and that by rater less what both count (Cameron, Gelbach and Miller 2011),
    with Student's t for the fewer clusters. With a single rater, clusters are pictures alone.
    """
    by_picture, by_rater = cluster_numbers(pictures), cluster_numbers(raters)
    counts = [one.max() + 1 for one in (by_picture, by_rater) if one.max() > 0]
    clusters = int(min(counts)) if counts else 1
    if by_picture.max() == 0:
        return Interval(estimate, None, None, len(influences), 1)
    error = math.sqrt(two_way_variances(influences[:, None], by_picture, by_rater)[0])
    reach = student_quantile((1 + CONFIDENCE) / 2, clusters - 1) * error
    low, high = max(possible[0], estimate - reach), min(possible[1], estimate + reach)
    return Interval(estimate, low, high, len(influences), clusters)


def two_way_variances(
    influences: NDArray[np.float64], pictures: NDArray[np.intp], raters: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The variances of several estimates (columns) at once: by picture and by rater, less what both count.

    By chance this can fall below that by picture alone or by rater alone; the larger of the two is then
    taken. With a single rater, it is that by picture.
    """
    of_pictures = _variances(influences, pictures)
    if raters.max() == 0:
        return of_pictures
    of_raters = _variances(influences, raters)
    both = _variances(influences, pictures * (raters.max() + 1) + raters)
    found: NDArray[np.float64] = np.maximum(
        of_pictures + of_raters - both, np.maximum(of_pictures, of_raters)
    )
    return found


def _variances(influences: NDArray[np.float64], clusters: NDArray[np.intp]) -> NDArray[np.float64]:
    count = len(np.unique(clusters))
    sums = np.zeros((int(clusters.max()) + 1, influences.shape[1]))
    np.add.at(sums, clusters, influences)
    found: NDArray[np.float64] = (sums**2).sum(0) * (count / (count - 1) if count > 1 else 1.0)
    return found


def cluster_numbers(names: Sequence[object]) -> NDArray[np.intp]:
    """Each name's number, from 0."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.intp)
