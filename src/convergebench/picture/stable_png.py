"""PNG files whose bytes are the same on every machine.

A picture is identified by the digest of its file, and compressors differ between processors and releases.
Pixels are therefore stored uncompressed: a few hundred kilobytes per picture for digests that never change.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from convergebench.picture.png import png_chunk

if TYPE_CHECKING:
    from convergebench.types import Pixels

_LARGEST_BLOCK = 65535


def stable_png(pixels: Pixels) -> bytes:
    height, width, _ = pixels.shape
    rows = b"".join(b"\x00" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + png_chunk(b"IDAT", _stored(rows))
        + png_chunk(b"IEND", b"")
    )


def _stored(data: bytes) -> bytes:
    """A zlib stream of stored blocks (RFC 1950 and 1951)."""
    starts = range(0, len(data), _LARGEST_BLOCK)
    blocks = [_block(data[start : start + _LARGEST_BLOCK], last=start == starts[-1]) for start in starts]
    return b"\x78\x01" + b"".join(blocks) + struct.pack(">I", zlib.adler32(data))


def _block(data: bytes, *, last: bool) -> bytes:
    return struct.pack("<BHH", last, len(data), len(data) ^ 0xFFFF) + data
