"""ꟻLIP's map between two pictures of one size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from convergebench import kernels
from convergebench.errors import WrongUse
from convergebench.metrics.flip import _native, _opencv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.types import Pixels

FlipAgainst: TypeAlias = "Callable[[Pixels, float], Callable[[Pixels], NDArray[np.float32]]]"
"""Prepares a reference for a number of pixels per degree; what it gives makes ꟻLIP's map of each result."""

PIXELS_PER_DEGREE = 67.0206
"""For a picture at its native size: a screen of 3840 pixels and 0.7 m, seen from 0.7 m, ꟻLIP's default."""


class FlipSource(NamedTuple):
    """The part that depends on the source alone: 20 bytes per pixel."""

    features: NDArray[np.float32]
    """Lightness, a, b, edges and points after the filters, 5 × height × width."""
    pixels_per_degree: float


def pixels_per_degree(map_size: tuple[int, int], native_size: tuple[int, int]) -> float:
    """Pixels per degree for a map that is computed at another size than the picture's, as width and height.

    A picture reduced to a quarter covers the same angle with a quarter of the pixels.

    >>> pixels_per_degree((256, 192), (1024, 768)) == PIXELS_PER_DEGREE / 4
    True
    """
    return PIXELS_PER_DEGREE * max(map_size) / max(native_size)


def flip_source(source: Pixels, pixels_per_degree: float = PIXELS_PER_DEGREE) -> FlipSource:
    """Prepare a source for `flip_map`; pixels per degree can be from 1 to 400."""
    features = _native.features if kernels.available() else _opencv.features
    return FlipSource(features(source, pixels_per_degree), pixels_per_degree)


def flip_map(source: FlipSource, result: Pixels) -> NDArray[np.float32]:
    """The visibility of the difference at every pixel, from 0 to 1, height × width.

    >>> grey = np.full((2, 3, 3), 100, np.uint8)
    >>> flip_map(flip_source(grey), grey + 20).round(2).tolist()
    [[0.25, 0.25, 0.25], [0.25, 0.25, 0.25]]
    """
    _, height, width = source.features.shape
    if result.shape != (height, width, 3):
        raise WrongUse(
            f"ꟻLIP compares pictures of one size: the source has {width} × {height} pixels, "
            f"the result {result.shape[1]} × {result.shape[0]}; resize the result to the source"
        )
    difference = _native.difference if kernels.available() else _opencv.difference
    return difference(source.features, result, source.pixels_per_degree)


def flip_difference(one: FlipSource, other: FlipSource) -> NDArray[np.float32]:
    """The same map from two prepared pictures of one size, in a fraction of the time; in either order."""
    if one.features.shape != other.features.shape or one.pixels_per_degree != other.pixels_per_degree:
        raise WrongUse("ꟻLIP compares pictures of one size, prepared for the same pixels per degree")
    of_features = _native.difference_of_features if kernels.available() else _opencv.difference_of_features
    return of_features(one.features, other.features, one.pixels_per_degree)


def flip_against(reference: Pixels, pixels_per_degree: float) -> Callable[[Pixels], NDArray[np.float32]]:
    """A `FlipAgainst` of the processor."""
    return partial(flip_map, flip_source(reference, pixels_per_degree))
