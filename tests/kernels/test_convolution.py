"""Convolutions in C against their definition in NumPy, in 64 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench.kernels import convolution
from convergebench.kernels.convolution import (
    centred,
    channel_distances,
    convolved,
    packed,
    scaled_levels,
    smoothly_pooled,
)
from convergebench.metrics._dists_network import pooling_window

if not convolution.available():
    pytest.skip("needs a processor with AVX2, and a compiler", allow_module_level=True)


def windows(plane: np.ndarray, side: int, stride: int, border: int = 0) -> np.ndarray:
    """rows × columns × channels × side × side"""
    padded = np.pad(plane.astype(np.float64), ((border, border), (border, border), (0, 0)))
    return np.lib.stride_tricks.sliding_window_view(padded, (side, side), (0, 1))[::stride, ::stride]


def by_definition(
    plane: np.ndarray, kernel: np.ndarray, bias: np.ndarray, stride: int, border: int
) -> np.ndarray:
    found = windows(plane, kernel.shape[2], stride, border)
    return np.maximum(np.einsum("yxcij,kcij->yxk", found, kernel, optimize=True) + bias, 0)


@settings(max_examples=40, deadline=None)
@given(
    height=st.integers(1, 23),
    width=st.integers(1, 23),
    shape=st.sampled_from([(3, 4), (3, 5), (5, 4)]),
    channels=st.sampled_from([16, 48]),
    outputs=st.sampled_from([16, 32]),
    seed=st.integers(0, 2**32 - 1),
)
def test_tiles_give_the_convolution_at_every_size(
    height: int, width: int, shape: tuple[int, int], channels: int, outputs: int, seed: int
) -> None:
    side, step = shape
    random = np.random.default_rng(seed)
    plane = random.normal(0, 1, (height, width, channels)).astype(np.float32)
    kernel = random.normal(0, 0.1, (outputs, channels, side, side)).astype(np.float32)
    bias = random.normal(0, 1, outputs).astype(np.float32)
    chosen = packed(kernel, bias, 1, side // 2, step)
    assert chosen.step == step
    expected = by_definition(plane, kernel, bias, 1, side // 2)
    assert np.abs(convolved(plane, chosen) - expected).max() < 2e-5 * max(1.0, np.abs(expected).max())


@settings(max_examples=40, deadline=None)
@given(
    height=st.integers(11, 40),
    width=st.integers(11, 40),
    side=st.integers(1, 11),
    stride=st.integers(1, 4),
    border=st.integers(0, 3),
    channels=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_kernel_and_stride_give_the_convolution(
    height: int, width: int, side: int, stride: int, border: int, channels: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    plane = random.normal(0, 1, (height, width, channels)).astype(np.float32)
    kernel = random.normal(0, 0.1, (32, channels, side, side)).astype(np.float32)
    bias = random.normal(0, 1, 32).astype(np.float32)
    chosen = packed(kernel, bias, stride, border)
    assert not chosen.step
    expected = by_definition(plane, kernel, bias, stride, border)
    found = convolved(plane, chosen)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-5 * max(1.0, np.abs(expected).max())


@pytest.mark.skipif(convolution.widest_lanes() == 8, reason="needs a processor with AVX-512")
@pytest.mark.parametrize("size", [(1, 1), (7, 30), (15, 15), (23, 17)])
@pytest.mark.parametrize(("side", "step"), [(3, 4), (3, 5), (5, 4)])
def test_registers_of_both_widths_give_the_same_digits(side: int, step: int, size: tuple[int, int]) -> None:
    random = np.random.default_rng(10)
    plane = random.normal(0, 1, (*size, 144)).astype(np.float32)
    kernel = random.normal(0, 0.1, (48, 144, side, side)).astype(np.float32)
    chosen = packed(kernel, random.normal(0, 1, 48).astype(np.float32), 1, side // 2, step)
    assert np.array_equal(convolved(plane, chosen, lanes=8), convolved(plane, chosen, lanes=16))


@pytest.mark.parametrize("size", [(1, 1), (4, 7), (9, 16)])
def test_smooth_pooling_is_the_root_of_the_squares_convolved_with_the_window(size: tuple[int, int]) -> None:
    plane = np.random.default_rng(6).normal(0, 2, (*size, 16)).astype(np.float32)
    means = (windows(np.square(plane), 3, 2, border=1) * pooling_window()).sum((3, 4))
    found = smoothly_pooled(plane, pooling_window(), 1e-12)
    assert found == pytest.approx(np.sqrt(means + 1e-12), rel=1e-5)


def test_centred_channels_have_no_mean_and_the_variance_of_numpy() -> None:
    plane = np.random.default_rng(7).normal(50, 3, (37, 41, 24)).astype(np.float32)
    expected = plane.astype(np.float64)
    found = centred(plane.copy())
    assert found.means == pytest.approx(expected.mean((0, 1)), rel=1e-6)
    assert found.variances == pytest.approx(expected.var((0, 1)), rel=1e-5)
    assert found.plane == pytest.approx(expected - expected.mean((0, 1)), abs=1e-4)


def test_distances_of_channels_are_mean_squared_differences() -> None:
    one, other = (
        np.random.default_rng(seed).normal(0, 1, (33, 19, 16)).astype(np.float32) for seed in (8, 9)
    )
    expected = np.square(one.astype(np.float64) - other).mean((0, 1))
    assert channel_distances(one, other) == pytest.approx(expected, rel=1e-5)


def test_levels_are_scaled_and_shifted_by_channel() -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (7, 9, 3), np.uint8)
    scale, shift = np.array([0.5, 2, 3], np.float32), np.array([1, -1, 0.25], np.float32)
    assert np.array_equal(scaled_levels(pixels[:, ::-1], scale, shift), pixels[:, ::-1] * scale + shift)
