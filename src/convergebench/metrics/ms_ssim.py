"""Multi-scale structural similarity of Wang, Simoncelli and Bovik (2003).

Five scales, an 11 × 11 Gaussian window, each channel by itself, then their mean. Between scales 2 × 2 pixels
become one; as in the pytorch-msssim package, a side of odd length first gets a black row or column in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics._tiling import stripe_rows, stripes
from convergebench.metrics.base import MetricOptions, NotMeasurable, metric
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Planes = NDArray[np.float32]
    """Height × width × 3, the value minus 128: variances are the same and lose fewer digits."""

WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
_SCALE_WEIGHTS = np.array(WEIGHTS)[:, None]
WINDOW = 11
SMALLEST_SIDE = (WINDOW - 1) * 2 ** (len(WEIGHTS) - 1) + 1
SIGMA = 1.5
_MARGIN = WINDOW // 2
MIDDLE = 128.0
C1 = (0.01 * 255) ** 2
C2 = (0.03 * 255) ** 2


class SourceScale(NamedTuple):
    """The source at one scale, with the mean and variance of its windows."""

    values: Planes | Pixels
    """Planes; at the first scale, the compiled loops take the source's levels, which are a quarter of the
    memory."""
    means: Planes
    variances: Planes


def refuse_small(height: int, width: int) -> None:
    if min(height, width) < SMALLEST_SIDE:
        raise NotMeasurable(
            f"MS-SSIM needs at least {SMALLEST_SIDE} pixels on each side; this picture has {width} × {height}"
        )


def pyramid_of_source(source: Pixels) -> tuple[SourceScale, ...]:
    refuse_small(*source.shape[:2])
    first, *others = (_source_scale(planes) for planes in _pyramid(source))
    return (first._replace(values=source) if kernels.available() else first, *others)


def _on_gpu(options: MetricOptions, device: str) -> GpuMetric:
    from convergebench.metrics._gpu.multi_scale import MsSsim

    return MsSsim()


@metric(
    "ms_ssim",
    better="higher",
    perfect=1.0,
    worst=0.0,
    dimension="quality",
    prepare=pyramid_of_source,
    on_gpu=_on_gpu,
)
def ms_ssim(source: tuple[SourceScale, ...], result: Pixels) -> float:
    """Multi-scale structural similarity: five scales, 11 × 11 Gaussian windows, mean over channels."""
    *finer, coarsest = zip(source, _result_pyramid(result), strict=True)
    found = np.array([*(_contrast_and_structure(*scale) for scale in finer), _similarity(*coarsest)])
    product: NDArray[np.float64] = (np.maximum(found, 0) ** _SCALE_WEIGHTS).prod(axis=0)
    return float(product.mean())


def _pyramid(pixels: Pixels) -> list[Planes]:
    scales = [pixels.astype(np.float32) - np.float32(MIDDLE)]
    while len(scales) < len(WEIGHTS):
        scales.append(_halved(scales[-1]))
    return scales


def _result_pyramid(pixels: Pixels) -> Sequence[NDArray[Any]]:
    """The first scale is the same kind of values as the source's."""
    if not kernels.available():
        return _pyramid(pixels)
    scales: list[NDArray[Any]] = [pixels]
    while len(scales) < len(WEIGHTS):
        scales.append(_halved_in_c(scales[-1]))
    return scales


def _halved_in_c(scale: NDArray[Any]) -> Planes:
    """The digits are those of `_halved`: all means are exact."""
    height, width, _ = scale.shape
    if height % 2 == width % 2 == 0:
        return kernels.halved(scale, MIDDLE)
    return _halved(scale - np.float32(MIDDLE) if scale.dtype == np.uint8 else scale)


def _halved(planes: Planes) -> Planes:
    import cv2

    height, width, _ = planes.shape
    if height % 2 or width % 2:
        black = (-MIDDLE,) * 3
        planes = cv2.copyMakeBorder(planes, height % 2, 0, width % 2, 0, cv2.BORDER_CONSTANT, value=black)  # type: ignore[assignment]
    size = (planes.shape[1] // 2, planes.shape[0] // 2)
    return cv2.resize(planes, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _source_scale(planes: Planes) -> SourceScale:
    means, variances = _blurred(planes), _blurred(planes * planes)
    variances -= means * means
    return SourceScale(planes, means, variances)


def _contrast_and_structure(source: SourceScale, result: NDArray[Any]) -> NDArray[np.float64]:
    """Per channel, the mean over all windows of (2·covariance + C2) / (sum of variances + C2)."""
    if kernels.available():
        return _in_c(source, result, with_light=False)
    import cv2

    height, width, _ = result.shape
    shape = (min(stripe_rows(width) + WINDOW - 1, height), width, 3)
    buffers = [np.empty(shape, np.float32) for _ in range(4)]
    total: NDArray[np.float64] = np.zeros(3)
    for rows in stripes(height, width, WINDOW):
        stripe = SourceScale(source.values[rows], source.means[rows], source.variances[rows])
        ratios = _ratios(stripe, result[rows], [buffer[: rows.stop - rows.start] for buffer in buffers])
        total += cv2.sumElems(ratios[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN])[:3]
    windows: int = (height - WINDOW + 1) * (width - WINDOW + 1)
    return total / windows


def _ratios(source: SourceScale, result: Planes, buffers: list[Planes]) -> Planes:
    products, means, variances, covariances = buffers
    _blurred(result, out=means)
    _blurred(np.multiply(result, result, out=products), out=variances)
    _blurred(np.multiply(source.values, result, out=products), out=covariances)
    covariances -= np.multiply(source.means, means, out=products)
    covariances *= 2
    covariances += np.float32(C2)
    means *= means
    variances -= means
    variances += source.variances
    variances += np.float32(C2)
    covariances /= variances
    return covariances


def _similarity(source: SourceScale, result: Planes) -> NDArray[np.float64]:
    """Per channel, the mean over all windows of luminance × contrast × structure."""
    if kernels.available():
        return _in_c(source, result, with_light=True)
    ratios = _ratios(source, result, [np.empty_like(result) for _ in range(4)])
    x, y = source.means + MIDDLE, _blurred(result) + MIDDLE
    ratios *= (2 * x * y + C1) / (x * x + y * y + C1)
    inside: NDArray[np.float64] = ratios[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN].mean((0, 1), dtype=np.float64)
    return inside


def _in_c(source: SourceScale, result: NDArray[Any], *, with_light: bool) -> NDArray[np.float64]:
    height, width, _ = result.shape
    sums = kernels.ms_ssim_sums(
        source.values,
        (source.means, source.variances),
        result,
        _half_window(),
        (C1, C2, MIDDLE),
        with_light=with_light,
    )
    windows: int = (height - WINDOW + 1) * (width - WINDOW + 1)
    return sums / windows


@cache
def _half_window() -> NDArray[np.float32]:
    """The window's weights from its middle outwards."""
    import cv2

    return np.ascontiguousarray(cv2.getGaussianKernel(WINDOW, SIGMA, cv2.CV_32F)[_MARGIN:, 0], np.float32)


def _blurred(planes: Planes, out: Planes | None = None) -> Planes:
    import cv2

    return cv2.GaussianBlur(planes, (WINDOW, WINDOW), SIGMA, dst=out)  # type: ignore[return-value]
