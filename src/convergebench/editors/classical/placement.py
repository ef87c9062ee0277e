"""The position of a new object: the calmest ground in the lower half of a picture."""

from __future__ import annotations

import cv2
import numpy as np

from convergebench.editors.classical.sprites import Pose
from convergebench.types import Pixels

_SIDE = 128
_NEAREST, _FARTHEST = 0.95, 0.66
"""The range of positions, as shares of the picture's height."""


def calm_ground(pixels: Pixels, size: float, half_width: float) -> Pose:
    """The pose for a thing of this height, and of this half width in its own units."""
    height, width = pixels.shape[:2]
    factor = min(1.0, _SIDE / max(height, width))
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA).astype(np.float32)
    rows, columns = small.shape
    unrest = cv2.magnitude(cv2.Sobel(small, cv2.CV_32F, 1, 0), cv2.Sobel(small, cv2.CV_32F, 0, 1))
    tall = min(rows, max(1, round(size * factor)))
    wide = min(columns, max(1, round(2 * half_width * size * factor)))
    # Value at (y, x): the mean over the thing's rectangle, whose bottom middle is there.
    mean = cv2.boxFilter(
        unrest, -1, (wide, tall), anchor=(wide // 2, tall - 1), borderType=cv2.BORDER_REPLICATE
    )
    y, x = np.mgrid[0:rows, 0:columns]
    # A weak preference for the middle distance makes the position stable on equally calm ground.
    wish = 12 * np.abs(y / rows - 0.86) + 3 * np.abs(x / columns - 0.5)
    allowed = (y >= _FARTHEST * rows) & (y <= _NEAREST * rows - 1) & (y >= tall - 1)
    allowed &= (x >= wide // 2) & (x <= columns - 1 - wide // 2)
    if not allowed.any():
        return Pose(width / 2, _NEAREST * height, size)
    best = np.argmin(np.where(allowed, mean + wish, np.inf))
    row, column = np.unravel_index(best, mean.shape)
    return Pose((float(column) + 0.5) / factor, (float(row) + 0.5) / factor, size)
