"""What convolutional networks consist of, on planes of height × width × channels.

Compiled for processors with AVX2 and fused multiply-add; elsewhere `available` is false.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Plane = NDArray[np.float32]

_PACKED = 16
"""Outputs are a multiple of this number."""
_POINTS = 36


class PackedKernel(NamedTuple):
    """A kernel in the order in which it is read, with the bias of its outputs."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    side: int
    stride: int
    border: int
    """Pixels of zeros around the plane."""
    by_tiles: bool


def available() -> bool:
    return _functions() is not None


def packed(kernel: NDArray[np.float32], bias: NDArray[np.float32], stride: int, border: int) -> PackedKernel:
    """From outputs × channels × side × side. Sides of 3 and 5 are transformed if the plane keeps its size,
    which takes up to four times their memory."""
    outputs, channels, side, _ = kernel.shape
    assert outputs % _PACKED == 0
    kernel = np.ascontiguousarray(kernel, np.float32)
    by_tiles = side in (3, 5) and stride == 1 and border == side // 2 and channels % _PACKED == 0
    if by_tiles:
        weights = np.empty((_POINTS, outputs * channels), np.float32)
        _loaded().transform_kernel(kernel.ctypes.data, outputs, channels, side, weights.ctypes.data)
    else:
        blocks = kernel.reshape(outputs // _PACKED, _PACKED, channels, side, side)
        weights = np.ascontiguousarray(blocks.transpose(0, 3, 4, 2, 1))
    return PackedKernel(weights, np.ascontiguousarray(bias, np.float32), side, stride, border, by_tiles)


def convolved(plane: Plane, kernel: PackedKernel) -> Plane:
    """The convolution with its bias; what is negative becomes 0."""
    height, width, channels = plane.shape
    outputs = len(kernel.bias)
    rows, columns = (
        (length + 2 * kernel.border - kernel.side) // kernel.stride + 1 for length in (height, width)
    )
    out = np.empty((rows, columns, outputs), np.float32)
    given = (plane.ctypes.data, height, width, channels, kernel.weights.ctypes.data, kernel.bias.ctypes.data)
    if kernel.by_tiles:
        failed = _loaded().convolve_by_tiles(*given, outputs, kernel.side, out.ctypes.data)
    else:
        shape = (outputs, kernel.side, kernel.stride, kernel.border)
        failed = _loaded().convolve(*given, *shape, out.ctypes.data)
    if failed:
        raise MemoryError
    return out


def pooled(plane: Plane, side: int) -> Plane:
    """The largest of each side × side pixels, two apart."""
    height, width, channels = plane.shape
    out = np.empty(((height - side) // 2 + 1, (width - side) // 2 + 1, channels), np.float32)
    _loaded().pool_largest(plane.ctypes.data, height, width, channels, side, out.ctypes.data)
    return out


def smoothly_pooled(plane: Plane, window: NDArray[np.float32], epsilon: float) -> Plane:
    """The root of the mean square under a window of 3 × 3 pixels around every second one, plus epsilon."""
    height, width, channels = plane.shape
    assert window.shape == (3, 3) and window.flags.c_contiguous
    out = np.empty(((height + 1) // 2, (width + 1) // 2, channels), np.float32)
    _loaded().pool_smoothly(
        plane.ctypes.data, height, width, channels, window.ctypes.data, epsilon, out.ctypes.data
    )
    return out


class CentredPlane(NamedTuple):
    """A plane whose channels have mean 0, with what their means were and their variances."""

    plane: Plane
    means: NDArray[np.float32]
    variances: NDArray[np.float64]


def centred(plane: Plane) -> CentredPlane:
    """The plane itself is changed."""
    height, width, channels = plane.shape
    means, variances = np.empty(channels, np.float32), np.empty(channels)
    _loaded().centre_channels(
        plane.ctypes.data, height * width, channels, means.ctypes.data, variances.ctypes.data
    )
    return CentredPlane(plane, means, variances)


def channel_distances(one: Plane, other: Plane) -> NDArray[np.float64]:
    """Of each channel, the mean squared difference."""
    assert one.shape == other.shape
    height, width, channels = one.shape
    out = np.empty(channels)
    _loaded().channel_distances(one.ctypes.data, other.ctypes.data, height * width, channels, out.ctypes.data)
    return out


def normalised(plane: Plane, gains: NDArray[np.float32], epsilon: float) -> Plane:
    """Each pixel's channels at unit length, times the gain of each channel."""
    height, width, channels = plane.shape
    out = np.empty_like(plane)
    gains = np.ascontiguousarray(gains, np.float32)
    _loaded().normalise_channels(
        plane.ctypes.data, height * width, channels, gains.ctypes.data, epsilon, out.ctypes.data
    )
    return out


def scaled_levels(pixels: Pixels, scale: NDArray[np.float32], shift: NDArray[np.float32]) -> Plane:
    """Each channel's levels times its scale, plus its shift."""
    pixels = np.ascontiguousarray(pixels)
    out = np.empty(pixels.shape, np.float32)
    _loaded().scale_levels(
        pixels.ctypes.data, pixels.size // 3, scale.ctypes.data, shift.ctypes.data, out.ctypes.data
    )
    return out


def _loaded() -> Any:
    functions = _functions()
    assert functions is not None, "ask `available` first"
    return functions


@cache
def _functions() -> Any | None:
    library = kernels.library()
    if library is None or not library.convolution_is_fast():
        return None
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    plane = (pointer, size, size, size)
    library.convolve.argtypes = (*plane, pointer, pointer, *[size] * 4, pointer)
    library.convolve_by_tiles.argtypes = (*plane, pointer, pointer, size, size, pointer)
    library.transform_kernel.argtypes = (*plane, pointer)
    library.pool_largest.argtypes = (*plane, size, pointer)
    library.pool_smoothly.argtypes = (*plane, pointer, ctypes.c_float, pointer)
    library.centre_channels.argtypes = (pointer, size, size, pointer, pointer)
    library.channel_distances.argtypes = (pointer, pointer, size, size, pointer)
    library.normalise_channels.argtypes = (pointer, size, size, pointer, ctypes.c_float, pointer)
    library.scale_levels.argtypes = (pointer, size, pointer, pointer, pointer)
    return library
