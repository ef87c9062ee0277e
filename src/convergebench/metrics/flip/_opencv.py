"""ꟻLIP with OpenCV and NumPy, for machines on which the C loops were not built."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics.flip._model import lab, model_for, on_both_sides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.types import Pixels

    Plane = NDArray[np.float64]


def features(pixels: Pixels, pixels_per_degree: float) -> NDArray[np.float32]:
    """Lightness, a, b, edges and points, 5 × height × width."""
    model = model_for(pixels_per_degree)
    filters = model.filters
    opponent = model.linear[pixels] @ model.to_opponent.T
    luminance, red_green, blue_yellow = (np.ascontiguousarray(opponent[..., place]) for place in range(3))
    smooth, edge, point = (
        on_both_sides(filters.smooth),
        on_both_sides(filters.edge, odd=True),
        on_both_sides(filters.point),
    )
    wide, narrow = (on_both_sides(half) for half in filters.blue_yellow)
    y = _filtered(luminance, on_both_sides(filters.luminance))
    x = y + _filtered(red_green, on_both_sides(filters.red_green))
    z = y - _filtered(blue_yellow, wide) - _filtered(blue_yellow, narrow)
    displayed = np.clip(np.stack([x, y, z], axis=-1) @ model.to_rgb.T, 0, 1)
    planes = np.empty((5, *pixels.shape[:2]), np.float32)
    planes[:3] = np.moveaxis(lab(displayed @ model.to_xyz.T), -1, 0)
    planes[3] = np.hypot(_filtered(luminance, edge, smooth), _filtered(luminance, smooth, edge))
    planes[4] = np.hypot(_filtered(luminance, point, smooth), _filtered(luminance, smooth, point))
    return planes


def difference(kept: NDArray[np.float32], pixels: Pixels, pixels_per_degree: float) -> NDArray[np.float32]:
    return difference_of_features(features(pixels, pixels_per_degree), kept, pixels_per_degree)


def difference_of_features(
    one: NDArray[np.float32], other: NDArray[np.float32], pixels_per_degree: float
) -> NDArray[np.float32]:
    model = model_for(pixels_per_degree)
    lightness, a, b, edge, point = one - other
    distance = np.abs(lightness) + np.hypot(a, b)
    u = (distance / model.largest_distance) ** model.exponent
    colour = np.minimum(np.minimum(model.below * u, model.above * u + model.offset), 1)
    feature = np.sqrt(np.maximum(np.abs(edge), np.abs(point)) * math.sqrt(0.5))
    return np.asarray(colour ** (1 - feature), np.float32)


def _filtered(plane: Plane, along: Plane, down: Plane | None = None) -> Plane:
    """Filter along the rows and down the columns, by default with the same filter; the border is replicated.

    In 64 bits: ꟻLIP takes the root of a difference of edges, which magnifies rounding errors.
    """
    import cv2

    down = along if down is None else down
    return np.asarray(cv2.sepFilter2D(plane, cv2.CV_64F, along, down, borderType=cv2.BORDER_REPLICATE), float)
