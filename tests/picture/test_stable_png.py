from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from convergebench.picture import decode
from convergebench.picture.stable_png import stable_png
from convergebench.types import Pixels

pictures = arrays(np.uint8, st.tuples(st.integers(1, 20), st.integers(1, 20), st.just(3)))


@given(pictures)
def test_any_pixels_come_back_from_the_file(pixels: Pixels) -> None:
    decoded, media_type = decode(stable_png(pixels))
    assert media_type == "image/png"
    assert np.array_equal(decoded, pixels)


def test_pixels_that_need_several_blocks_come_back() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (200, 300, 3), np.uint8)
    assert np.array_equal(decode(stable_png(pixels))[0], pixels)


def test_the_bytes_are_the_recorded_ones() -> None:
    data = stable_png(np.zeros((1, 1, 3), np.uint8))
    assert (
        hashlib.sha256(data).hexdigest() == "4d44c07cf62f61efdc4fe0ea126031bc958585f934e0ef8c1c7d2baca829aeae"
    )
