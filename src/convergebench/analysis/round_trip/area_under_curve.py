"""The area under the degradation curve: the average share of the picture that was preserved over all
rounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.share_matrix import ShareMatrix
from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean


def areas(chains: ShareMatrix) -> NDArray[np.float64]:
    """Each trajectory's area from round 0 to the last, by trapezoids, over the number of rounds.

    1 means nothing was lost. A trajectory that did not reach the last round has no area: NaN.
    """
    means: NDArray[np.float64] = segments(chains).mean(axis=1)
    return means


def segments(chains: ShareMatrix) -> NDArray[np.float64]:
    """The average preserved share during each round: the mean of its start and its end."""
    shares = chains.bridged
    return (shares[:, :-1] + shares[:, 1:]) / 2


def area_under_curve(chains: ShareMatrix) -> Interval | None:
    """The mean area with its interval, clustered by source picture; None if no trajectory has an area."""
    return mean_of_rows(areas(chains), chains.pictures)


def mean_of_rows(
    values: NDArray[np.float64], pictures: tuple[str, ...], most: float = 1.0
) -> Interval | None:
    """The mean over the rows with a value, from 0 to `most`; None if there is none."""
    there = np.flatnonzero(~np.isnan(values))
    if not len(there):
        return None
    return clustered_mean(values[there], [pictures[row] for row in there], possible=(0.0, most))
