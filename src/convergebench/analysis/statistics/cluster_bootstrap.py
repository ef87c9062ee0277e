"""Resampling of whole clusters, for bootstrap intervals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
_NUMBERS_AT_ONCE = 1 << 18
"""Small enough for a processor's cache: larger chunks are slower."""


def cluster_draws(
    clusters: int, resamples: int, seed: int = 0, width: int = 1
) -> Iterator[NDArray[np.float64]]:
    """The count of each cluster in each resample: one row per resample, some rows at a time, so that memory
    does not grow with the number of resamples.

    `width` is the number of values that the caller computes from each row.
    """
    random = np.random.default_rng(seed)
    rows = max(1, _NUMBERS_AT_ONCE // max(clusters, width))
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = random.integers(clusters, size=(count, clusters))
        drawn += np.arange(count)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=count * clusters)
        yield counts.reshape(count, clusters).astype(np.float64)


@lru_cache(maxsize=32)
def shared_draws(clusters: int, resamples: int, seed: int) -> NDArray[np.float64]:
    """The counts of all resamples at once, shared by all means over the same number of clusters.

    Intervals of means were published with these draws. `cluster_draws` takes another path through the random
    numbers, so the two would give slightly different intervals.
    """
    even = np.full(clusters, 1 / clusters)
    return np.random.default_rng(seed).multinomial(clusters, even, size=resamples).astype(np.float64)


def cluster_sums(values: NDArray[np.float64], clusters: NDArray[np.intp]) -> NDArray[np.float64]:
    """The total of each cluster; rows of several values are added up column by column."""
    sums = np.zeros((int(clusters.max()) + 1, *values.shape[1:]))
    np.add.at(sums, clusters, values)
    return sums


def bootstrap_means(
    values: NDArray[np.float64], clusters: NDArray[np.intp], resamples: int, seed: int = 0
) -> NDArray[np.float64]:
    """The mean in each resample of whole clusters."""
    sizes = cluster_sums(np.ones(len(values)), clusters)
    return bootstrap_ratios(cluster_sums(values, clusters), sizes, resamples, seed)


def bootstrap_ratios(
    above: NDArray[np.float64], below: NDArray[np.float64], resamples: int, seed: int = 0
) -> NDArray[np.float64]:
    """The ratio of two totals over clusters in each resample; NaN if the denominator is zero."""
    ratios = []
    for draws in cluster_draws(len(above), resamples, seed):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios.append((draws @ above) / (draws @ below))
    return np.concatenate(ratios)
