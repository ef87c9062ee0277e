"""Geometric drift: how the picture moved, and its similarity after registration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._ssim_opencv import WINDOW
from convergebench.metrics.base import Reading, Result, family
from convergebench.metrics.drift._facts import VERSION, signed
from convergebench.metrics.drift._registration import Level, RegistrationFit, in_pixels, pyramid, register
from convergebench.metrics.ssim import prepared_source, ssim
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STILL = 0.1
"""In pixels: if no corner moved further, pictures are compared without the blur of interpolation."""
_LEAST_AREA = 0.25
_NAMES = ("shift_x", "shift_y", "zoom", "rotation", "ssim_registered", "registered_area")


class GeometrySource(NamedTuple):
    pixels: Pixels
    levels: tuple[Level, ...]


def geometry_of_source(source: Pixels) -> GeometrySource:
    return GeometrySource(source, pyramid(source))


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
)  # fmt: skip
def geometry(source: GeometrySource, result: Result) -> Mapping[str, Reading]:
    """Geometric drift of one pair."""
    height, width, _ = source.pixels.shape
    native_width, native_height = result.native_size
    aspect = 100 * (native_width / native_height * height / width - 1)
    return {**_registered(source, result.pixels), "aspect_change": aspect}


def _registered(source: GeometrySource, result: Pixels) -> Mapping[str, Reading]:
    if not source.levels:
        return dict.fromkeys(_NAMES, "the source is too small or too narrow to register by")
    fit = register(source.levels, result)
    doubt = fit.distrust()
    if doubt is not None:
        return dict.fromkeys(_NAMES, doubt)
    height, width, _ = result.shape
    (stretch, _, right), (turn, _, down) = fit.matrix[:2]
    return {
        "shift_x": float(right) * max(width, height),
        "shift_y": float(down) * max(width, height),
        "zoom": 100 * (math.hypot(stretch, turn) - 1),
        "rotation": -math.degrees(math.atan2(turn, stretch)),
        **_similarity_after(fit, source.pixels, result),
    }


def _similarity_after(fit: RegistrationFit, source: Pixels, result: Pixels) -> Mapping[str, Reading]:
    import cv2

    height, width, _ = source.shape
    affine = in_pixels(fit.matrix, width, height)
    corners = np.array([[0, 0, 1], [width - 1, 0, 1], [0, height - 1, 1], [width - 1, height - 1, 1]], float)
    moved = float(np.abs(corners @ affine.T - corners[:, :2]).max())
    if moved > _STILL:
        rows, columns = _covered(affine, corners, width, height)
        flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        laid = cv2.warpAffine(result, affine, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        result = np.asarray(laid, np.uint8)
    else:
        rows, columns = slice(0, height), slice(0, width)
    part = source[rows, columns]
    area = part.shape[0] * part.shape[1] / (width * height)
    if area < _LEAST_AREA or min(part.shape[:2]) < WINDOW:
        return {"ssim_registered": "too little of the source is left in the result", "registered_area": area}
    similarity = ssim(prepared_source(part), result[rows, columns])
    return {"ssim_registered": similarity, "registered_area": area}


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
