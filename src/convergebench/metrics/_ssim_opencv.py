"""Structural similarity with OpenCV, for machines on which the C loops were not built.

Pictures are processed in stripes, so that the sums stay in the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._tiling import stripe_rows, stripes
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW = 7
COUNT = WINDOW**2
# The usual constants, scaled because sums are used instead of means and sample covariances.
C1 = (0.01 * 255) ** 2 * COUNT**2
C2 = (0.03 * 255) ** 2 * COUNT * (COUNT - 1)
_MARGIN = WINDOW // 2


class SourceSums(NamedTuple):
    """The source, and for each window the sum, and the variance times count × (count − 1)."""

    pixels: Pixels
    sums: NDArray[np.uint16]
    variances: NDArray[np.int32]


def sums_of_source(source: Pixels) -> SourceSums:
    sums = np.empty(source.shape, np.int32)
    variances = np.empty(source.shape, np.int32)
    _sum_windows(source, sums)
    _sum_windows(np.multiply(source, source, dtype=np.uint16), variances)
    variances *= COUNT
    variances -= sums * sums
    inside = np.s_[_MARGIN:-_MARGIN]
    return SourceSums(source, sums[inside].astype(np.uint16), variances[inside].copy())


def ssim_total(source: SourceSums, result: Pixels) -> float:
    """The sum of all windows' similarities."""
    import cv2

    height, width, _ = result.shape
    buffers = _Buffers.for_stripes(height, width)
    total = 0.0
    for rows in stripes(height, width, WINDOW):
        of_windows = slice(rows.start, rows.stop - WINDOW + 1)
        stripe = SourceSums(source.pixels[rows], source.sums[of_windows], source.variances[of_windows])
        similarity = _quarter_similarity(stripe, result[rows], buffers.of_rows(rows.stop - rows.start))
        total += float(sum(cv2.sumElems(similarity[:, _MARGIN:-_MARGIN])[:3]))
    return 4 * total


class _Buffers(NamedTuple):
    """Buffers for one stripe: products of pixels, five integers and two floats per value."""

    products: NDArray[np.uint16]
    whole: NDArray[np.int32]
    fractions: NDArray[np.float32]

    @classmethod
    def for_stripes(cls, height: int, width: int) -> _Buffers:
        shape = (min(stripe_rows(width) + WINDOW - 1, height), width, 3)
        return cls(
            np.empty(shape, np.uint16), np.empty((5, *shape), np.int32), np.empty((2, *shape), np.float32)
        )

    def of_rows(self, count: int) -> _Buffers:
        return _Buffers(self.products[:count], self.whole[:, :count], self.fractions[:, :count])


def _quarter_similarity(source: SourceSums, result: Pixels, buffers: _Buffers) -> NDArray[np.float32]:
    """A quarter of each window's similarity, because both factors of the numerator lack their factor of
    two."""
    x, y, xy, yy, x_times_y = buffers.whole
    _sum_windows(result, y)
    _sum_windows(np.multiply(result, result, out=buffers.products, dtype=np.uint16), yy)
    _sum_windows(np.multiply(source.pixels, result, out=buffers.products, dtype=np.uint16), xy)

    x, y, xy, yy, x_times_y = buffers.whole[:, _MARGIN:-_MARGIN]
    similarity: NDArray[np.float32]
    similarity, factor = buffers.fractions[:, _MARGIN:-_MARGIN]
    np.copyto(x, source.sums)
    np.multiply(x, y, out=x_times_y)
    xy *= COUNT
    xy -= x_times_y
    _shifted(x_times_y, C1 / 2, out=similarity)
    similarity *= _shifted(xy, C2 / 2, out=factor)

    x *= x
    y *= y
    yy *= COUNT
    yy -= y
    yy += source.variances
    x += y
    similarity /= _shifted(x, C1, out=factor)
    similarity /= _shifted(yy, C2, out=factor)
    return similarity


def _shifted(whole: NDArray[np.int32], constant: float, out: NDArray[np.float32]) -> NDArray[np.float32]:
    np.copyto(out, whole, casting="unsafe")
    out += np.float32(constant)
    return out


def _sum_windows(values: NDArray[np.uint8] | NDArray[np.uint16], out: NDArray[np.int32]) -> None:
    """The sum of the window around each value; the outermost rows and columns are not valid."""
    import cv2

    cv2.boxFilter(values, cv2.CV_32S, (WINDOW, WINDOW), dst=out, normalize=False)
