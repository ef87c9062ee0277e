"""What convolutional networks consist of, on planes of height × width × channels.

Compiled for processors with AVX2 and fused multiply-add; elsewhere `available` is false.
"""

from __future__ import annotations

import ctypes
import math
import threading
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
_STEP = 4
"""Outputs of a tile in each direction, where nothing else is asked for."""
_KEPT_ROOM = 1 << 24
"""Floats that a thread keeps between its calls; more are asked for each time."""


class PackedKernel(NamedTuple):
    """A kernel in the order in which it is read, with the bias of its outputs."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    channels: int
    side: int
    stride: int
    border: int
    """Pixels of zeros around the plane."""
    step: int
    """Outputs of a tile in each direction; 0 without tiles."""


def available() -> bool:
    return _functions() is not None


@cache
def widest_lanes() -> int:
    """Numbers in the widest registers of this processor."""
    return int(_loaded().widest_lanes())


def packed(
    kernel: NDArray[np.float32], bias: NDArray[np.float32], stride: int, border: int, step: int = _STEP
) -> PackedKernel:
    """From outputs × channels × side × side. Sides of 3 and 5 without a stride are transformed, which takes
    up to six times their memory: for tiles of `step` × `step` outputs, 4 or 5 for a side of 3 and 4 for a
    side of 5. The best divides the planes with the least rest."""
    outputs, channels, side, _ = kernel.shape
    assert outputs % _PACKED == 0
    kernel = np.ascontiguousarray(kernel, np.float32)
    if side in (3, 5) and stride == 1 and channels % _PACKED == 0:
        assert (side, step) in ((3, 4), (3, 5), (5, 4))
        weights = empty_plane(((step + side - 1) ** 2, outputs * channels))
        _loaded().transform_kernel(kernel.ctypes.data, outputs, channels, side, step, weights.ctypes.data)
    else:
        step = 0
        blocks = kernel.reshape(outputs // _PACKED, _PACKED, channels, side, side)
        weights = np.ascontiguousarray(blocks.transpose(0, 3, 4, 2, 1))
    return PackedKernel(weights, np.ascontiguousarray(bias, np.float32), channels, side, stride, border, step)


def convolved(plane: Plane, kernel: PackedKernel, lanes: int | None = None) -> Plane:
    """The convolution with its bias; what is negative becomes 0.

    Tiles are computed with registers of 8 or 16 lanes, the widest that there are by default; the digits are
    the same.
    """
    height, width, channels = plane.shape
    outputs = len(kernel.bias)
    rows, columns = (
        (length + 2 * kernel.border - kernel.side) // kernel.stride + 1 for length in (height, width)
    )
    out = empty_plane((rows, columns, outputs))
    given = (plane.ctypes.data, height, width, channels, kernel.weights.ctypes.data, kernel.bias.ctypes.data)
    if kernel.step:
        room = kept_room(_loaded().tiles_room(channels, outputs, kernel.side, kernel.step))
        by = (kernel.border, kernel.step, lanes or widest_lanes(), room.ctypes.data)
        _loaded().convolve_by_tiles(*given, outputs, kernel.side, *by, out.ctypes.data)
    elif _loaded().convolve(*given, outputs, kernel.side, kernel.stride, kernel.border, out.ctypes.data):
        raise MemoryError
    return out


def smoothly_pooled(plane: Plane, window: NDArray[np.float32], epsilon: float) -> Plane:
    """The root of the mean square under a window of 3 × 3 pixels around every second one, plus epsilon."""
    height, width, channels = plane.shape
    assert window.shape == (3, 3) and window.flags.c_contiguous
    out = empty_plane(((height + 1) // 2, (width + 1) // 2, channels))
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


def scaled_levels(pixels: Pixels, scale: NDArray[np.float32], shift: NDArray[np.float32]) -> Plane:
    """Each channel's levels times its scale, plus its shift."""
    pixels = np.ascontiguousarray(pixels)
    out = np.empty(pixels.shape, np.float32)
    _loaded().scale_levels(
        pixels.ctypes.data, pixels.size // 3, scale.ctypes.data, shift.ctypes.data, out.ctypes.data
    )
    return out


def empty_plane(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Aligned to the cache's lines: registers of 64 bytes are slow across them."""
    size, line = math.prod(shape), 16
    room = np.empty(size + line, np.float32)
    start = -(room.ctypes.data // 4) % line
    return room[start : start + size].reshape(shape)


_own = threading.local()


def kept_room(floats: int) -> NDArray[np.float32]:
    """Memory for one call. A thread keeps it, since the first use of new memory takes long."""
    kept: NDArray[np.float32] | None = getattr(_own, "room", None)
    if kept is not None and len(kept) >= floats:
        return kept
    room = empty_plane((floats,))
    if floats <= _KEPT_ROOM:
        _own.room = room
    return room


def _loaded() -> Any:
    functions = _functions()
    assert functions is not None, "ask `available` first"
    return functions


@cache
def _functions() -> Any | None:
    library = kernels.library()
    if library is None or not library.convolution_is_fast():
        return None
    if not hasattr(library, "run_network"):  # compiled before there was `perceptual`
        return None
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    plane = (pointer, size, size, size)
    library.convolve.argtypes = (*plane, pointer, pointer, *[size] * 4, pointer)
    library.convolve_by_tiles.argtypes = (*plane, pointer, pointer, *[size] * 5, pointer, pointer)
    library.convolve_by_tiles.restype = None
    library.tiles_room.argtypes, library.tiles_room.restype = [size] * 4, size
    library.transform_kernel.argtypes = (*plane, size, pointer)
    library.pool_smoothly.argtypes = (*plane, pointer, ctypes.c_float, pointer)
    library.centre_channels.argtypes = (pointer, size, size, pointer, pointer)
    library.channel_distances.argtypes = (pointer, pointer, size, size, pointer)
    library.scale_levels.argtypes = (pointer, size, pointer, pointer, pointer)
    return library
