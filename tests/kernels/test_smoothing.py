"""Means over windows in C, against OpenCV's, and sums, against exact ones."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench import kernels
from convergebench.kernels import smoothing

if not kernels.available():
    pytest.skip("needs a compiler", allow_module_level=True)


@settings(max_examples=80, deadline=None)
@given(
    height=st.integers(1, 80),
    width=st.integers(1, 80),
    reach=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
)
def test_means_are_opencvs_to_the_bit_for_maps_of_every_size(
    height: int, width: int, reach: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    found = (random.random((height, width)) ** random.integers(1, 8)).astype(np.float32)
    found[random.random((height, width)) < 0.3] = 0
    down, along = (1 + random.random(length).astype(np.float32) / 4 for length in found.shape)
    window = 2 * reach + 1
    means = cv2.boxFilter(found, cv2.CV_32F, (window, window), borderType=cv2.BORDER_CONSTANT)
    expected = np.clip(means * down[:, None] * along, 0, 1)
    assert np.array_equal(smoothing.window_means(found, window, down, along), expected)


@given(count=st.integers(1, 300), places=st.integers(0, 16), seed=st.integers(0, 2**32 - 1))
def test_a_sum_is_exact_but_for_the_last_digits_and_the_same_wherever_the_map_is(
    count: int, places: int, seed: int
) -> None:
    values = np.random.default_rng(seed).random(count).astype(np.float32)
    elsewhere = np.empty(count + places, np.float32)[places:]
    elsewhere[:] = values
    total = smoothing.map_sum(values[None])
    assert total == pytest.approx(math.fsum(values.tolist()), rel=1e-14)
    assert smoothing.map_sum(elsewhere[None]) == total
