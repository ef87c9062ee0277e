"""CIELAB and the CIEDE2000 colour difference."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.floating[Any]]

_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
# Rows are divided by their sum, which is the white point, so that greys have three equal values.
TO_RELATIVE = _TO_XYZ / _TO_XYZ.sum(axis=1, keepdims=True)
_TO_LAB = np.array([[0.0, 116, 0, -16], [500, -500, 0, 0], [0, 200, -200, 0]])
_LINEAR_BELOW = (6 / 29) ** 3
_SLOPE = (29 / 6) ** 2 / 3
_25_TO_THE_7 = 25.0**7


def lab_of(pixels: Pixels) -> NDArray[np.float32]:
    """L* from 0 to 100, a* and b*, for sRGB under D65.

    >>> lab_of(np.full((1, 1, 3), 255, np.uint8)).round(2).tolist()
    [[[100.0, 0.0, 0.0]]]
    """
    import cv2

    relative = np.asarray(cv2.transform(cv2.LUT(pixels, light_of_levels()), TO_RELATIVE), np.float32)
    root = np.asarray(cv2.pow(relative, 1 / 3), np.float32)
    dark = relative < _LINEAR_BELOW
    root[dark] = relative[dark] * np.float32(_SLOPE) + np.float32(4 / 29)
    return np.asarray(cv2.transform(root, _TO_LAB), np.float32)


def lab_of_colour(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lab of one colour whose levels, from 0 to 255, need not be whole."""
    relative = TO_RELATIVE @ _linear_light(np.clip(rgb, 0, 255))
    root = np.where(relative < _LINEAR_BELOW, relative * _SLOPE + 4 / 29, np.cbrt(relative))
    lab: NDArray[np.float64] = _TO_LAB @ np.append(root, 1)
    return lab


@cache
def light_of_levels() -> NDArray[np.float32]:
    return _linear_light(np.arange(256.0)).astype(np.float32)


def _linear_light(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    value = levels / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def ciede2000(one: Numbers, other: Numbers) -> Numbers:
    """The difference of each pair of Lab colours; the last axis is L*, a* and b*.

    About 1 is just noticeable. Sharma, Wu and Dalal (2005), with all weights 1. Hues are kept as vectors:
    the mean hue is the direction of their sum, which is the shorter way round by itself.
    """
    l1, a1, b1 = (np.ascontiguousarray(one[..., i]) for i in range(3))
    l2, a2, b2 = (np.ascontiguousarray(other[..., i]) for i in range(3))
    stretch = 1.5 - 0.5 * _saturating((_length(a1, b1) + _length(a2, b2)) / 2)
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = _length(a1, b1), _length(a2, b2)
    cos, sin = _mean_hue(a1, b1, c1, a2, b2, c2)
    mean_c = (c1 + c2) / 2
    from_middle = ((l1 + l2) / 2 - 50) ** 2
    lightness = (l2 - l1) / (1 + 0.015 * from_middle / np.sqrt(20 + from_middle))
    chroma = (c2 - c1) / (1 + 0.045 * mean_c)
    hue = _hue_distance(a1, b1, a2, b2, c1 * c2) / (1 + 0.015 * mean_c * _hue_weight(cos, sin))
    rotation = -2 * _saturating(mean_c) * _blue_turn(cos, sin)
    squared: Numbers = lightness**2 + chroma**2 + hue**2 + rotation * chroma * hue
    return np.sqrt(np.maximum(squared, 0))


def _length(a: Numbers, b: Numbers) -> Numbers:
    length: Numbers = np.sqrt(a * a + b * b)
    return length


def _saturating(chroma: Numbers) -> Numbers:
    """From 0 for greys to 1 for strong colours."""
    power = (chroma * chroma) ** 3 * chroma
    share: Numbers = np.sqrt(power / (power + _25_TO_THE_7))
    return share


def _mean_hue(
    a1: Numbers, b1: Numbers, c1: Numbers, a2: Numbers, b2: Numbers, c2: Numbers
) -> tuple[Numbers, Numbers]:
    """Cosine and sine of the mean hue; of the other hue where one colour is grey.

    Where hues are more than a quarter turn apart, sums of vectors lose their digits: then the mean hue is
    perpendicular to the difference.
    """
    turn, is_far = _turn(a1, b1, a2, b2), a1 * a2 + b1 * b2 < 0
    a = np.where(is_far, turn * (b2 * c1 - b1 * c2), a1 * c2 + a2 * c1)
    b = np.where(is_far, turn * (a1 * c2 - a2 * c1), b1 * c2 + b2 * c1)
    is_grey = c1 * c2 == 0
    a, b = np.where(is_grey, a1 + a2, a), np.where(is_grey, b1 + b2, b)
    length = _length(a, b)
    length[length == 0] = 1
    return a / length, b / length


def _hue_distance(a1: Numbers, b1: Numbers, a2: Numbers, b2: Numbers, product: Numbers) -> Numbers:
    """2·√(C₁·C₂)·sin(Δh / 2), without the difference of two nearly equal numbers."""
    dot = a1 * a2 + b1 * b2
    half_cosine = np.sqrt(np.maximum((product + dot) / 2, 0))
    half_cosine[half_cosine == 0] = 1
    far = _turn(a1, b1, a2, b2) * np.sqrt(np.maximum(2 * (product - dot), 0))
    return np.where(dot < 0, far, (a1 * b2 - b1 * a2) / half_cosine)


def _turn(a1: Numbers, b1: Numbers, a2: Numbers, b2: Numbers) -> Numbers:
    """The sign of the angle from the first hue to the second; from the smaller angle to the larger, as the
    formula requires, where they are opposite."""
    cross = a1 * b2 - b1 * a2
    turn: Numbers = np.where(cross == 0, _side(a1, b1), np.sign(cross)).astype(a1.dtype)
    return turn


def _side(a: Numbers, b: Numbers) -> Numbers:
    """1 for hue angles below 180°, −1 for others: selects one of two opposite hues."""
    return np.where((b > 0) | ((b == 0) & (a > 0)), 1.0, -1.0)


def _hue_weight(cos: Numbers, sin: Numbers) -> Numbers:
    """1 − 0.17·cos(h − 30°) + 0.24·cos 2h + 0.32·cos(3h + 6°) − 0.20·cos(4h − 63°)."""
    cos2, sin2 = cos * cos - sin * sin, 2 * sin * cos
    cos3, sin3 = cos2 * cos - sin2 * sin, sin2 * cos + cos2 * sin
    cos4, sin4 = cos2 * cos2 - sin2 * sin2, 2 * sin2 * cos2
    weight: Numbers = (
        1
        - 0.17 * (cos * _cos(30) + sin * _sin(30))
        + 0.24 * cos2
        + 0.32 * (cos3 * _cos(6) - sin3 * _sin(6))
        - 0.20 * (cos4 * _cos(63) + sin4 * _sin(63))
    )
    return weight


def _blue_turn(cos: Numbers, sin: Numbers) -> Numbers:
    """Sine of the angle by which chroma and hue are coupled, which is large for blues alone."""
    turned_cos, turned_sin = cos * _cos(275) + sin * _sin(275), sin * _cos(275) - cos * _sin(275)
    from_blue = np.arctan2(turned_sin, turned_cos) / math.radians(25)
    turn: Numbers = np.sin(math.radians(60) * np.exp(-from_blue * from_blue))
    return turn


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))


def _sin(degrees: float) -> float:
    return math.sin(math.radians(degrees))
