"""Steps of a registration in C, against NumPy and OpenCV."""

from __future__ import annotations

import math

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


AT_ONCE = registration.StepLimits(0, 0.01, 1e-6, 7)
"""No steps."""


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_a_registration_ends_with_the_products_of_the_same_planes(seed: int) -> None:
    source, result = plane(40, 51, seed), plane(40, 51, seed + 1)
    slopes = np.stack([plane(40, 51, seed + number).ravel() for number in range(4)])
    found = registration.finished(source, slopes, result, (1.0, 0.0, 1 / 51, -2 / 51), AT_ONCE)
    moved = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -2.0]])
    assert found.products == registration.products(source, result, moved)
    assert found.unmoved == registration.products(source, result, np.eye(3)[:2])


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_the_inverse_of_the_equations_is_numpys(seed: int) -> None:
    """Of a plane with itself, all places of which have the weight 1."""
    source = plane(40, 51, seed)
    slopes = np.stack([plane(40, 51, seed + number).ravel() for number in range(4)]).astype(np.float64)
    found = registration.finished(source, slopes.astype(np.float32), source, (1.0, 0.0, 0.0, 0.0), AT_ONCE)
    assert found.inverse == pytest.approx(np.diag(np.linalg.inv(slopes @ slopes.T)), rel=1e-3)


def test_equations_without_a_solution_have_no_inverse() -> None:
    source = plane(40, 51, 1)
    same = np.stack([source.ravel()] * 4)
    found = registration.finished(source, same, source, (1.0, 0.0, 0.0, 0.0), AT_ONCE)
    assert found.inverse == (math.inf,) * 4
