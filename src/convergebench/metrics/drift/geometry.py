"""Geometric drift: how the picture moved, and its similarity after registration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.base import GpuFamily
from convergebench.metrics._ssim_opencv import WINDOW
from convergebench.metrics.base import MetricOptions, Reading, Result, family
from convergebench.metrics.drift._facts import VERSION, signed
from convergebench.metrics.drift._registration import Level, RegistrationFit, in_pixels, pyramid, register
from convergebench.metrics.ssim import prepared_source, ssim
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STILL = 0.1
"""In pixels: if no corner moved further, pictures are compared without the blur of interpolation."""
_LEAST_AREA = 0.25
NAMES = ("shift_x", "shift_y", "zoom", "rotation", "ssim_registered", "registered_area")
TOO_SMALL = "the source is too small or too narrow to register by"


class GeometrySource(NamedTuple):
    pixels: Pixels
    levels: tuple[Level, ...]


def geometry_of_source(source: Pixels) -> GeometrySource:
    return GeometrySource(source, pyramid(source))


def _on_gpu(options: MetricOptions, device: str) -> GpuFamily:
    from convergebench.metrics._gpu.geometry import GeometryOnGpu

    return GeometryOnGpu()


@family(
    "geometry",
    signed("shift_x", "px", 256, "How far the picture moved to the right (+) or left (−)."),
    signed("shift_y", "px", 256, "How far the picture moved down (+) or up (−)."),
    signed("zoom", "%", 50, "How much larger (+) or smaller (−) the picture became."),
    signed("rotation", "°", 45, "How far the picture turned, anticlockwise (+) or clockwise (−)."),
    MetricFacts(
        "ssim_registered", VERSION, "higher", 1.0, 0.0, "drift", "",
        "SSIM after shift, zoom and rotation are undone, where both pictures are.",
    ),
    MetricFacts(
        "registered_area", VERSION, "higher", 1.0, 0.0, "drift", "", "Share of the source that this covers."
    ),
    signed("aspect_change", "%", 100, "How much wider (+) or narrower (−) the result is for its height."),
    prepare=geometry_of_source,
    on_gpu=_on_gpu,
)  # fmt: skip
def geometry(source: GeometrySource, result: Result) -> Mapping[str, Reading]:
    """Geometric drift of one pair."""
    return {**_registered(source, result.pixels), "aspect_change": aspect_change(source.pixels, result)}


def aspect_change(source: Pixels, result: Result) -> float:
    height, width, _ = source.shape
    native_width, native_height = result.native_size
    return float(100 * (native_width / native_height * height / width - 1))


def _registered(source: GeometrySource, result: Pixels) -> Mapping[str, Reading]:
    if not source.levels:
        return dict.fromkeys(NAMES, TOO_SMALL)
    fit = register(source.levels, result)
    doubt = fit.distrust()
    if doubt is not None:
        return dict.fromkeys(NAMES, doubt)
    height, width, _ = result.shape
    covered = covered_part(fit, height, width)
    similarity = None if covered.is_too_little else _similarity(covered, source.pixels, result)
    return {**movement(fit, height, width), **similarity_readings(covered, similarity)}


def movement(fit: RegistrationFit, height: int, width: int) -> Mapping[str, Reading]:
    """How a picture of this size moved."""
    (stretch, _, right), (turn, _, down) = fit.matrix[:2]
    return {
        "shift_x": float(right) * max(width, height),
        "shift_y": float(down) * max(width, height),
        "zoom": 100 * (math.hypot(stretch, turn) - 1),
        "rotation": -math.degrees(math.atan2(turn, stretch)),
    }


class CoveredPart(NamedTuple):
    """The part of a source that a registered result covers."""

    affine: NDArray[np.float64] | None
    """By which the result is laid on the source; None if it hardly moved."""
    rows: slice
    columns: slice
    area: float
    """As a share of the source."""

    @property
    def is_too_little(self) -> bool:
        height, width = self.rows.stop - self.rows.start, self.columns.stop - self.columns.start
        return self.area < _LEAST_AREA or min(height, width) < WINDOW


def covered_part(fit: RegistrationFit, height: int, width: int) -> CoveredPart:
    affine = in_pixels(fit.matrix, width, height)
    corners = np.array([[0, 0, 1], [width - 1, 0, 1], [0, height - 1, 1], [width - 1, height - 1, 1]], float)
    if float(np.abs(corners @ affine.T - corners[:, :2]).max()) <= _STILL:
        return CoveredPart(None, slice(0, height), slice(0, width), 1.0)
    rows, columns = _covered(affine, corners, width, height)
    area = (rows.stop - rows.start) * (columns.stop - columns.start) / (width * height)
    return CoveredPart(affine, rows, columns, area)


def similarity_readings(covered: CoveredPart, similarity: float | None) -> Mapping[str, Reading]:
    reading = "too little of the source is left in the result" if similarity is None else similarity
    return {"ssim_registered": reading, "registered_area": covered.area}


def _similarity(covered: CoveredPart, source: Pixels, result: Pixels) -> float:
    import cv2

    if covered.affine is None:
        return ssim(prepared_source(source), result)  # of these arrays, which the metric SSIM measures too
    height, width, _ = source.shape
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    laid = cv2.warpAffine(
        result, covered.affine, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    part = (covered.rows, covered.columns)
    return ssim(prepared_source(source[part]), np.asarray(laid, np.uint8)[part])


def _covered(
    affine: NDArray[np.float64], corners: NDArray[np.float64], width: int, height: int
) -> tuple[slice, slice]:
    """The rows and columns of the source that the result covers: the largest upright rectangle inside."""
    back = np.linalg.inv(np.vstack([affine, [0, 0, 1]]))
    (left_top, right_top, left_bottom, right_bottom) = (corners @ back.T)[:, :2]
    top = max(0, math.ceil(max(left_top[1], right_top[1]) - _STILL))
    bottom = min(height, math.floor(min(left_bottom[1], right_bottom[1]) + _STILL) + 1)
    left = max(0, math.ceil(max(left_top[0], left_bottom[0]) - _STILL))
    right = min(width, math.floor(min(right_top[0], right_bottom[0]) + _STILL) + 1)
    return slice(top, max(top, bottom)), slice(left, max(left, right))
