"""Networks in C against their definition in NumPy, in 64 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench.kernels import convolution

if not convolution.available():
    pytest.skip("needs a processor with AVX2, and a compiler", allow_module_level=True)

from convergebench.kernels.convolution import packed
from convergebench.kernels.perceptual import FeatureNetwork, Folding, Stage

SCALE, SHIFT = np.array([0.01, 0.02, 0.005], np.float32), np.array([-1, -2, 0.25], np.float32)


class Layer:
    """Pooling, unless `pooled` is 0, and a convolution with random numbers."""

    def __init__(self, channels: int, outputs: int, side: int, border: int, step: int, pooled: int) -> None:
        random = np.random.default_rng(side * outputs)
        self.kernel = random.normal(0, 0.1, (outputs, channels, side, side)).astype(np.float32)
        self.bias = random.normal(0, 1, outputs).astype(np.float32)
        self.gains = random.uniform(0.5, 2, outputs).astype(np.float32)
        self.border, self.step, self.pooled = border, step, pooled

    def stage(self) -> Stage:
        return Stage(packed(self.kernel, self.bias, 1, self.border, self.step), self.pooled, self.gains)


def windows(plane: np.ndarray, side: int, stride: int, border: int = 0) -> np.ndarray:
    """rows × columns × channels × side × side"""
    padded = np.pad(plane, ((border, border), (border, border), (0, 0)))
    return np.lib.stride_tricks.sliding_window_view(padded, (side, side), (0, 1))[::stride, ::stride]


def features_by_definition(picture: np.ndarray, layers: Sequence[Layer], stride: int) -> list[np.ndarray]:
    plane, found = picture.astype(np.float64) * SCALE + SHIFT, []
    for layer in layers:
        if layer.pooled:
            plane = windows(plane, layer.pooled, 2).max((3, 4))
        seen = windows(plane, layer.kernel.shape[2], stride, layer.border)
        plane = np.maximum(np.einsum("yxcij,kcij->yxk", seen, layer.kernel, optimize=True) + layer.bias, 0)
        found.append(plane / (np.linalg.norm(plane, axis=2, keepdims=True) + 1e-10) * layer.gains)
        stride = 1
    return found


def like_alexnet(lanes: int | None = None) -> tuple[FeatureNetwork, list[Layer]]:
    layers = [Layer(3, 32, 11, 2, 5, 0), Layer(32, 48, 5, 2, 4, 3), Layer(48, 16, 3, 1, 5, 2)]
    folding = Folding(11, 4, 2)
    first = Stage(packed(folding.kernel(layers[0].kernel), layers[0].bias, 1, 0, 5), 0, layers[0].gains)
    stages = [first, *(layer.stage() for layer in layers[1:])]
    return FeatureNetwork(folding, stages, SCALE, SHIFT, lanes), layers


def random_picture(height: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@settings(max_examples=25, deadline=None)
@given(height=st.integers(31, 90), width=st.integers(31, 90), seed=st.integers(0, 2**32 - 1))
def test_features_and_their_distances_follow_the_definition_at_every_size(
    height: int, width: int, seed: int
) -> None:
    network, layers = like_alexnet()
    one, other = (random_picture(height, width, seed ^ flip) for flip in (0, 1))
    of_one, of_other = (features_by_definition(each, layers, 4) for each in (one, other))
    found = network.features(one)
    for features, expected in zip(found, of_one, strict=True):
        assert features.shape == expected.shape
        assert np.abs(features - expected).max() < 2e-5
    maps = [np.square(a - b).mean(2) for a, b in zip(of_one, of_other, strict=True)]
    compared = network.compared(found, other)
    for values, expected in zip(compared.maps, maps, strict=True):
        assert values == pytest.approx(expected, abs=1e-5)
    assert compared.distance == pytest.approx(sum(float(each.mean()) for each in maps), rel=1e-5)


def test_a_network_without_a_stride_sees_the_picture_itself() -> None:
    layers = [Layer(3, 16, 3, 1, 4, 0), Layer(16, 32, 3, 1, 4, 2)]
    network = FeatureNetwork(Folding(), [layer.stage() for layer in layers], SCALE, SHIFT)
    picture = random_picture(17, 22, 3)
    for features, expected in zip(
        network.features(picture), features_by_definition(picture, layers, 1), strict=True
    ):
        assert np.abs(features - expected).max() < 2e-5


def test_a_picture_is_at_no_distance_from_its_own_features() -> None:
    network, _ = like_alexnet()
    picture = random_picture(70, 53, 4)[:, ::-1]
    compared = network.compared(network.features(picture), picture)
    assert compared.distance == 0
    assert all(not values.any() for values in compared.maps)


@pytest.mark.skipif(convolution.widest_lanes() == 8, reason="needs a processor with AVX-512")
def test_registers_of_both_widths_give_the_same_features() -> None:
    picture = random_picture(75, 64, 5)
    narrow, wide = (like_alexnet(lanes)[0].features(picture) for lanes in (8, 16))
    assert all(np.array_equal(one, other) for one, other in zip(narrow, wide, strict=True))
