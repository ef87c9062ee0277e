"""The rectangle around the worst part of a smoothed map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OF_PEAK = 0.5
"""The region is connected to the peak and has at least this share of its value."""
PADDING = 1 / 32
LEAST, MOST = 1 / 8, 1 / 2
"""Padding on each side and limits of the box's sides, as parts of the longer side of the picture."""


class WorstBox(NamedTuple):
    """A rectangle in pixels."""

    left: int
    top: int
    width: int
    height: int


def worst_box(smooth: NDArray[np.float32]) -> WorstBox | None:
    """The padded region around the peak, within size limits; None if the pictures are equal.

    Of several equal peaks the first counts, row by row. A region that is too large is cut to the part around
    the peak.
    """
    import cv2

    row, column = (int(place) for place in np.unravel_index(np.argmax(smooth), smooth.shape))
    peak = float(smooth[row, column])
    if peak == 0:
        return None
    _, labels = cv2.connectedComponents((smooth >= OF_PEAK * peak).astype(np.uint8))
    region = labels == labels[row, column]
    longer = max(smooth.shape)
    top, height = _extent(region.any(axis=1), row, longer)
    left, width = _extent(region.any(axis=0), column, longer)
    return WorstBox(left, top, width, height)


def _extent(occupied: NDArray[np.bool_], peak: int, longer: int) -> tuple[int, int]:
    """Start and length along one axis: inside the picture, within the limits, and around the peak."""
    places = np.flatnonzero(occupied)
    padding = round(PADDING * longer)
    first, end = int(places[0]) - padding, int(places[-1]) + 1 + padding
    most, least = max(1, round(MOST * longer)), max(1, round(LEAST * longer))
    length = min(max(end - first, least), most, len(occupied))
    middle = peak if end - first > length else (first + end) // 2
    return min(max(middle - length // 2, 0), len(occupied) - length), length
