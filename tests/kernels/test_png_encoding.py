"""The PNG encoder in C: every decoder reads what it wrote, and every processor writes the same bytes."""

from __future__ import annotations

import hashlib
import io
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from convergebench import kernels, picture
from convergebench.kernels.png import png_deflated
from convergebench.types import Pixels

pytestmark = pytest.mark.skipif(
    not kernels.available(), reason="there was no compiler when this was installed"
)


def stretches(height: int, width: int, longest: int, spread: int, seed: int) -> Pixels:
    """Rows that differ from those above in some stretches of bytes and are alike in others, which pass over
    the ends of rows: noise and runs of zeros behind the filter, of every length up to the longest."""
    random = np.random.default_rng(seed)
    size = height * width * 3
    lengths = random.integers(1, longest + 1, size)
    lengths = lengths[: np.searchsorted(np.cumsum(lengths), size) + 1]
    changes = np.repeat(np.arange(len(lengths)) % 2 == 0, lengths)[:size]
    steps = random.integers(-spread, spread + 1, size) * changes
    return np.cumsum(steps.reshape(height, -1), axis=0).reshape(height, width, 3).astype(np.uint8)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 140), st.integers(1, 200), st.sampled_from([1, 5, 12, 70, 300, 3000]),
    st.sampled_from([0, 1, 3, 20, 127]), st.integers(0, 2**32),
)  # fmt: skip
@example(1, 1, 1, 127, 0)
@example(1, 1, 1, 0, 0)
@example(65, 1, 5, 127, 1)
@example(1, 24, 300, 0, 2)  # 73 bytes: barely enough for 64 at once
def test_every_decoder_reads_the_same_pixels(
    height: int, width: int, longest: int, spread: int, seed: int
) -> None:
    pixels = stretches(height, width, longest, spread, seed)
    body = png_deflated(pixels)
    assert body is not None
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 3 * width + 1)
    assert (rows[:, 0] == 2).all()
    assert (np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8) == pixels.reshape(height, -1)).all()
    file = picture.encode_png(pixels)
    stored = picture.Picture.from_pixels(pixels)
    assert (stored.encoded, stored.digest) == (file, hashlib.sha256(file).hexdigest())
    assert (np.asarray(Image.open(io.BytesIO(file))) == pixels).all()
    read = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR)
    assert read is not None
    assert (read[..., ::-1] == pixels).all()


@pytest.mark.parametrize(
    ("longest", "spread", "digest"),
    [
        (1, 127, "40c3f299cbe9fcdb"),
        (12, 3, "970b7337ee384579"),
        (300, 20, "abdac78224c9f9fe"),
        (3000, 1, "5815dc408b0c9a5a"),
    ],
)
def test_every_processor_writes_the_same_bytes(longest: int, spread: int, digest: str) -> None:
    body = png_deflated(stretches(150, 211, longest, spread, 7))
    assert body is not None
    assert hashlib.sha256(body).hexdigest()[:16] == digest
