"""Half-life: the number of rounds until a picture falls below a share of its perfect value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.share_matrix import ShareMatrix, cluster_index
from convergebench.analysis.statistics.cluster_bootstrap import RESAMPLES
from convergebench.analysis.statistics.survival import bootstrap_medians, median_interval, median_survival
from convergebench.errors import WrongUse

THRESHOLD = 0.5


@dataclass(frozen=True)
class HalfLife:
    """The Kaplan–Meier median over a model's trajectories, in rounds, with its interval.

    Infinite means later than the last observed round; an interval needs two source pictures.
    """

    threshold: float
    median: float
    low: float | None
    high: float | None
    n: int
    fell: int
    """Trajectories that fell below the threshold; the others are censored."""
    clusters: int
    watched: int
    """The last round to which any trajectory was observed."""


def fall_times(
    shares: NDArray[np.float64], threshold: float = THRESHOLD
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """When each trajectory fell below the threshold, interpolated, and whether it did.

    A trajectory that never fell has the last round that it returned from. Rows start with the source, and
    have missing values only at their end.

    >>> times, fell = fall_times(np.array([[1.0, 0.8, 0.4], [1.0, 0.9, np.nan]]))
    >>> times.tolist(), fell.tolist()
    ([1.75, 1.0], [True, False])
    """
    if not 0 < threshold < 1:
        raise WrongUse(f"a threshold is a share between 0 and 1, not {threshold:g}")
    below = shares < threshold
    fell: NDArray[np.bool_] = np.asarray(below.any(axis=1))
    after = below.argmax(axis=1)[fell]
    rows = np.flatnonzero(fell)
    high, low = shares[rows, after - 1], shares[rows, after]
    times = (~np.isnan(shares)).sum(axis=1) - 1.0
    times[fell] = after - 1 + (high - threshold) / (high - low)
    return times, fell


def half_life(
    chains: ShareMatrix, threshold: float = THRESHOLD, resamples: int = RESAMPLES
) -> HalfLife | None:
    """The model's half-life; None if no trajectory has a value."""
    times, fell = fall_times(chains.bridged, threshold)
    seen = times > 0
    if not seen.any():
        return None
    times, fell = times[seen], fell[seen]
    clusters = cluster_index([chains.pictures[row] for row in np.flatnonzero(seen)])
    count = int(clusters.max()) + 1
    life = HalfLife(
        threshold,
        median_survival(times, fell),
        low=None,
        high=None,
        n=len(times),
        fell=int(fell.sum()),
        clusters=count,
        watched=math.ceil(times.max()),
    )
    if count < 2:
        return life
    low, high = median_interval(bootstrap_medians(times, fell, clusters, resamples), count)
    return replace(life, low=low, high=high)


def is_reached(life: HalfLife) -> bool:
    """Whether half of the trajectories fell while they were observed."""
    return math.isfinite(life.median)
