"""What is measured of a smoothed map inside a region and outside it, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from convergebench import kernels
from convergebench.metrics.flip import VISIBLE
from convergebench.metrics.regions.maps import FloatMap, Mask, ramp

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_START, KEPT_SPAN = 0.10, 0.20
BINS = 64

Histogram: TypeAlias = tuple[int, ...]
"""Pixels of a smoothed map by value, in `BINS` equal bins from 0 to 1.

Version 1 of `kept` is stored with this layout. `flip.histogram` has its edges at thresholds instead; the
stored counts cannot be converted to it.
"""


class MapPart(NamedTuple):
    """A part of a map."""

    pixels: int
    visible: int
    """Pixels that differ visibly."""
    unlike: float
    """The sum over its pixels of 0 to 1, for differences from `KEPT_START` on."""
    histogram: Histogram
    """A value of 1 is in the last bin."""


def map_parts(found: FloatMap, region: Mask, covered: Mask | None = None) -> tuple[MapPart, MapPart]:
    """The part inside the region and the part outside it, of what is covered."""
    if not kernels.available():
        everywhere = np.ones(found.shape, bool) if covered is None else covered
        return _part(found[region & everywhere]), _part(found[~region & everywhere])
    histograms, sums = kernels.map_part_sums(found, region, covered, VISIBLE, (KEPT_START, KEPT_SPAN))
    outside, inside = (
        MapPart(int(pixels), int(visible), unlike, tuple(counts))
        for (pixels, visible, unlike), counts in zip(sums.tolist(), histograms.tolist(), strict=True)
    )
    return inside, outside


def share_above(counts: Sequence[int], threshold: float) -> float:
    """The share of a histogram's pixels above the threshold, of a bin by its part above; 0 without any."""
    lower = np.arange(BINS) / BINS
    return _mean(counts, np.clip((lower + 1 / BINS - threshold) * BINS, 0, 1))


def mean_ramp(counts: Sequence[int], start: float, span: float) -> float:
    """The mean of `ramp` over a histogram's pixels, each as the middle of its bin: the error is at most
    1 / (128 · span). 0 without pixels."""
    return _mean(counts, np.clip(((np.arange(BINS) + 0.5) / BINS - start) / span, 0, 1))


def _mean(counts: Sequence[int], values: NDArray[np.float64]) -> float:
    return float(np.dot(counts, values)) / max(1, sum(counts))


def _part(values: FloatMap) -> MapPart:
    bins = np.minimum((values * np.float32(BINS)).astype(np.uint8), BINS - 1)
    return MapPart(
        values.size,
        int(np.count_nonzero(values > VISIBLE)),
        float(ramp(values, KEPT_START, KEPT_SPAN).sum(dtype=np.float64)),
        tuple(np.bincount(bins, minlength=BINS).tolist()),
    )
