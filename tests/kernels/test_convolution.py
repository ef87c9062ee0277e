"""Convolutions in C against torch, another implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench.kernels import convolution
from convergebench.kernels.convolution import convolved, normalised, packed, pooled, scaled_levels

torch = pytest.importorskip("torch")

if not convolution.available():
    pytest.skip("needs a processor with AVX2, and a compiler", allow_module_level=True)


def by_torch(plane: np.ndarray, kernel: np.ndarray, bias: np.ndarray, stride: int, border: int) -> np.ndarray:
    channels_first = torch.from_numpy(plane.transpose(2, 0, 1).copy())[None].double()
    weights = torch.from_numpy(kernel).double(), torch.from_numpy(bias).double()
    found = torch.nn.functional.conv2d(channels_first, *weights, stride=stride, padding=border).relu()
    return np.asarray(found[0].permute(1, 2, 0))


@settings(max_examples=40, deadline=None)
@given(
    height=st.integers(1, 23),
    width=st.integers(1, 23),
    side=st.sampled_from([3, 5]),
    channels=st.sampled_from([16, 48]),
    outputs=st.sampled_from([16, 32]),
    seed=st.integers(0, 2**32 - 1),
)
def test_tiles_give_the_convolution_at_every_size(
    height: int, width: int, side: int, channels: int, outputs: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    plane = random.normal(0, 1, (height, width, channels)).astype(np.float32)
    kernel = random.normal(0, 0.1, (outputs, channels, side, side)).astype(np.float32)
    bias = random.normal(0, 1, outputs).astype(np.float32)
    chosen = packed(kernel, bias, 1, side // 2)
    assert chosen.by_tiles
    expected = by_torch(plane, kernel, bias, 1, side // 2)
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
    assert not chosen.by_tiles
    expected = by_torch(plane, kernel, bias, stride, border)
    found = convolved(plane, chosen)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-5 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("size", [(3, 3), (4, 7), (31, 15), (32, 32)])
def test_pooling_takes_the_largest_of_each_three_by_three_two_apart(size: tuple[int, int]) -> None:
    plane = np.random.default_rng(3).normal(0, 1, (*size, 16)).astype(np.float32)
    by_definition = torch.nn.functional.max_pool2d(torch.from_numpy(plane.transpose(2, 0, 1).copy()), 3, 2)
    assert np.array_equal(pooled(plane), by_definition.permute(1, 2, 0).numpy())


def test_channels_have_the_length_of_their_gains_and_nothing_stays_nothing() -> None:
    plane = np.random.default_rng(4).normal(0, 3, (5, 6, 64)).astype(np.float32)
    plane[2, 3] = 0
    gains = np.linspace(0.5, 2, 64, dtype=np.float32)
    found = normalised(plane, gains, 1e-10)
    lengths = np.linalg.norm(found / gains, axis=2)
    assert lengths[2, 3] == 0
    assert np.delete(lengths.ravel(), 2 * 6 + 3) == pytest.approx(1, abs=1e-5)


def test_levels_are_scaled_and_shifted_by_channel() -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (7, 9, 3), np.uint8)
    scale, shift = np.array([0.5, 2, 3], np.float32), np.array([1, -1, 0.25], np.float32)
    assert np.array_equal(scaled_levels(pixels[:, ::-1], scale, shift), pixels[:, ::-1] * scale + shift)
