"""Colour drift: the colour difference, and the linear change of tones and chroma that explains it.

Both pictures are averaged down until noise and detail do not count. The result is then modelled as the source
with its tones scaled by one factor (contrast), its chroma by another (saturation), and a shift of mid-grey
(the cast). Positions are ignored, so a picture that moved has not changed its colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.kernels import colour as in_c
from convergebench.metrics._area_average import averaged
from convergebench.metrics._gpu.base import GpuFamily
from convergebench.metrics._tiling import stripes
from convergebench.metrics.base import MetricOptions, Reading, Result, family
from convergebench.metrics.drift._ciede2000 import (
    TO_RELATIVE,
    ciede2000,
    lab_of,
    lab_of_colour,
    light_of_levels,
)
from convergebench.metrics.drift._facts import VERSION, ratio, signed
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

AVERAGED_SIDE = 64
QUANTILES = np.linspace(0.02, 0.98, 49)
CLIPPED_IN_CELL = 0.1
LEAST_FREE = 0.02
_LEAST_SPREAD = 1.0
"""In levels: below it, a picture is flat or colourless, and a ratio would be one of rounding errors."""
_MIDDLE = 127.5
TO_YCBCR = np.array([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
_NO_CONTRAST = "the source has no contrast to compare with"
_NO_COLOUR = "the source has no variety of colour to compare with"


class Averaged(NamedTuple):
    """The picture in few cells: luma, Cb and Cr of each, 3 × cells, and which cells have no clipped
    pixels."""

    tones: NDArray[np.float64]
    free: NDArray[np.bool_]


class ColourSource(NamedTuple):
    pixels: Pixels
    averaged: tuple[NDArray[np.float64], NDArray[np.bool_]]
    clipped: float
    lab: NDArray[np.float32] | None
    """Its colours for the compiled loops, 12 bytes per pixel."""


def _on_gpu(options: MetricOptions, device: str) -> GpuFamily:
    from convergebench.metrics._gpu.colour import ColourOnGpu

    return ColourOnGpu()


def colours_of_source(source: Pixels) -> ColourSource:
    clipped = _clipped(source)
    lab = in_c.lab_blocks(source, light_of_levels(), TO_RELATIVE) if kernels.available() else None
    return ColourSource(source, _averaged(source, clipped), _share(clipped), lab)


@family(
    "colour",
    MetricFacts(
        "delta_e", VERSION, "lower", 0.0, 100.0, "drift", "ΔE", "Mean CIEDE2000 difference, pixel by pixel."
    ),
    signed("cast_l", "L*", 100, "How much lighter (+) or darker (−) a mid-grey became."),
    signed("cast_a", "a*", 100, "How far a mid-grey went to red-magenta (+) or green (−)."),
    signed("cast_b", "b*", 100, "How far a mid-grey went to yellow (+) or blue (−)."),
    ratio("saturation", "Spread of the chroma, result over source."),
    ratio("contrast", "Stretch of the tones, result over source."),
    signed("clipped", "%", 100, "Growth of the share of pixels with a channel at 0 or 255."),
    prepare=colours_of_source,
    on_gpu=_on_gpu,
)
def colour(source: ColourSource, result: Result) -> Mapping[str, Reading]:
    """Colour drift of one pair."""
    clipped = _clipped(result.pixels)
    return colour_readings(
        Averaged(*source.averaged),
        _averaged(result.pixels, clipped),
        _mean_difference(source, result.pixels),
        _share(clipped) - source.clipped,
    )


def colour_readings(
    source: Averaged, result: Averaged, delta_e: float, clipped: float
) -> Mapping[str, Reading]:
    """Every member, from the cells of both pictures, the mean difference and the growth of clipping."""
    before, after = _comparable(source, result)
    return readings_of(_statistics(before), _statistics(after), delta_e, clipped)


class ToneStatistics(NamedTuple):
    """Of comparable cells: mean and spread of the luma's quantiles, and of the chroma."""

    luma: float
    luma_spread: float
    blue: float
    red: float
    chroma_spread: float


def readings_of(
    before: ToneStatistics, after: ToneStatistics, delta_e: float, clipped: float
) -> Mapping[str, Reading]:
    stretch = _stretch(before, after)
    saturation = _saturation(before, after)
    factor = saturation or 1.0
    chroma = (after.blue - factor * before.blue, after.red - factor * before.red)
    lightness, a, b = _cast(stretch.of_middle, chroma)
    return {
        "delta_e": delta_e,
        "cast_l": lightness,
        "cast_a": a,
        "cast_b": b,
        "saturation": _NO_COLOUR if saturation is None else saturation,
        "contrast": _NO_CONTRAST if stretch.factor is None else stretch.factor,
        "clipped": 100 * clipped,
    }


def _mean_difference(source: ColourSource, result: Pixels) -> float:
    height, width, _ = result.shape
    if kernels.available():
        total = in_c.delta_e_total(source.pixels, result, light_of_levels(), TO_RELATIVE, source.lab)
    else:
        stripes_of_both = ((source.pixels[rows], result[rows]) for rows in stripes(height, width, 1))
        differences = (ciede2000(lab_of(one), lab_of(other)) for one, other in stripes_of_both)
        total = math.fsum(float(each.sum(dtype=np.float64)) for each in differences)
    return total / float(height * width)


def _averaged(pixels: Pixels, clipped: NDArray[np.uint8]) -> Averaged:
    size = averaged_size(*pixels.shape[:2])
    return averaged_cells(averaged(pixels, *size), averaged(clipped, *size))


def averaged_size(height: int, width: int) -> tuple[int, int]:
    """Width and height in cells."""
    factor = max(1.0, max(height, width) / AVERAGED_SIDE)
    return max(1, round(width / factor)), max(1, round(height / factor))


def averaged_cells(cells: NDArray[Any], clipped: NDArray[Any]) -> Averaged:
    """From the mean levels of each cell, and its mean of 255 where a pixel is clipped and 0 elsewhere."""
    tones = TO_YCBCR @ cells.reshape(-1, 3).T.astype(np.float64)
    return Averaged(tones, clipped.ravel() < 255 * CLIPPED_IN_CELL)


def _comparable(before: Averaged, after: Averaged) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The cells without clipping in either picture, or all cells if nearly all are clipped."""
    free = np.flatnonzero(before.free & after.free)
    if free.size < LEAST_FREE * before.free.size:
        return before.tones, after.tones
    return before.tones.take(free, axis=1), after.tones.take(free, axis=1)


class _Stretch(NamedTuple):
    """The linear map from the source's tones to the result's."""

    factor: float | None
    of_middle: float
    """The value of a mid-grey under the map."""


def _statistics(tones: NDArray[np.float64]) -> ToneStatistics:
    """Of the luma by quantiles, so that the positions of tones do not matter."""
    luma = _quantiles(tones[0])
    blue, red = tones[1:].mean(axis=1).tolist()
    spread = math.hypot(*tones[1:].std(axis=1).tolist())
    return ToneStatistics(float(luma.mean()), float(luma.std()), blue, red, spread)


def _quantiles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """As `numpy.quantile` has them, which takes several times as long for so many."""
    ordered = np.sort(values)
    lower, upper, share = _quantile_places(len(ordered))
    first, second = ordered[lower], ordered[upper]
    return np.asarray(first + (second - first) * share, np.float64)


@lru_cache(maxsize=64)
def _quantile_places(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """For each quantile of so many ordered values, the two between which it lies, and where."""
    places = QUANTILES * (count - 1)
    lower = places.astype(np.intp)
    return lower, np.minimum(lower + 1, count - 1), places - lower


def _stretch(before: ToneStatistics, after: ToneStatistics) -> _Stretch:
    factor = after.luma_spread / before.luma_spread if before.luma_spread >= _LEAST_SPREAD else None
    return _Stretch(factor, after.luma + (factor or 1.0) * (_MIDDLE - before.luma))


def _saturation(before: ToneStatistics, after: ToneStatistics) -> float | None:
    """The ratio of the spreads about the mean, which a cast does not change."""
    return after.chroma_spread / before.chroma_spread if before.chroma_spread >= _LEAST_SPREAD else None


def _cast(luma: float, chroma: tuple[float, float]) -> tuple[float, float, float]:
    """The difference of a colour from mid-grey, in Lab."""
    cb, cr = chroma
    colour = np.array([luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb])
    lightness, a, b = (lab_of_colour(colour) - _lab_of_middle()).tolist()
    return lightness, a, b


@cache
def _lab_of_middle() -> NDArray[np.float64]:
    return lab_of_colour(np.full(3, _MIDDLE))


def _clipped(pixels: Pixels) -> NDArray[np.uint8]:
    """255 where a channel is clipped, 0 elsewhere."""
    if kernels.available():
        return in_c.clipped(pixels)
    import cv2

    return np.asarray(255 - cv2.inRange(pixels, (1, 1, 1), (254, 254, 254)), np.uint8)


def _share(mask: NDArray[np.uint8]) -> float:
    return float(np.count_nonzero(mask) / mask.size)
