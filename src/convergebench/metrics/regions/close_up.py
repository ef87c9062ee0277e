"""A close look at the edited part of a picture: a person looks at the eyes, not at the whole portrait."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench.kernels import resampling
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.metrics.regions.maps import FloatMap, Mask

STEPS = 64
"""Boxes begin and end at multiples of this share of the longer side, so that rounds often have the same."""
MARGIN = 0.25
"""Around the edited part, as a share of its longer side."""
LEAST_STEPS = 4
SIDE = 256
"""The longer side of a close-up. A smaller part is magnified, at most `MAGNIFIED` times."""
MAGNIFIED = 4
SHORTEST = 32
"""Networks need this many pixels on each side."""
CELL = 4
"""Pixels of a close-up, in each direction, for which one difference is computed."""


class CloseUp(NamedTuple):
    """A box in steps of 1/64 of the picture's longer side; it may reach beyond the picture."""

    top: int
    bottom: int
    left: int
    right: int

    def crop(self, array: NDArray[Any]) -> NDArray[Any]:
        """This part of a picture, a map or a mask of any size."""
        return array[self.slices(*array.shape[:2])]

    def slices(self, rows: int, columns: int) -> tuple[slice, slice]:
        """Of this part, in an array of so many rows and columns."""
        step = max(rows, columns) / STEPS
        return _pixels(self.top, self.bottom, step, rows), _pixels(self.left, self.right, step, columns)

    def of(self, pixels: Pixels) -> Pixels:
        """This part of a picture, at the size of a close-up."""
        return _scaled(self.crop(pixels))

    def laid_into(self, source: Pixels, result: Pixels, region: Mask) -> Pixels:
        """The result in the region and the source around it, so that no wear of the rest counts here."""
        import cv2

        shown = self.crop(source).copy()
        # Twenty times as fast as numpy.where.
        cv2.copyTo(self.crop(result), self.crop(region).view(np.uint8), shown)
        return _scaled(shown)

    def in_cells(self, whole: FloatMap, cells: tuple[int, int]) -> FloatMap:
        """This part of a map of the whole picture, in so many rows and columns."""
        return resampled(self.crop(whole), cells)


def close_up(region: Mask) -> CloseUp:
    """The box around a region that is not empty, with a margin."""
    rows, columns = region.shape
    step = max(rows, columns) / STEPS
    sides = [(part.start, part.stop) for part in occupied_part(region)]
    margin = MARGIN * max(last - first for first, last in sides)
    (top, bottom), (left, right) = (
        _steps((first - margin) / step, (last + margin) / step) for first, last in sides
    )
    return CloseUp(top, bottom, left, right)


def occupied_part(mask: Mask) -> tuple[slice, slice]:
    """The rows and columns from the first to the last place of a mask that is not empty."""
    import cv2

    left, top, width, height = cv2.boundingRect(np.ascontiguousarray(mask).view(np.uint8))
    return slice(top, top + height), slice(left, left + width)


def resampled(found: NDArray[np.float32], cells: tuple[int, int]) -> FloatMap:
    import cv2

    rows, columns = cells
    method = cv2.INTER_AREA if found.shape[0] > rows else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(np.ascontiguousarray(found), (columns, rows), interpolation=method))


def cells_of(height: int, width: int) -> tuple[int, int]:
    """Rows and columns of the differences of a close-up of this size."""
    return ceil(height / CELL), ceil(width / CELL)


def close_up_size(height: int, width: int) -> tuple[int, int]:
    """Height and width of the close-up of a part of this size."""
    scale = min(SIDE / max(height, width), MAGNIFIED)
    return max(SHORTEST, round(height * scale)), max(SHORTEST, round(width * scale))


def _scaled(part: Pixels) -> Pixels:
    import cv2

    height, width, _ = part.shape
    size = close_up_size(height, width)
    if size == (height, width):
        return np.ascontiguousarray(part)
    reduced = resampling.area_means(part, size[1], size[0]) if resampling.available() else None
    if reduced is not None:
        return reduced
    method = cv2.INTER_AREA if max(height, width) > SIDE else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(part, size[::-1], interpolation=method), np.uint8)


def _steps(first: float, last: float) -> tuple[int, int]:
    lack = max(0.0, LEAST_STEPS - (last - first)) / 2
    return max(0, floor(first - lack)), min(STEPS, ceil(last + lack))


def _pixels(first: int, last: int, step: float, most: int) -> slice:
    """At least one pixel."""
    start = min(round(first * step), most - 1)
    return slice(start, max(start + 1, min(round(last * step), most)))
