"""Picture files without what is written beside the pixels: EXIF, comments, text, and data behind the end."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from convergebench.picture.picture import decode, encode_png

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_TEXTS = (b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME")
_JPEG_KEPT = (0xE0, 0xE2, 0xEE)
"""Application segments that change how pixels are read: JFIF, colour profile, and Adobe's transform."""
_JPEG_APPLICATIONS, _JPEG_COMMENT, _JPEG_SCAN = range(0xE0, 0xF0), 0xFE, 0xDA
_WEBP_TEXTS = (b"EXIF", b"XMP ")
_WEBP_TEXT_FLAGS = 0x0C


def without_metadata(data: bytes) -> bytes:
    """The same pixels: as the same file if it has no metadata, as the same kind of file if these can be cut
    out, and otherwise as a PNG file."""
    try:
        plain = _plain(data)
    except (struct.error, IndexError, ValueError):
        plain = None
    if plain == data:
        return data
    pixels, _ = decode(data)
    if plain is not None and np.array_equal(decode(plain)[0], pixels):
        return plain
    return encode_png(pixels)


def _plain(data: bytes) -> bytes | None:
    """Without metadata; None for a kind of file that is not known here."""
    if data.startswith(_PNG):
        return _PNG + b"".join(chunk for kind, chunk in _png_chunks(data) if kind not in _PNG_TEXTS)
    if data.startswith(b"\xff\xd8"):
        return b"\xff\xd8" + b"".join(_jpeg_segments(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        body = b"WEBP" + b"".join(chunk for kind, chunk in _webp_chunks(data) if kind not in _WEBP_TEXTS)
        return b"RIFF" + struct.pack("<I", len(body)) + body
    return data if data.startswith(b"BM") else None


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(_PNG)
    while position < len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind, end = data[position + 4 : position + 8], position + 12 + length
        yield kind, data[position:end]
        if kind == b"IEND":
            return
        position = end


def _jpeg_segments(data: bytes) -> Iterator[bytes]:
    position = 2
    while position < len(data):
        mark, code = data[position], data[position + 1]
        if mark != 0xFF:
            raise ValueError("not a JPEG segment")
        if code == _JPEG_SCAN:  # pixels to the end
            yield data[position : data.index(b"\xff\xd9", position) + 2]
            return
        (length,) = struct.unpack_from(">H", data, position + 2)
        is_cut = code == _JPEG_COMMENT or (code in _JPEG_APPLICATIONS and code not in _JPEG_KEPT)
        if not is_cut:
            yield data[position : position + 2 + length]
        position += 2 + length


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 12
    while position + 8 <= len(data):
        kind = data[position : position + 4]
        (length,) = struct.unpack_from("<I", data, position + 4)
        chunk = data[position : position + 8 + length + length % 2]
        if kind == b"VP8X":
            chunk = chunk[:8] + bytes([chunk[8] & ~_WEBP_TEXT_FLAGS]) + chunk[9:]
        yield kind, chunk
        position += 8 + length + length % 2
