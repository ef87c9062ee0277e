"""Histograms of smoothed maps, so that thresholds can be chosen without storing the maps.

Bins are 1/80 wide up to 0.5 and 1/48 wide above, so that every multiple of 0.05 up to 0.5 is an edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 64
BIN_EDGES = np.concatenate([np.arange(40) / 80, 0.5 + np.arange(25) / 48])
"""65 of them, from 0 to 1; a value on an edge is in the bin above it, and 1 in the last."""


def histogram(smooth: NDArray[np.float32], mask: NDArray[np.bool_] | None = None) -> NDArray[np.uint32]:
    """The number of pixels in each bin, for the smoothed map or its part in the mask."""
    values = smooth if mask is None else smooth[mask]
    fine, coarse = values * 80, values * 48 + 16
    bins = np.minimum(np.minimum(fine, coarse), BINS - 1).astype(np.uint8)
    return np.bincount(bins.ravel(), minlength=BINS).astype(np.uint32)


def share_above(counts: NDArray[np.uint32], threshold: float) -> float:
    """The share of the pixels above the threshold; NaN without pixels.

    At an edge it is exact, except for pixels that equal the threshold. Between edges, the pixels of that bin
    count in proportion to its part above the threshold: the error is at most that bin's share.
    """
    lower, upper = BIN_EDGES[:-1], BIN_EDGES[1:]
    return _mean(counts, np.clip((upper - threshold) / (upper - lower), 0, 1))


def mean_ramp(counts: NDArray[np.uint32], start: float, width: float) -> float:
    """The mean over the pixels x of clip((x − start) / width, 0, 1); NaN without pixels.

    Each pixel counts as the middle of its bin: the error is at most 1 / (160 · width) for ramps that end at
    0.5 or below, and 1 / (96 · width) for others.
    """
    middles = (BIN_EDGES[:-1] + BIN_EDGES[1:]) / 2
    return _mean(counts, np.clip((middles - start) / width, 0, 1))


def _mean(counts: NDArray[np.uint32], values: NDArray[np.float64]) -> float:
    total = int(counts.sum(dtype=np.uint64))
    return float(counts @ values) / total if total else float("nan")
