"""Structural similarity, as scikit-image defines it by default.

A 7 × 7 window of equal weights, sample covariance, the border left out, the channels averaged. All window
sums are whole numbers below 2³¹, so variances are exact before they become floats: no cancellation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._stripes import stripe_rows, stripes
from convergebench.metrics.base import NotMeasurable, metric
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW = 7
_MARGIN = WINDOW // 2
_COUNT = WINDOW**2
# The usual constants, times what the sums are larger than means and sample covariances.
_C1 = (0.01 * 255) ** 2 * _COUNT**2
_C2 = (0.03 * 255) ** 2 * _COUNT * (_COUNT - 1)


class SourceSums(NamedTuple):
    """The source, and of each of its windows the sum and the variance times count × (count − 1)."""

    pixels: Pixels
    sums: NDArray[np.uint16]
    variances: NDArray[np.int32]


def sums_of_source(source: Pixels) -> SourceSums:
    height, width, _ = source.shape
    if min(height, width) < WINDOW:
        raise NotMeasurable(
            f"SSIM needs at least {WINDOW} × {WINDOW} pixels; this picture has {width} × {height}"
        )
    sums = np.empty(source.shape, np.int32)
    variances = np.empty(source.shape, np.int32)
    _sum_windows(source, sums)
    _sum_windows(np.multiply(source, source, dtype=np.uint16), variances)
    variances *= _COUNT
    variances -= sums * sums
    inside = np.s_[_MARGIN:-_MARGIN]
    return SourceSums(source, sums[inside].astype(np.uint16), variances[inside].copy())


@metric("ssim", better="higher", perfect=1.0, worst=0.0, dimension="quality", prepare=sums_of_source)
def ssim(source: SourceSums, result: Pixels) -> float:
    """Structural similarity: scikit-image's, 7 × 7 windows, mean over channels.

    Unrelated pictures score about 0, which is given as the worst; inverted ones can fall below it.
    """
    import cv2

    height, width, _ = result.shape
    buffers = _Buffers.for_stripes(height, width)
    total = 0.0
    for rows in stripes(height, width, WINDOW):
        of_windows = slice(rows.start, rows.stop - WINDOW + 1)
        stripe = SourceSums(source.pixels[rows], source.sums[of_windows], source.variances[of_windows])
        similarity = _quarter_similarity(stripe, result[rows], buffers.of_rows(rows.stop - rows.start))
        total += float(sum(cv2.sumElems(similarity[:, _MARGIN:-_MARGIN])[:3]))
    windows: int = (height - WINDOW + 1) * (width - WINDOW + 1)
    return min(4 * total / (3 * windows), 1.0)


class _Buffers(NamedTuple):
    """Room for one stripe: products of pixels, five whole numbers and two fractions for each value."""

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
    """A quarter of each window's similarity: both factors of the numerator lack their factor of two."""
    x, y, xy, yy, x_times_y = buffers.whole
    _sum_windows(result, y)
    _sum_windows(np.multiply(result, result, out=buffers.products, dtype=np.uint16), yy)
    _sum_windows(np.multiply(source.pixels, result, out=buffers.products, dtype=np.uint16), xy)

    x, y, xy, yy, x_times_y = buffers.whole[:, _MARGIN:-_MARGIN]
    similarity: NDArray[np.float32]
    similarity, factor = buffers.fractions[:, _MARGIN:-_MARGIN]
    np.copyto(x, source.sums)
    np.multiply(x, y, out=x_times_y)
    xy *= _COUNT
    xy -= x_times_y
    _shifted(x_times_y, _C1 / 2, out=similarity)
    similarity *= _shifted(xy, _C2 / 2, out=factor)

    x *= x
    y *= y
    yy *= _COUNT
    yy -= y
    yy += source.variances
    x += y
    similarity /= _shifted(x, _C1, out=factor)
    similarity /= _shifted(yy, _C2, out=factor)
    return similarity


def _shifted(whole: NDArray[np.int32], constant: float, out: NDArray[np.float32]) -> NDArray[np.float32]:
    np.copyto(out, whole, casting="unsafe")
    out += np.float32(constant)
    return out


def _sum_windows(values: NDArray[np.uint8] | NDArray[np.uint16], out: NDArray[np.int32]) -> None:
    """The sum of the window around each value; the outermost rows and columns are not of use."""
    import cv2

    cv2.boxFilter(values, cv2.CV_32S, (WINDOW, WINDOW), dst=out, normalize=False)
