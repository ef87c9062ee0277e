"""Resized pictures in C, against the libraries whose place they take."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from convergebench.kernels import resampling

if not resampling.available():
    pytest.skip("needs a compiler", allow_module_level=True)

sides, seeds = st.integers(1, 300), st.integers(0, 2**32 - 1)
shares = st.floats(0.05, 1)


def levels(*shape: int, seed: int) -> np.ndarray:
    """Half of them steps of one level, whose means often lie between two."""
    random = np.random.default_rng(seed)
    noise = random.integers(0, 256, shape, np.uint8)
    return noise if seed % 2 else np.asarray(127 + noise % 2, np.uint8)


@settings(max_examples=60, deadline=None)
@given(given_side=sides, side=sides, seed=seeds)
def test_bilinear_is_pillows_for_squares_of_every_size(given_side: int, side: int, seed: int) -> None:
    pixels = levels(given_side, given_side, 3, seed=seed)
    expected = Image.fromarray(pixels).resize((side, side), Image.Resampling.BILINEAR)
    assert np.array_equal(resampling.bilinear(pixels, side), np.asarray(expected))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 9),
    columns=st.integers(1, 9),
    factor=st.integers(3, 20),
    channels=st.sampled_from([(), (1,), (3,)]),
    seed=seeds,
)
def test_means_of_blocks_are_opencvs_area_averages(
    rows: int, columns: int, factor: int, channels: tuple[int, ...], seed: int
) -> None:
    given = levels(rows * factor, columns * factor, *channels, seed=seed)
    expected = cv2.resize(given, (columns, rows), interpolation=cv2.INTER_AREA)
    found = resampling.block_means(given, columns, rows)
    assert found is not None
    assert np.array_equal(found, expected.reshape(found.shape))


def test_pixels_that_are_not_divided_evenly_are_left_to_opencv() -> None:
    given = levels(40, 60, 3, seed=1)
    assert resampling.block_means(given, 15, 11) is None
    assert resampling.block_means(given, 12, 10) is None  # a factor of 5 across and of 4 down
    assert resampling.block_means(given, 30, 20) is None


@pytest.mark.skipif("SSE2" not in cv2.getCPUFeaturesLine(), reason="OpenCV has other digits there")
@settings(max_examples=100, deadline=None)
@given(height=st.integers(1, 400), width=st.integers(1, 400), shares=st.tuples(shares, shares), seed=seeds)
def test_means_of_areas_are_opencvs_for_any_part_of_a_picture(
    height: int, width: int, shares: tuple[float, float], seed: int
) -> None:
    part = levels(height + 3, width + 5, 3, seed=seed)[2 : 2 + height, 1 : 1 + width]
    size = max(1, round(width * shares[0])), max(1, round(height * shares[1]))
    found = resampling.area_means(part, *size)
    if found is not None:
        assert np.array_equal(found, cv2.resize(part, size, interpolation=cv2.INTER_AREA))
