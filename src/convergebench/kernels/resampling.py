"""Pictures at other sizes, to the bit as OpenCV and Pillow make them, in a fraction of their time."""

from __future__ import annotations

from functools import cache, lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ONE = 1 << 22
"""The sum of the weights of a place."""
_LARGEST_FACTOR = 256


def available() -> bool:
    return hasattr(kernels.library(), "resample_square")  # not in kernels compiled before it


def block_means(levels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8] | None:
    """Reduced by area averaging, as OpenCV does it, or None where OpenCV is to do it.

    That is where pixels are not divided evenly, and for half the size, which OpenCV rounds otherwise and has
    in little time. `levels` have one channel without an axis of its own, or several.
    """
    factor = levels.shape[0] // height
    if (height * factor, width * factor) != levels.shape[:2] or not 2 < factor <= _LARGEST_FACTOR:
        return None
    levels = np.ascontiguousarray(levels)
    channels = levels.size // (levels.shape[0] * levels.shape[1])
    means = np.empty((height, width, *levels.shape[2:]), np.uint8)
    shape = (*levels.shape[:2], channels, factor)
    if _functions().average_blocks(address(levels), *shape, address(means)):
        raise MemoryError
    return means


def area_means(pixels: Pixels, width: int, height: int) -> Pixels | None:
    """A picture or a part of one, reduced by area averaging, as OpenCV does it with SSE or AVX; None where
    OpenCV is to do it, which is for whole factors and where a side is not reduced."""
    factors = (pixels.shape[0] / height, pixels.shape[1] / width)
    if min(factors) < 1 or all(factor.is_integer() for factor in factors):
        return None
    if pixels.strides[1:] != (3, 1):
        pixels = np.ascontiguousarray(pixels)
    along, down = _cover(pixels.shape[1], width), _cover(pixels.shape[0], height)
    means = np.empty((height, width, 3), np.uint8)
    arguments = (*_addresses(along), *_addresses(down), address(means))
    if _functions().average_area(address(pixels), pixels.strides[0], pixels.shape[1], *arguments):
        raise MemoryError
    return means


class _Cover(NamedTuple):
    """For every place, the first of the pixels that it covers, and their shares of it, places × pixels."""

    firsts: NDArray[np.int32]
    shares: NDArray[np.float32]


def _addresses(by: _Cover) -> tuple[int, int, int, int]:
    return address(by.firsts), address(by.shares), *by.shares.shape


_NO_SHARE = 1e-3
"""Of a pixel: OpenCV ignores what covers less of it."""


@lru_cache(maxsize=64)
def _cover(length: int, places: int) -> _Cover:
    scale = 1 / (places / length)
    taps = min(ceil(scale) + 1, length)
    firsts, shares = np.empty(places, np.int32), np.zeros((places, taps), np.float32)
    for place in range(places):
        start, end = place * scale, place * scale + scale
        whole = min(scale, length - start)
        last = min(floor(end), length - 1)
        first = min(ceil(start), last)
        of_place = firsts[place] = min(max(first - 1, 0), length - taps)
        if first - start > _NO_SHARE:
            shares[place, first - 1 - of_place] = (first - start) / whole
        shares[place, first - of_place : last - of_place] = 1 / whole
        if end - last > _NO_SHARE:
            shares[place, last - of_place] = min(end - last, 1, whole) / whole
    return _Cover(firsts, shares)


def bilinear(pixels: Pixels, side: int) -> Pixels:
    """A square picture with other sides, as Pillow's `resize` with BILINEAR makes it, which averages when it
    reduces. Of others, Pillow's versions differ in whether they resample along or down first."""
    pixels = np.ascontiguousarray(pixels)
    given, width, _ = pixels.shape
    assert given == width
    by = _bilinear(given, side)
    resampled = np.empty((side, side, 3), np.uint8)
    arguments = (address(by.firsts), address(by.weights), *by.weights.shape)
    if _functions().resample_square(address(pixels), given, *arguments, address(resampled)):
        raise MemoryError
    return resampled


class _Resampling(NamedTuple):
    """For every place of the new side, the first of its taps and their weights, places × taps."""

    firsts: NDArray[np.int32]
    weights: NDArray[np.int32]


@lru_cache(maxsize=64)
def _bilinear(length: int, places: int) -> _Resampling:
    scale = length / places
    reach = max(scale, 1.0)
    centres = ((np.arange(places) + 0.5) * scale)[:, None]
    firsts = np.maximum((centres - reach + 0.5).astype(np.int32), 0)
    ends = np.minimum((centres + reach + 0.5).astype(np.int32), length)
    taps = int((ends - firsts).max())
    firsts = np.minimum(firsts, length - taps)
    at = firsts + np.arange(taps)
    weights = np.maximum(1 - np.abs((at - centres + 0.5) * (1 / reach)), 0)
    weights /= weights.cumsum(axis=1)[:, -1:]  # one after the other, since Pillow's last digits count
    return _Resampling(firsts.ravel().astype(np.int32), np.floor(weights * _ONE + 0.5).astype(np.int32))


@cache
def _functions() -> Any:
    import ctypes

    library = kernels.loaded()
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.average_blocks.argtypes = (pointer, *[size] * 4, pointer)
    library.resample_square.argtypes = (pointer, size, pointer, pointer, size, size, pointer)
    cover = (pointer, pointer, size, size)
    library.average_area.argtypes = (pointer, size, size, *cover, *cover, pointer)
    return library
