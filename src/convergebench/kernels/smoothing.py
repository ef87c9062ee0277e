"""Means over windows, to the bit as OpenCV makes them, and the sum of a map; see smoothing.c."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_WINDOW = 3
LONGEST_WITHOUT_RUNNING = 5
"""Windows up to this have no running sums along rows: columns beyond them do not change their digits."""


def window_means(
    found: NDArray[np.float32], window: int, down: NDArray[np.float32], along: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The mean over each window, with zeros beyond the map, times the factors of its row and of its column;
    from 0 to 1. The window is odd and at least `LEAST_WINDOW`."""
    found = np.ascontiguousarray(found, np.float32)
    height, width = found.shape
    assert window % 2 and window >= LEAST_WINDOW and len(down) == height and len(along) == width
    means = np.empty((height, width), np.float32)
    factors = (address(down), address(along))
    if kernels.loaded().smooth_map(address(found), height, width, window, *factors, address(means)):
        raise MemoryError
    return means


def map_sum(found: NDArray[np.float32]) -> float:
    """The sum of all values, in doubles: the same digits in every run and on every processor."""
    found = np.ascontiguousarray(found, np.float32)
    total: float = kernels.loaded().map_sum(address(found), found.size)
    return total
