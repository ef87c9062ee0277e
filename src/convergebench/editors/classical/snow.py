"""Snow: flakes in the air, near and far, and a cover on the ground."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.smoothing import blurred, brightness, clouds, rounded, spread
from convergebench.editors.classical.sprites import Field
from convergebench.editors.classical.subject import near_person
from convergebench.editors.classical.veils import show_through, unveiled
from convergebench.types import Pixels, Refused

_WHITE = np.array([240, 244, 250], np.float32)
_COVER = 0.78
_GROUND = 0.55
"""Ground begins at this share of the height."""
_LEAST_FLAKES = 0.009
"""The share of a picture that bright specks fill when it snows."""
_PALE, _BRIGHT = 110, 170
_TINGE = 56
"""White has less than this between its strongest and its weakest channel."""
_LEAST_THROUGH = np.float32(0.4)
"""Under thick snow the ground is lost; further correction would only amplify noise."""


class _Depth(NamedTuple):
    flakes: int
    """In a picture of 512 × 512."""
    radius: float
    """In shares of the picture's shorter side."""
    softness: float
    opacity: float


_DEPTHS = (
    _Depth(900, 0.0018, 0.0011, 0.75),
    _Depth(260, 0.0036, 0.0016, 0.85),
    _Depth(34, 0.0085, 0.0045, 0.8),
)


def with_snow(pixels: Pixels, seed: int) -> Pixels:
    height, width = pixels.shape[:2]
    colours = pixels.astype(np.float32)
    away = 1 - near_person(pixels)
    cover = _COVER * np.maximum(_ground(colours, seed), 0.7 * _ledges(colours)) * away
    shaded = _WHITE * (0.78 + 0.22 * brightness(colours) / 255)[..., None]
    covered = colours + (shaded - colours) * cover[..., None]
    flakes = _flakes(height, width, seed)[..., None]
    return rounded(covered * (1 - flakes) + _WHITE * flakes)


def without_snow(pixels: Pixels) -> Pixels:
    """Flakes are detected as small white specks and inpainted; the cover is removed as a white veil."""
    flakes = _found_flakes(pixels)
    if (flakes & (pixels.min(axis=2) > _BRIGHT)).mean() < _LEAST_FLAKES:
        raise Refused("found no snow to remove")
    colours = pixels.astype(np.float32)
    sigma = 0.004 * min(pixels.shape[:2]) + 0.5
    clear = np.where(flakes[..., None], spread(colours, (~flakes).astype(np.float32), sigma), colours)
    return rounded(_without_cover(np.asarray(clear, np.float32), near_person(pixels)))


def _ground(colours: Field, seed: int) -> Field:
    """The cover of snow, 0 to 1: from mid-height down, in drifts, thinner on dark and uneven ground."""
    height, width = colours.shape[:2]
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    drifts = np.clip((y - _GROUND - 0.06 * clouds(height, width, seed)) / 0.12, 0, 1)
    grey = brightness(colours)
    fine = grey - blurred(grey, 0.02 * min(height, width) + 1)
    return np.asarray(drifts * np.clip(1 + fine / 170, 0.72, 1), np.float32)


def _ledges(colours: Field) -> Field:
    """Upward surfaces, detected by horizontal edges that are much clearer than vertical ones."""
    side = min(colours.shape[:2])
    grey = blurred(brightness(colours), 0.004 * side + 0.4)
    down, across = (np.abs(cv2.Sobel(grey, cv2.CV_32F, x, 1 - x, scale=1 / 8)) for x in (0, 1))
    clear = np.clip((down - 2 * across) * side / 512 / 6 - 0.4, 0, 1)
    # A ledge is wide; remaining flakes have such edges too.
    wide = cv2.morphologyEx(clear, cv2.MORPH_OPEN, np.ones((1, max(2, round(0.025 * side))), np.uint8))
    lower = np.ones((max(2, round(0.006 * side)), max(1, round(0.01 * side))), np.uint8)
    thick = cv2.dilate(wide, lower, anchor=(-1, len(lower) - 1))
    return blurred(np.asarray(thick, np.float32), 0.002 * side + 0.3)


def _flakes(height: int, width: int, seed: int) -> Field:
    draw = np.random.default_rng(seed)
    side = min(height, width)
    air = np.zeros((height, width), np.float32)
    for depth in _DEPTHS:
        layer = np.zeros((height, width), np.uint8)
        count = max(1, round(depth.flakes * height * width / 512**2))
        places = draw.uniform((0, 0), (width, height), (count, 2))
        sizes = depth.radius * side * draw.uniform(0.6, 1.3, count)
        for (x, y), radius in zip(places, sizes, strict=True):
            middle = (round(16 * x), round(16 * y))
            cv2.circle(layer, middle, max(8, round(17 * radius)), 255, -1, cv2.LINE_AA, shift=4)
        soft = blurred(layer.astype(np.float32) / 255, max(0.4, depth.softness * side))
        air = np.maximum(air, np.float32(depth.opacity) * soft)
    return air


def _found_flakes(pixels: Pixels) -> NDArray[np.bool_]:
    """Specks that are whiter than their surroundings, about round, and no larger than a flake."""
    side = min(pixels.shape[:2])
    whiteness = pixels.min(axis=2)
    largest = 2 * max(2, round(0.016 * side)) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (largest, largest))
    stands_out = np.asarray(cv2.morphologyEx(whiteness, cv2.MORPH_TOPHAT, kernel))
    tinge = pixels.max(axis=2).astype(np.int16) - whiteness
    specks = ((stands_out > 24) & (tinge < _TINGE)).astype(np.uint8)
    _, labels, facts, _ = cv2.connectedComponentsWithStats(specks, connectivity=4)
    width, height, area = (facts[:, at] for at in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    longer, shorter = np.maximum(width, height), np.minimum(width, height)
    is_flake = (longer <= largest) & (longer <= 1.7 * shorter + 1) & (area >= 0.55 * width * height)
    is_flake &= np.bincount(labels[whiteness > _PALE], minlength=len(facts)) > 0
    is_flake[0] = False
    return np.asarray(cv2.dilate(is_flake[labels].astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def _without_cover(colours: Field, person: Field) -> Field:
    """The ground and the ledges as seen through the white cover."""
    height, width = colours.shape[:2]
    side = min(height, width)
    through = show_through(colours, _WHITE, max(1, side // 250))
    low = np.linspace(0, 1, height, dtype=np.float32)[:, None] > _GROUND - 0.04
    is_white = (through < 0.75) & (np.ptp(colours, axis=2) < _TINGE)
    covered = (low | (_ledges(colours) > 0.3)) & is_white
    share = blurred(covered.astype(np.float32), 0.004 * side + 0.5) * (1 - person)
    behind = unveiled(colours, _WHITE, np.maximum(through, _LEAST_THROUGH))
    return np.asarray(colours + share[..., None] * (behind - colours), np.float32)
