"""Loops over pixels in C: a few times as fast as NumPy and OpenCV with their many passes.

They are compiled when the package is built, if there is a compiler; otherwise callers use slower code. Loops
release the GIL.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench.kernels.addresses import address
from convergebench.types import Pixels

if TYPE_CHECKING:
    import ctypes

    from numpy.typing import NDArray


def compiled() -> bool:
    """Whether loops over whole numbers and files can be used."""
    return library() is not None


def available() -> bool:
    """Whether all loops can be used. Those over floats are slow without fused multiply-add."""
    return compiled() and _fuses_multiply_add()


@cache
def _fuses_multiply_add() -> bool:
    return bool(loaded().fuses_multiply_add())


def ssim_total(source: Pixels, result: Pixels, c1: float, c2: float) -> float:
    """The sum of all 7 × 7 windows' similarities; the constants are scaled like sums over a window."""
    source, result = np.ascontiguousarray(source), np.ascontiguousarray(result)
    height, width, _ = source.shape
    assert source.shape == result.shape and min(height, width) >= 7
    given = address(source), address(result), height, width
    total: float = loaded().ssim_total(*given, c1, c2, MOST_LANES)
    return total


def base64_encoded(data: bytes) -> bytes | None:
    """As `base64.b64encode`, in a fraction of its time; None if it is not compiled."""
    functions = library()
    if functions is None or not hasattr(functions, "base64_encode"):
        return None
    text: bytes = _new_bytes()(None, (len(data) + 2) // 3 * 4)
    functions.base64_encode(data, len(data), np.frombuffer(text, np.uint8).ctypes.data if data else None)
    return text


COPYING_THREADS = 4
"""One alone does not use all of the memory's speed, and all cores together use no more than some."""


def copy_all(arrays: Sequence[NDArray[np.uint8]], to: Sequence[NDArray[np.uint8]]) -> None:
    """Copy arrays without gaps to others of their sizes, all in one call, and many bytes on several cores."""
    assert all(one.nbytes == other.nbytes for one, other in zip(arrays, to, strict=True))
    if not compiled():
        for one, other in zip(arrays, to, strict=True):
            np.copyto(other, one.reshape(other.shape))
        return
    assert all(each.flags.c_contiguous for each in (*arrays, *to))
    addresses = [np.array([each.ctypes.data for each in group], np.int64) for group in (to, arrays)]
    sizes = np.array([each.nbytes for each in arrays], np.int64)
    loaded().copy_each(*(each.ctypes.data for each in (*addresses, sizes)), len(sizes), COPYING_THREADS)


def can_write_files() -> bool:
    return hasattr(library(), "write_files")  # not in kernels compiled before it


class NewFile(NamedTuple):
    part: str
    """The name under which it is written."""
    path: str
    """Its name when it is complete and on the disk."""
    content: bytes | memoryview


NAME_TAKEN = -1


def write_files(files: Sequence[NewFile]) -> list[int]:
    """Write new files durably, several at a time, without the GIL. For each, the number of its error, 0, or
    NAME_TAKEN if its path exists already."""
    import ctypes

    parts, paths, contents = zip(*files, strict=True)
    count = len(files)
    names = ctypes.c_char_p * count
    errors = (ctypes.c_int64 * count)()
    arrays = [np.frombuffer(content, np.uint8) for content in contents]
    loaded().write_files(
        names(*map(os.fsencode, parts)), names(*map(os.fsencode, paths)),
        (ctypes.c_void_p * count)(*(array.ctypes.data for array in arrays)),
        (ctypes.c_int64 * count)(*map(len, contents)), count, errors,
    )  # fmt: skip
    return list(errors)


MOST_LANES = 16
"""Loops use the widest registers up to so many floats that the processor has. The digits are the same with
registers of 8 floats, and without any."""

FLIP_REACH = 60
"""The maximum radius of a filter of ꟻLIP, in pixels."""


class FlipParameters(NamedTuple):
    """The parameters of ꟻLIP's model for flip.c, in its order."""

    constants: NDArray[np.float32]
    weights: NDArray[np.float32]
    """FLIP_REACH + 1 weights of each of the seven filters, from the centre outwards."""
    reaches: NDArray[np.int64]
    """At least 1; those of both filters of blue-yellow are the same, and those of the last three."""


def flip_features(pixels: Pixels, parameters: FlipParameters) -> NDArray[np.float32]:
    """ꟻLIP's features of one picture: lightness, a, b, edges and points, 5 × height × width."""
    pixels = np.ascontiguousarray(pixels)
    height, width, _ = pixels.shape
    planes = np.empty((5, height, width), np.float32)
    addresses = [address(array) for array in parameters]
    if loaded().flip_features(address(pixels), height, width, *addresses, MOST_LANES, address(planes)):
        raise MemoryError
    return planes


def flip_map(
    features: NDArray[np.float32], pixels: Pixels, parameters: FlipParameters
) -> NDArray[np.float32]:
    """ꟻLIP's map, height × width, of a picture against the features of another."""
    pixels = np.ascontiguousarray(pixels)
    height, width, _ = pixels.shape
    assert features.shape == (5, height, width) and features.flags.c_contiguous
    found = np.empty((height, width), np.float32)
    addresses = [address(array) for array in parameters]
    planes = (address(features), address(found))
    if loaded().flip_compare(address(pixels), height, width, *addresses, MOST_LANES, *planes):
        raise MemoryError
    return found


def flip_difference(
    one: NDArray[np.float32], other: NDArray[np.float32], parameters: FlipParameters
) -> NDArray[np.float32]:
    """ꟻLIP's map, height × width, from the features of both pictures, or of the same part of both."""
    assert one.shape == other.shape and one.strides == other.strides
    plane, pitch, step = (stride // one.itemsize for stride in one.strides)
    assert step == 1 and one.dtype == other.dtype == np.float32
    found = np.empty(one.shape[1:], np.float32)
    addresses = [address(array) for array in (parameters.constants, found)]
    loaded().flip_part_difference(address(one), address(other), plane, pitch, *found.shape, *addresses)
    return found


def ms_ssim_sums(
    source: NDArray[np.float32] | Pixels,
    windows: Sequence[NDArray[np.float32]],
    result: NDArray[np.float32] | Pixels,
    weights: NDArray[np.float32],
    constants: tuple[float, float, float],
    *,
    with_light: bool,
) -> NDArray[np.float64]:
    """Per channel, the sum over all windows of contrast and structure, or with light of all three terms.

    Source and result are both planes or both levels. `windows` are the means and variances of the source's
    windows, `weights` the six of the window from its middle outwards, `constants` C1, C2 and the value that
    was subtracted from all planes.
    """
    height, width, _ = result.shape
    compared: list[NDArray[Any]] = [np.ascontiguousarray(each) for each in (source, result)]
    known = [np.ascontiguousarray(each, np.float32) for each in windows]
    assert all(each.shape == (height, width, 3) for each in (*known, *compared)) and min(height, width) >= 11
    assert compared[0].dtype == compared[1].dtype in (np.uint8, np.float32)
    sums = np.empty(3)
    if loaded().ms_ssim_sums(
        *(address(each) for each in compared), compared[0].dtype == np.uint8,
        *(address(each) for each in known),
        height, width, address(weights), *constants, with_light, MOST_LANES, address(sums),
    ):  # fmt: skip
        raise MemoryError
    return sums


def halved(pixels: Pixels | NDArray[np.float32], middle: float) -> NDArray[np.float32]:
    """The mean of each 2 × 2 pixels; of levels, less the middle. Both sides are even."""
    given: NDArray[Any] = np.ascontiguousarray(pixels)
    height, width, _ = given.shape
    assert height % 2 == width % 2 == 0 and given.dtype in (np.uint8, np.float32)
    means = np.empty((height // 2, width // 2, 3), np.float32)
    loaded().halve_pixels(address(given), given.dtype == np.uint8, height, width, middle, address(means))
    return means


def map_part_sums(
    found: NDArray[np.float32],
    mask: NDArray[np.bool_],
    covered: NDArray[np.bool_] | None,
    visible: float,
    ramp: tuple[float, float],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Histograms in 64 bins, and sums, of a map's values from 0 to 1 outside and inside a mask: a row each.

    The sums are the number of pixels, of those above `visible`, and of the ramps, which rise from 0 at the
    first value to 1 over the second. If there is a part that is covered, only that counts.
    """
    found, mask = np.ascontiguousarray(found, np.float32), np.ascontiguousarray(mask, np.bool_)
    assert mask.shape == found.shape and (covered is None or covered.shape == found.shape)
    covered = None if covered is None else np.ascontiguousarray(covered, np.bool_)
    histograms, sums = np.empty((2, 64), np.int64), np.empty((2, 3))
    loaded().map_part_sums(
        address(found), address(mask), None if covered is None else address(covered), found.size,
        visible, *ramp, address(histograms), address(sums),
    )  # fmt: skip
    return histograms, sums


def block_noise(values: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Of each block of 8 × 8 pixels the sum, over its 2 × 2 pixels and the channels, of the squared diagonal
    difference."""
    values = np.ascontiguousarray(values)
    height, width, channels = values.shape
    sums = np.empty((height // 8, width // 8), np.int32)
    loaded().block_noise(address(values), height, width, channels, address(sums))
    return sums


def plane_steps(plane: NDArray[np.uint8], largest: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The sums of the steps from each column to the next and from each row to the next, each step at most
    `largest`."""
    plane = np.ascontiguousarray(plane)
    height, width = plane.shape
    along, down = np.zeros(width - 1, np.int32), np.zeros(height - 1, np.int64)
    loaded().plane_steps(address(plane), height, width, largest, address(along), address(down))
    return along, down


_SHORT = 64 * 1024
"""Copying so many bytes takes less time than releasing the GIL."""


def joined(parts: Sequence[bytes | memoryview]) -> bytes:
    """The same as `b"".join`, but it releases the GIL where that pays."""
    length = sum(len(part) for part in parts)
    if length < _SHORT or not compiled():
        return b"".join(parts)
    whole: bytes = _new_bytes()(None, length)
    room = np.frombuffer(whole, np.uint8)
    ends = np.cumsum([len(part) for part in parts])
    copy_all([np.frombuffer(part, np.uint8) for part in parts], np.split(room, ends[:-1]))
    return whole


@cache
def _new_bytes() -> Any:
    """CPython's function for new bytes that the caller fills."""
    import ctypes

    new = ctypes.pythonapi.PyBytes_FromStringAndSize
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_char_p, ctypes.c_ssize_t)
    return new


def loaded() -> ctypes.CDLL:
    """The compiled functions; callers ask `available` or `compiled` first."""
    found = library()
    assert found is not None, "ask `available` first"
    return found


@cache
def library() -> ctypes.CDLL | None:
    """All compiled functions, or None if they were not built."""
    import ctypes

    found = find_spec("convergebench._kernels")
    if found is None or found.origin is None:
        return None
    try:
        return _declared(ctypes.CDLL(found.origin))
    except (OSError, AttributeError):  # built for another machine, or from earlier sources
        return None


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    import ctypes

    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.ssim_total.restype = ctypes.c_double
    library.ssim_total.argtypes = (pointer, pointer, size, size, ctypes.c_float, ctypes.c_float, size)
    library.fuses_multiply_add.argtypes = ()
    library.flip_features.argtypes = (pointer, size, size, *[pointer] * 3, size, pointer)
    library.flip_compare.argtypes = (pointer, size, size, *[pointer] * 3, size, pointer, pointer)
    library.flip_part_difference.argtypes = (pointer, pointer, *[size] * 4, pointer, pointer)
    library.flip_part_difference.restype = None
    library.mark_clipped.argtypes, library.mark_clipped.restype = (pointer, size, pointer), None
    library.delta_e_total.restype = ctypes.c_double
    library.delta_e_total.argtypes = (*[pointer] * 3, size, pointer, size)
    library.lab_blocks.argtypes = (pointer, size, pointer, size, pointer)
    library.lab_blocks.restype = None
    fraction, single = ctypes.c_double, ctypes.c_float
    library.map_part_sums.argtypes = (*[pointer] * 3, size, single, single, single, pointer, pointer)
    library.map_part_sums.restype = None
    library.ms_ssim_sums.argtypes = (
        pointer, pointer, size, pointer, pointer, size, size, pointer, single, single, single, size, size,
        pointer,
    )  # fmt: skip
    library.halve_pixels.argtypes = (pointer, *[size] * 3, single, pointer)
    library.halve_pixels.restype = None
    library.plane_slopes.argtypes = (pointer, size, size, pointer, pointer, single, pointer)
    library.plane_slopes.restype = None
    library.smooth_map.argtypes = (pointer, *[size] * 3, *[pointer] * 3)
    library.map_sum.argtypes, library.map_sum.restype = (pointer, size), ctypes.c_double
    library.registration_improved.argtypes = (
        *[pointer] * 3, *[size] * 3, fraction, fraction, size, pointer, pointer,
    )  # fmt: skip
    # Not in kernels compiled before them.
    assert library.band_pass and library.trace_products and library.average_area
    library.block_noise.argtypes = (pointer, size, size, size, pointer)
    library.plane_steps.argtypes = (pointer, size, size, ctypes.c_int32, pointer, pointer)
    library.block_noise.restype = library.plane_steps.restype = None
    library.copy_each.argtypes, library.copy_each.restype = (*[pointer] * 3, size, size), None
    library.registration_products.argtypes = (pointer, pointer, size, size, pointer, pointer)
    if hasattr(library, "base64_encode"):  # not in kernels compiled before it
        library.base64_encode.argtypes, library.base64_encode.restype = (ctypes.c_char_p, size, pointer), None
    if hasattr(library, "write_files"):
        library.write_files.argtypes, library.write_files.restype = (*[pointer] * 4, size, pointer), None
    return library
