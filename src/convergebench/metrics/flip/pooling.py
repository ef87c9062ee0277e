"""Numbers from ꟻLIP's map: its mean, and the peak and the visible share of the smoothed map.

Local damage has a high peak and a small share, noise a low peak everywhere, a colour cast both.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench import kernels
from convergebench.kernels import smoothing
from convergebench.metrics.flip.map import FlipSource, flip_difference

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOWS_PER_SIDE = 57
"""The side of the averaging window, as a share of the map's longer side."""
VISIBLE = 0.10
"""A difference counts as visible where the smoothed map exceeds this."""


def smoothing_window(height: int, width: int) -> int:
    """The odd number nearest to 1/57 of the longer side.

    >>> smoothing_window(768, 1024), smoothing_window(512, 512), smoothing_window(20, 20)
    (17, 9, 1)
    """
    return 2 * (max(height, width) // (2 * WINDOWS_PER_SIDE)) + 1


def smoothed(found: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of the map over the window around each pixel, from 0 to 1.

    At the border it is the mean of the part of the window that lies inside.
    """
    import cv2

    window = smoothing_window(*found.shape)
    down, along = (_window_over_inside(length, window) for length in found.shape)
    if window >= smoothing.LEAST_WINDOW and kernels.available():
        return smoothing.window_means(found, window, down, along)
    means = np.asarray(
        cv2.boxFilter(found, cv2.CV_32F, (window, window), borderType=cv2.BORDER_CONSTANT), np.float32
    )
    means *= down[:, None]
    means *= along
    return np.clip(means, 0, 1, out=means)


def smoothed_difference(
    one: FlipSource, other: FlipSource, rows: slice, columns: slice
) -> NDArray[np.float32]:
    """This part of the smoothed map of two prepared pictures; all but small maps take less time than whole.

    The digits are those of the whole map: sums run down columns, so that all rows above are there.
    """
    height, width = one.features.shape[1:]
    window = smoothing_window(height, width)
    if not (smoothing.LEAST_WINDOW <= window <= smoothing.LONGEST_WITHOUT_RUNNING and kernels.available()):
        return smoothed(flip_difference(one, other))[rows, columns]
    reach = window // 2
    first, seen_rows = max(0, columns.start - reach), slice(0, rows.stop + reach)
    seen_columns = slice(first, columns.stop + reach)
    seen = (
        FlipSource(each.features[:, seen_rows, seen_columns], each.pixels_per_degree) for each in (one, other)
    )
    down, along = (_window_over_inside(length, window) for length in (height, width))
    means = smoothing.window_means(flip_difference(*seen), window, down[seen_rows], along[seen_columns])
    return means[rows, columns.start - first : columns.stop - first]


@lru_cache(maxsize=64)
def _window_over_inside(length: int, window: int) -> NDArray[np.float32]:
    """At each position, the window's length over the length that is inside the picture."""
    places, reach = np.arange(length), window // 2
    inside = np.minimum(places, reach) + np.minimum(places[::-1], reach) + 1
    return (window / inside).astype(np.float32)


def flip_mean(found: NDArray[np.float32]) -> float:
    total = smoothing.map_sum(found) if kernels.compiled() else float(found.sum(dtype=np.float64))
    return total / found.size


def flip_peak(smooth: NDArray[np.float32]) -> float:
    """The largest value of the smoothed map."""
    return float(smooth.max())


def flip_area(smooth: NDArray[np.float32], threshold: float = VISIBLE) -> float:
    """The share of the smoothed map above the threshold."""
    return float(np.count_nonzero(smooth > threshold) / smooth.size)
