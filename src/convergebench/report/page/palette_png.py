"""PNG files of at most 256 colours."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from convergebench.picture.png import png_chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def palette_png(levels: NDArray[np.uint8], palette: bytes, alpha: bytes = b"") -> bytes:
    """A file whose pixels are the numbers of colours in the palette; the first ones may be transparent.

    Pillow takes five times as long for a small picture, and a report draws tens of thousands of them.
    """
    from isal import isal_zlib

    height, width = levels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # a row begins with its filter, which is none
    rows[:, 1:] = levels
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            png_chunk(b"IHDR", header),
            png_chunk(b"PLTE", palette),
            png_chunk(b"tRNS", alpha) if alpha else b"",
            png_chunk(b"IDAT", isal_zlib.compress(rows, 1)),
            png_chunk(b"IEND", b""),
        )
    )
