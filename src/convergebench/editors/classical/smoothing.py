"""Edge-preserving smoothing, and smooth random planes."""

from __future__ import annotations

from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.sprites import Field
from convergebench.types import Pixels

Numbers: TypeAlias = NDArray[np.floating[Any]]
"""Floats of any width."""

_BRIGHTNESS = np.array([0.299, 0.587, 0.114], np.float32)


def brightness(colours: Numbers) -> Field:
    return np.asarray(colours @ _BRIGHTNESS, np.float32)


def rounded(colours: Numbers) -> Pixels:
    return np.clip(colours.round(), 0, 255).astype(np.uint8)


def blurred(plane: Numbers, sigma: float) -> Field:
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), sigma, borderType=cv2.BORDER_REFLECT), np.float32)


def guided(guide: Numbers, plane: Numbers, radius: int, edge: float) -> Field:
    """The plane smoothed within `radius`, with the edges that the guide has (He, Sun and Tang 2010).

    Differences of the guide well above `edge` count as edges.
    """
    of_guide, of_plane = _mean(guide, radius), _mean(plane, radius)
    shared = _mean(guide * plane, radius) - of_guide * of_plane
    slope = shared / (_mean(guide * guide, radius) - of_guide**2 + np.float32(edge**2))
    offset = of_plane - slope * of_guide
    return np.asarray(_mean(slope, radius) * guide + _mean(offset, radius), np.float32)


def spread(colours: Field, known: Field, sigma: float) -> Field:
    """The colours blurred from known pixels only; pixels far from any have their mean."""
    trust = np.float32(1e-3)
    everywhere = (colours * known[..., None]).sum(axis=(0, 1)) / max(float(known.sum()), 1e-3)
    near = blurred(colours * known[..., None], sigma) + trust * everywhere
    return np.asarray(near / (blurred(known, sigma) + trust)[..., None], np.float32)


def clouds(height: int, width: int, seed: int) -> Field:
    """Soft patches from -1 to 1, about a quarter of the picture wide, with smaller ones in them."""
    draw = np.random.default_rng(seed)
    total = np.zeros((height, width), np.float32)
    for cells, share in ((4, 0.6), (8, 0.27), (16, 0.13)):
        grid = draw.uniform(-1, 1, (cells, cells)).astype(np.float32)
        total += np.float32(share) * cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(total, -1, 1)


def _mean(plane: Numbers, radius: int) -> Field:
    side = 2 * radius + 1
    return np.asarray(cv2.blur(plane, (side, side), borderType=cv2.BORDER_REFLECT), np.float32)
