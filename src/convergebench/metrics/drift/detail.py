"""Detail drift: sharpness by frequency band, noise and 8 × 8 blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.kernels import bands as in_c
from convergebench.metrics._gpu.base import GpuFamily
from convergebench.metrics._grey import grey_levels
from convergebench.metrics._median import median
from convergebench.metrics.base import MetricOptions, NotMeasurable, Reading, Result, family
from convergebench.metrics.drift._facts import ratio, signed
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_SIDE = 8
BLOCK = 8
SIGMAS = (1.0, 4.0)
"""The limits of the bands: finer than the first is the high band, coarser than the second the low band."""
_FLAT_SHARE = 0.2
_FROM_CLIPPING = 24
_ROUNDING = 1 / 12
"""The variance of rounding to whole levels, which is noise in every picture."""
MEDIAN_OVER_MEAN = 0.98
"""The median over the mean of a block's mean squared normal values."""
_LEAST_ENERGY = 0.5
LARGEST_STEP = 12
"""Steps across a block's border are limited to this: higher ones are edges of the picture."""


class Detail(NamedTuple):
    """The energy of the luma by band, the noise variance of flat blocks, and the excess steps at block
    borders."""

    energies: NDArray[np.float64]
    noise: NDArray[np.float64]
    blocking: float


class Blocks(NamedTuple):
    """Indices of blocks in the source: all that are far from black and white, and the flattest of them."""

    free: NDArray[np.intp]
    flat: NDArray[np.intp]


class DetailSource(NamedTuple):
    blocks: tuple[NDArray[np.intp], NDArray[np.intp]]
    detail: tuple[NDArray[np.float64], NDArray[np.float64], float]


def refuse_small(height: int, width: int) -> None:
    if min(height, width) < SMALLEST_SIDE:
        least = f"{SMALLEST_SIDE} × {SMALLEST_SIDE}"
        raise NotMeasurable(f"detail needs at least {least} pixels; this picture has {width} × {height}")


def details_of_source(source: Pixels) -> DetailSource:
    refuse_small(*source.shape[:2])
    blocks = blocks_of(source)
    return DetailSource(blocks, _detail(source, blocks))


def _on_gpu(options: MetricOptions, device: str) -> GpuFamily:
    from convergebench.metrics._gpu.detail import DetailOnGpu

    return DetailOnGpu()


@family(
    "detail",
    ratio("energy_low", "Energy of shapes and shading, result over source, without noise."),
    ratio("energy_mid", "Energy of middle-sized detail, result over source, without noise."),
    ratio("energy_high", "Energy of fine detail, result over source, without noise."),
    signed("noise", "levels", 50, "Noise that was added (+) or removed (−), as a standard deviation."),
    ratio("noise_ratio", "Noise in flat parts, result over source."),
    signed("blocking", "levels", 10, "Growth of the steps at every eighth pixel, as JPEG makes them."),
    prepare=details_of_source,
    on_gpu=_on_gpu,
)
def detail(source: DetailSource, result: Result) -> Mapping[str, Reading]:
    """Detail drift of one pair."""
    return detail_readings(Detail(*source.detail), _detail(result.pixels, Blocks(*source.blocks)))


def detail_readings(before: Detail, after: Detail) -> Mapping[str, Reading]:
    """Every member, from the detail of both pictures."""
    # By block, because some parts of a picture are noisier than others.
    medians = (median(noise) for noise in (before.noise, after.noise, after.noise - before.noise))
    return readings_of(
        before.energies.tolist(), after.energies.tolist(), medians, after.blocking - before.blocking
    )


def readings_of(
    before: Sequence[float], after: Sequence[float], medians: Iterable[float], blocking: float
) -> Mapping[str, Reading]:
    """From the energies, and the medians of the noise variances before and after, and of their growth."""
    low, mid, high = (_energy_ratio(*pair) for pair in zip(before, after, strict=True))
    noise_before, noise_after, added = (float(each) / MEDIAN_OVER_MEAN for each in medians)
    return {
        "energy_low": low,
        "energy_mid": mid,
        "energy_high": high,
        "noise": math.copysign(math.sqrt(abs(added)), added),
        "noise_ratio": math.sqrt((noise_after + _ROUNDING) / (noise_before + _ROUNDING)),
        "blocking": blocking,
    }


def _energy_ratio(before: float, after: float) -> Reading:
    if before < _LEAST_ENERGY:
        return "the source has no detail of this size to compare with"
    return float(max(after, 0.0) / before)


class BlockMaps(NamedTuple):
    """Of each block of 8 × 8 pixels, means of the bands, of the squares of the finer two, and noise
    variances; and the mean steps from column to column and from row to row."""

    bands: NDArray[np.float64]
    """3 × blocks."""
    noise_of_luma: NDArray[np.float64]
    noise: NDArray[np.float64]
    along: NDArray[np.float64]
    down: NDArray[np.float64]


def detail_of(maps: BlockMaps, blocks: Blocks) -> Detail:
    low, mid, high = maps.bands
    found = np.array([low[blocks.free].var(), mid[blocks.free].mean(), high[blocks.free].mean()])
    noise = _typical(maps.noise_of_luma[blocks.flat])
    blocking = (_blocking(maps.along) + _blocking(maps.down)) / 2
    return Detail(found - noise * shares_of_white_noise(), maps.noise[blocks.flat], blocking)


def _detail(pixels: Pixels, blocks: Blocks) -> Detail:
    luma = grey_levels(pixels)
    bands = _band_means(luma)
    noise_of_luma, noise = _noise_variances(luma[..., None]), _noise_variances(pixels)
    return detail_of(BlockMaps(bands, noise_of_luma, noise, *_mean_steps(luma)), blocks)


def _band_means(luma: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Of each block: the mean of the low band, and of the squares of the others."""
    if kernels.available():
        return in_c.block_bands(luma, SIGMAS)
    low, mid, high = _bands(luma.astype(np.float32))
    return np.stack([_block_means(low), _block_means(mid * mid), _block_means(high * high)])


def _bands(luma: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    import cv2

    fine, coarse = (np.asarray(cv2.GaussianBlur(luma, (0, 0), sigma), np.float32) for sigma in SIGMAS)
    return coarse, fine - coarse, luma - fine


@cache
def shares_of_white_noise() -> NDArray[np.float64]:
    """The share of white noise that a filter passes: the energy of its impulse response."""
    point = np.zeros((65, 65), np.float32)
    point[32, 32] = 1
    return np.array([np.square(band, dtype=np.float64).sum() for band in _bands(point)])


def blocks_of(source: Pixels) -> Blocks:
    import cv2

    soft = cv2.GaussianBlur(cv2.cvtColor(source, cv2.COLOR_RGB2GRAY).astype(np.float32), (0, 0), 1.5)
    down, across = np.gradient(np.asarray(soft, np.float32))
    structure = _block_means(np.square(across) + np.square(down))
    red, green, blue = cv2.split(source)
    darkest = _block_means(np.minimum(np.minimum(red, green), blue))
    lightest = _block_means(np.maximum(np.maximum(red, green), blue))
    free = np.flatnonzero((darkest > _FROM_CLIPPING) & (lightest < 255 - _FROM_CLIPPING))
    if not free.size:
        free = np.arange(structure.size)
    flattest_first = free[np.argsort(structure[free], kind="stable")]
    return Blocks(free, flattest_first[: max(1, round(_FLAT_SHARE * free.size))])


def _noise_variances(values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Variance of the diagonal differences of 2 × 2 pixels in each block."""
    if kernels.available():
        sums = kernels.block_noise(values)
        variances: NDArray[np.float64] = sums.ravel() / (values.shape[2] * BLOCK**2)
        return variances
    v = values[: values.shape[0] // BLOCK * BLOCK, : values.shape[1] // BLOCK * BLOCK].astype(np.int16)
    diagonal = v[::2, ::2] - v[1::2, ::2] - v[::2, 1::2] + v[1::2, 1::2]
    squares = np.square(diagonal, dtype=np.float32).mean(axis=2) / 4
    return _block_means(squares, BLOCK // 2)


def _typical(variances: NDArray[np.float64]) -> float:
    return median(variances) / MEDIAN_OVER_MEAN


def _block_means(values: NDArray[Any], side: int = BLOCK) -> NDArray[np.float64]:
    import cv2

    rows, columns = values.shape[0] // side, values.shape[1] // side
    whole = np.asarray(values[: rows * side, : columns * side], np.float32)
    return cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float64).ravel()


def _mean_steps(luma: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean step from each column to the next, and from each row to the next."""
    height, width = luma.shape
    if kernels.available():
        along, down = kernels.plane_steps(luma, LARGEST_STEP)
        return along / height, down / width
    levels = luma.astype(np.int16)
    steps = (np.minimum(np.abs(np.diff(levels, axis=axis)), LARGEST_STEP) for axis in (1, 0))
    along, down = (each.mean(axis=axis) for axis, each in enumerate(steps))
    return along, down


def _blocking(steps: NDArray[np.float64]) -> float:
    """Mean step at the borders of blocks, less that beside them."""
    at_border, beside = borders(len(steps))
    return float(steps[at_border].mean() - steps[beside].mean()) if at_border.any() else 0.0


@lru_cache(maxsize=64)
def borders(count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of so many steps are at borders of blocks, and which beside them."""
    at_border = np.arange(1, count + 1) % BLOCK == 0
    return at_border, (np.roll(at_border, 1) | np.roll(at_border, -1)) & ~at_border
