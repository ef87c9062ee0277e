"""Steps of a registration in C, against NumPy and OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench import kernels
from convergebench.kernels import registration

if not kernels.available():
    pytest.skip("needs a compiler", allow_module_level=True)

sides, seeds = st.integers(8, 130), st.integers(0, 2**32 - 1)
moves = st.floats(-0.03, 0.03)


def plane(height: int, width: int, seed: int) -> np.ndarray:
    return (20 * np.random.default_rng(seed).standard_normal((height, width))).astype(np.float32)


@settings(max_examples=60, deadline=None)
@given(height=sides, width=sides, seed=seeds)
def test_slopes_are_numpys_to_the_bit(height: int, width: int, seed: int) -> None:
    given_plane = plane(height, width, seed)
    x, y = (np.linspace(-0.5, 0.5, length, dtype=np.float32) for length in (width, height))
    down, across = np.gradient(given_plane)
    rows = (across * x + down * y[:, None], down * x - across * y[:, None], across, down)
    expected = np.stack([row.ravel() for row in rows]) * np.float32(max(height, width))
    found = registration.slopes(given_plane, x, y)
    assert found is not None and np.array_equal(found, expected)


@settings(max_examples=60, deadline=None)
@given(height=sides, width=sides, zoom=moves, turn=moves, right=st.floats(-9, 9), down=st.floats(-9, 9))
def test_a_plane_is_laid_as_opencv_lays_it_however_it_moved(
    height: int, width: int, zoom: float, turn: float, right: float, down: float
) -> None:
    source, result = plane(height, width, 1), plane(height, width, 2)
    affine = np.array([[1 + zoom, -turn, right], [turn, 1 + zoom, down]])
    size, flags = (width, height), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    inside = cv2.warpAffine(np.ones_like(result), affine, size, flags=flags) > 0.999
    laid = cv2.warpAffine(result, affine, size, flags=flags) * inside
    xx, yy, xy = registration.products(source, result, affine)
    assert xx == pytest.approx(float((source[inside].astype(float) ** 2).sum()), rel=1e-5, abs=1e-3)
    assert yy == pytest.approx(float((laid.astype(float) ** 2).sum()), rel=1e-5, abs=1e-3)
    assert xy == pytest.approx(float((source.astype(float) * laid).sum()), rel=1e-4, abs=0.5)


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_the_equations_have_the_products_of_the_same_planes(seed: int) -> None:
    source, result = plane(40, 51, seed), plane(40, 51, seed + 1)
    affine = np.array([[1.01, 0.02, 0.7], [-0.02, 1.01, -1.3]])
    slopes = np.stack([plane(40, 51, seed + number).ravel() for number in range(4)])
    found = registration.sums(source, slopes, result, affine, 7)
    assert found.products == registration.products(source, result, affine)
