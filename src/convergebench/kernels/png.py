"""PNG files of RGB with eight bits per channel; see png_encoding.c and png_file.c."""

from __future__ import annotations

import ctypes
import threading
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


def png_deflated(pixels: Pixels) -> memoryview | None:
    """The body of a PNG file with the `up` filter throughout; None if memory is exhausted.

    It is valid until the thread's next call: the buffer is reused, because new memory is allocated by page,
    and threads wait for each other's allocations.
    """
    pixels = np.ascontiguousarray(pixels)
    height, width, _ = pixels.shape
    body = _room(_body_bytes(height, width))
    length = _functions().png_deflate(address(pixels), height, width, address(body))
    return body[:length].data if length >= 0 else None


def png_file(pixels: Pixels, first: bytes, last: bytes) -> tuple[memoryview, Digest] | None:
    """A file with the `up` filter throughout, between its first and its last bytes, and its SHA-256; None if
    memory is exhausted, or if the processor or the compiler lacks something for it.

    It stays where it was made: copying it to a place of its size would take another turn among the threads.
    """
    if not kernels.compiled() or not _makes_files():
        return None
    pixels = np.ascontiguousarray(pixels)
    height, width, _ = pixels.shape
    room = np.empty(_body_bytes(height, width) + len(first) + _AROUND_BODY + len(last), np.uint8)
    digest = ctypes.create_string_buffer(_DIGEST_BYTES)
    length = _functions().png_file(
        address(pixels), height, width, first, len(first), last, len(last), address(room), digest
    )
    return (room[:length].data.toreadonly(), digest.raw.hex()) if length >= 0 else None


@lru_cache(maxsize=64)
def _body_bytes(height: int, width: int) -> int:
    return int(_functions().png_room(height, width))


_own = threading.local()


def _room(length: int) -> NDArray[np.uint8]:
    kept: NDArray[np.uint8] | None = getattr(_own, "room", None)
    if kept is None or len(kept) < length:
        kept = _own.room = np.empty(length, np.uint8)
    return kept


@cache
def _makes_files() -> bool:
    found = kernels.library()
    return found is not None and hasattr(found, "png_file") and bool(found.can_make_png_files())


@cache
def _functions() -> Any:
    functions = kernels.loaded()
    pointer, size, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
    functions.png_unfilter.argtypes = (text, pointer, size, size)
    functions.png_room.restype = functions.png_deflate.restype = size
    functions.png_room.argtypes = (size, size)
    functions.png_deflate.argtypes = (pointer, size, size, pointer)
    if hasattr(functions, "png_file"):  # not on every processor, nor in kernels compiled before it
        functions.png_file.argtypes = (pointer, size, size, text, size, text, size, pointer, text)
        functions.png_file.restype = size
    return functions
