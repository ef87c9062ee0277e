"""ꟻLIP's model of an observer: colours, filters and mappings for one number of pixels per degree.

After Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström and Fairchild, "FLIP: A Difference Evaluator for
Alternating Images" (2020), for pictures of low dynamic range. Symbols in comments are the paper's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.errors import WrongUse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST_PIXELS_PER_DEGREE, MOST_PIXELS_PER_DEGREE = 1.0, 400.0
_PRIMARIES = np.array([[0.64, 0.33], [0.30, 0.60], [0.15, 0.06]])
"""sRGB's red, green and blue as x and y."""
_WHITE = np.array([0.950428545, 1.0, 1.088900371])
"""D65 as X, Y and Z."""
_HUNT = 0.01
_COLOUR_EXPONENT = 0.7  # q_c
_KNEE, _AT_KNEE = 0.4, 0.95  # p_c, p_t
_FEATURE_WIDTH = 0.082  # w, in degrees
_SENSITIVITY_SPREADS = {"luminance": 0.0047, "red_green": 0.0053}  # b of A and RG
_BLUE_YELLOW = ((34.1, 0.04), (13.5, 0.025))  # a and b of the two Gaussians of BY
_STANDARD_DEVIATIONS = 3
_NEGLIGIBLE = 2e-7
"""Smaller outer weights are omitted: this changes the lightness of white next to black by less than
0.001."""


@dataclass(frozen=True)
class Filters:
    """Half of each one-dimensional filter: the weights from the centre outwards.

    All are symmetric but `edge`, whose weights have the other sign before the centre. The blue-yellow pair is
    applied separately, by column and by row, and summed.
    """

    luminance: Numbers
    red_green: Numbers
    blue_yellow: tuple[Numbers, Numbers]
    smooth: Numbers
    edge: Numbers
    point: Numbers


@dataclass(frozen=True)
class FlipModel:
    filters: Filters
    linear: Numbers
    """The linear light of each of the 256 levels."""
    to_opponent: Numbers
    """Linear RGB to luminance, red-green and blue-yellow, each relative to white."""
    to_xyz: Numbers
    """Linear RGB to XYZ relative to white."""
    to_rgb: Numbers
    largest_distance: float
    """HyAB between sRGB's green and blue, the two colours that are farthest apart."""
    exponent: float
    below: float
    """The colour difference is min(below · u, above · u + offset) with u = (distance / largest)^exponent."""
    above: float
    offset: float


def lab(xyz: Numbers) -> Numbers:
    """CIELAB of XYZ relative to white, a* and b* lowered in the dark (the Hunt effect)."""
    roots = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (841 / 108) + 4 / 29)
    x, y, z = np.moveaxis(roots, -1, 0)
    lightness = 116 * y - 16
    return np.stack([lightness, _HUNT * lightness * 500 * (x - y), _HUNT * lightness * 200 * (y - z)], -1)


@lru_cache(maxsize=16)
def model_for(pixels_per_degree: float) -> FlipModel:
    if not LEAST_PIXELS_PER_DEGREE <= pixels_per_degree <= MOST_PIXELS_PER_DEGREE:
        raise WrongUse(
            f"ꟻLIP needs from {LEAST_PIXELS_PER_DEGREE:g} to {MOST_PIXELS_PER_DEGREE:g} pixels per degree, "
            f"not {pixels_per_degree:g}"
        )
    to_xyz = _to_xyz() / _WHITE[:, None]
    x, y, z = to_xyz
    to_opponent = np.stack([y, x - y, y - z])
    lightness, a, b = lab(to_xyz.T[1]) - lab(to_xyz.T[2])
    slope = (1 - _AT_KNEE) / (1 - _KNEE)
    return FlipModel(
        filters=_filters(pixels_per_degree),
        linear=_linear_light(np.arange(256) / 255),
        to_opponent=to_opponent,
        to_rgb=np.linalg.inv(to_xyz),
        to_xyz=to_xyz,
        largest_distance=abs(lightness) + math.hypot(a, b),
        exponent=_COLOUR_EXPONENT,
        below=_AT_KNEE / _KNEE,
        above=slope,
        offset=_AT_KNEE - slope * _KNEE,
    )


def _linear_light(level: Numbers) -> Numbers:
    return np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)


def _to_xyz() -> Numbers:
    """Linear sRGB to XYZ: the primaries, scaled so that together they are white."""
    x, y = _PRIMARIES.T
    columns = np.stack([x / y, np.ones(3), (1 - x - y) / y])
    scaled: Numbers = columns * np.linalg.solve(columns, _WHITE)
    return scaled


def _filters(pixels_per_degree: float) -> Filters:
    widest = max(spread for _, spread in _BLUE_YELLOW)
    radius = math.ceil(_STANDARD_DEVIATIONS * math.sqrt(widest / (2 * math.pi**2)) * pixels_per_degree)
    squared = (np.arange(radius + 1) / pixels_per_degree) ** 2

    def sensitivity(spread: float) -> Numbers:
        return np.exp(-(math.pi**2) * squared / spread)

    bells = [sensitivity(spread) for _, spread in _BLUE_YELLOW]
    heights = [height * math.sqrt(math.pi / spread) for height, spread in _BLUE_YELLOW]
    # Down and along, each half carries the root of its share in the sum of both over the plane.
    whole = sum(height * _total(bell) ** 2 for height, bell in zip(heights, bells, strict=True))
    wide, narrow = (bell * math.sqrt(height / whole) for height, bell in zip(heights, bells, strict=True))
    smooth, edge, point = _feature_filters(pixels_per_degree)
    return Filters(
        luminance=_trimmed(sensitivity(_SENSITIVITY_SPREADS["luminance"])),
        red_green=_trimmed(sensitivity(_SENSITIVITY_SPREADS["red_green"])),
        blue_yellow=(wide, narrow),
        smooth=smooth,
        edge=edge,
        point=point,
    )


def _feature_filters(pixels_per_degree: float) -> tuple[Numbers, Numbers, Numbers]:
    """A Gaussian, its first and its second derivative; the parts of either sign add up to one."""
    deviation = 0.5 * _FEATURE_WIDTH * pixels_per_degree
    offsets = np.arange(math.ceil(_STANDARD_DEVIATIONS * deviation) + 1.0)
    bell = np.exp(-(offsets**2) / (2 * deviation**2))
    slope = offsets * bell
    bend = ((offsets / deviation) ** 2 - 1) * bell
    rising, falling = (_total(np.where(mask, bend, 0)) for mask in (bend > 0, bend < 0))
    return bell / _total(bell), slope / slope.sum(), np.where(bend > 0, bend / rising, -bend / falling)


def _total(half: Numbers) -> float:
    """The sum over both sides of a symmetric filter."""
    return float(2 * half.sum() - half[0])


def _trimmed(half: Numbers) -> Numbers:
    half = half / _total(half)
    kept = half[half >= _NEGLIGIBLE]
    return kept / _total(kept)


def on_both_sides(half: Numbers, *, odd: bool = False) -> Numbers:
    """The whole filter, in the order in which a correlation takes it."""
    return np.concatenate([(-half if odd else half)[:0:-1], half])
