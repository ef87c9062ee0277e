"""PNG files of RGB with eight bits per channel; see png_encoding.c and png_file.c."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address
from convergebench.types import Digest, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGEST_BYTES = 32
_AROUND_BODY = 12
"""The length, name and checksum of the chunk that holds the body."""


def png_unfiltered(filtered: bytes, height: int, width: int) -> Pixels | None:
    """The pixels of an RGB PNG with eight bits per channel; None if the rows are invalid."""
    if len(filtered) != height * (3 * width + 1):
        return None
    pixels = np.empty((height, width, 3), np.uint8)
    failed = _functions().png_unfilter(filtered, address(pixels), height, width)
    return None if failed else pixels


def png_deflated(pixels: Pixels) -> memoryview:
    """The body of a PNG file with the `up` filter throughout."""
    pixels = np.ascontiguousarray(pixels)
    height, width, _ = pixels.shape
    body = _rooms.room(_body_bytes(height, width))
    length = _functions().png_deflate(address(pixels), height, width, address(body))
    return body[:length].data


def png_files(
    pictures: Sequence[Pixels], first: Callable[[int, int], bytes], last: bytes
) -> list[tuple[memoryview, Digest]] | None:
    """Files with the `up` filter throughout, between their first bytes, by width and height, and their last,
    and the SHA-256 of each, made on several cores; None if the processor or the compiler lacks something for
    it.

    They stay where they were made: copying them to places of their sizes would take another turn among the
    threads.
    """
    if not kernels.compiled() or not _makes_files():
        return None
    count = len(pictures)
    given = [np.ascontiguousarray(pixels) for pixels in pictures]
    heights, widths = [pixels.shape[0] for pixels in given], [pixels.shape[1] for pixels in given]
    firsts = [first(width, height) for width, height in zip(widths, heights, strict=True)]
    around = len(firsts[0]) + _AROUND_BODY + len(last)
    rooms = [
        _rooms.room(_body_bytes(height, width) + around)
        for height, width in zip(heights, widths, strict=True)
    ]
    numbers = ctypes.c_int64 * count
    lengths, digests = numbers(), ctypes.create_string_buffer(_DIGEST_BYTES * count)
    _functions().png_files(
        numbers(*map(address, given)), numbers(*heights), numbers(*widths),
        b"".join(firsts), len(firsts[0]), last, len(last),
        numbers(*map(address, rooms)), lengths, digests, count, os.cpu_count() or 1,
    )  # fmt: skip
    hexadecimal = digests.raw.hex(" ", -_DIGEST_BYTES).split(" ")
    return [
        (room[:length].data.toreadonly(), digest)
        for room, length, digest in zip(rooms, lengths, hexadecimal, strict=True)
    ]


_KEPT_BYTES = 16 * 2**20
"""Of the largest room that is kept."""


class _Rooms:
    """Memory for encoded pictures, which is used again: new memory is allocated by page, while other threads
    wait. Safe to share between threads."""

    def __init__(self) -> None:
        self._free: deque[NDArray[np.uint8]] = deque(maxlen=4 * (os.cpu_count() or 1))

    def room(self, size: int) -> NDArray[np.uint8]:
        """Memory that is free again when no view of it is left."""
        try:
            memory = self._free.pop()
        except IndexError:
            memory = np.empty(size, np.uint8)
        if len(memory) < size:
            memory = np.empty(size, np.uint8)
        # Not `memory[:]`: its views would keep `memory`, and it would be gone before them.
        shown = np.frombuffer(memory.data, np.uint8)
        if len(memory) <= _KEPT_BYTES:
            weakref.finalize(shown, self._free.append, memory).atexit = False
        return shown


_rooms = _Rooms()


@lru_cache(maxsize=64)
def _body_bytes(height: int, width: int) -> int:
    return int(_functions().png_room(height, width))


@cache
def _makes_files() -> bool:
    found = kernels.library()
    return found is not None and hasattr(found, "png_files") and bool(found.can_make_png_files())


@cache
def _functions() -> Any:
    functions = kernels.loaded()
    pointer, size, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
    functions.png_unfilter.argtypes = (text, pointer, size, size)
    functions.png_room.restype = functions.png_deflate.restype = size
    functions.png_room.argtypes = (size, size)
    functions.png_deflate.argtypes = (pointer, size, size, pointer)
    if hasattr(functions, "png_files"):  # not on every processor, nor in kernels compiled before it
        functions.png_files.argtypes = (
            *[pointer] * 3, text, size, text, size, pointer, pointer, text, size, size,
        )  # fmt: skip
        functions.png_files.restype = None
    return functions
