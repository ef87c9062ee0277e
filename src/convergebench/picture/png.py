"""The chunks of PNG files; reads those of other programs faster than a general decoder."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from convergebench import kernels
from convergebench.kernels.png import png_unfiltered
from convergebench.types import Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_AFTER_HEADER = len(_SIGNATURE) + 25
_RGB_OF_EIGHT_BITS = bytes((8, 2, 0, 0, 0))
"""The end of the header: depth, colour type, compression, filters, not interlaced."""
_SAYS_NOTHING_OF_PIXELS = {b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"iCCP", b"pHYs", b"tIME", b"bKGD", b"tEXt"}
"""Other chunks, and text with a raw profile, could rotate the picture or make parts of it transparent."""


def plain_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of an 8-bit RGB file of which every program reads the same pixels; None if Pillow must
    say. Only the names of the chunks are looked at."""
    if not data.startswith(_SIGNATURE) or data[12:16] != b"IHDR" or data[24:29] != _RGB_OF_EIGHT_BITS:
        return None
    start, has_body = _AFTER_HEADER, False
    while (name := data[start + 4 : start + 8]) != b"IEND":
        if name == b"IDAT":
            has_body = True
        elif not _says_nothing_of_pixels(name, data[start + 8 : start + 19]):
            return None
        start += 12 + int.from_bytes(data[start : start + 4], "big")
    return (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) if has_body else None


def png_chunk(tag: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))


def rgb_pixels(data: bytes) -> Pixels | None:
    """The pixels of a complete, plain 8-bit RGB file; None if Pillow must decode it.

    The lengths and checksums of the chunks must have been verified before.
    """
    if not kernels.compiled():
        return None
    header, body = b"", []
    for name, content in _chunks(data):
        if name == b"IHDR":
            header = bytes(content)
        elif name == b"IDAT":
            body.append(content)
        elif not _says_nothing_of_pixels(name, bytes(content[:11])):
            return None
    if header[8:] != _RGB_OF_EIGHT_BITS:
        return None
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    filtered = _inflated(b"".join(body), height * (3 * width + 1))
    return png_unfiltered(filtered, height, width) if filtered is not None else None


def _says_nothing_of_pixels(name: bytes, beginning: bytes) -> bool:
    return name in _SAYS_NOTHING_OF_PIXELS and beginning != b"Raw profile"


def _chunks(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Names and contents, up to the end chunk."""
    start, whole = len(_SIGNATURE), memoryview(data)
    while (name := data[start + 4 : start + 8]) != b"IEND":
        end = start + 8 + int.from_bytes(data[start : start + 4], "big")
        yield name, whole[start + 8 : end]
        start = end + 4


def _inflated(body: bytes, size: int) -> bytes | None:
    from isal import isal_zlib

    stream = isal_zlib.decompressobj()
    try:
        # One byte more than expected, so that a longer stream is detected and not inflated to its end.
        filtered: bytes = stream.decompress(body, size + 1)
    except isal_zlib.error:  # type: ignore[misc]  # a class, whatever its stub says
        return None
    return filtered if stream.eof and len(filtered) == size else None
