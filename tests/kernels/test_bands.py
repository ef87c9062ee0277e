"""Bands of frequency in C, against OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench import kernels

if not kernels.available():
    pytest.skip("needs a compiler", allow_module_level=True)

from convergebench.kernels import bands

sides = st.integers(2, 150)
sigmas = st.sampled_from([(1.0, 4.0), (1.0, 5.0), (2.0, 8.0)])


def blurred(plane: np.ndarray, sigma: float) -> np.ndarray:
    side = 2 * round(4 * sigma) + 1
    return cv2.GaussianBlur(plane.astype(np.float64), (side, side), sigma)


def random_levels(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height * 151 + width).integers(0, 256, (height, width), np.uint8)


@settings(max_examples=60, deadline=None)
@given(height=sides, width=sides, sigmas=sigmas)
def test_a_band_is_the_difference_of_opencvs_gaussians(
    height: int, width: int, sigmas: tuple[float, float]
) -> None:
    plane = random_levels(height, width).astype(np.float32)
    fine, coarse = (blurred(plane, sigma) for sigma in sigmas)
    found = bands.band_pass(plane, sigmas)
    assert np.abs(found - (fine - coarse)).max() < 1e-3


@pytest.mark.skipif("AVX2" not in cv2.getCPUFeaturesLine(), reason="OpenCV has other digits without AVX2")
@settings(max_examples=60, deadline=None)
@given(height=sides, width=sides)
def test_a_band_has_the_digits_of_opencv(height: int, width: int) -> None:
    plane = random_levels(height, width).astype(np.float32) / 4
    expected = cv2.GaussianBlur(plane, (0, 0), 1.0) - cv2.GaussianBlur(plane, (0, 0), 5.0)
    assert np.array_equal(bands.band_pass(plane, (1.0, 5.0)), expected)


@settings(max_examples=60, deadline=None)
@given(height=st.integers(8, 150), width=st.integers(8, 150))
def test_means_of_blocks_are_those_of_opencvs_bands(height: int, width: int) -> None:
    levels, sigmas = random_levels(height, width), (1.0, 4.0)
    fine, coarse = (blurred(levels, sigma) for sigma in sigmas)
    squares = (np.square(fine - coarse), np.square(levels - fine))
    rows, columns = height // 8, width // 8
    cut = np.stack([coarse, *squares])[:, : rows * 8, : columns * 8]
    expected = cut.reshape(3, rows, 8, columns, 8).mean(axis=(2, 4)).reshape(3, -1)
    found = bands.block_bands(levels, sigmas)
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("shape", [(8, 8), (65, 100), (131, 24), (16, 257)])
@pytest.mark.parametrize("most_lanes", [0, 8])
def test_digits_do_not_depend_on_the_width_of_registers(shape: tuple[int, int], most_lanes: int) -> None:
    levels, sigmas = random_levels(*shape), (1.0, 4.0)
    plane = levels.astype(np.float32)
    assert np.array_equal(bands.block_bands(levels, sigmas, most_lanes), bands.block_bands(levels, sigmas))
    assert np.array_equal(bands.band_pass(plane, sigmas, most_lanes), bands.band_pass(plane, sigmas))
