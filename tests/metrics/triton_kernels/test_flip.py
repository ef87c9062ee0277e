"""ꟻLIP's features and maps, against those that torch makes."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import flip_kernel
from convergebench.metrics._gpu.flip import flip_features, maps_against

DEGREE = 14.0
"""Pixels: few, so that filters are short."""


def worn(pictures: torch.Tensor) -> torch.Tensor:
    return (pictures // 2 + 60).roll(1, dims=2)


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 1, 9), (1, 5, 1), (3, 2, 21)])
def test_features_and_maps(size, pictures, by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flip_kernel, "COLUMNS", 16)
    monkeypatch.setattr(flip_kernel, "BETWEEN_BYTES", 2 * 7 * 4 * 2 * 21)  # two of the three pictures at once
    source = pictures(*size)
    features = by_kernels(lambda: flip_features(source, DEGREE))
    expected = flip_features(source, DEGREE)
    assert (features - expected).abs().amax() <= 2e-4
    maps = by_kernels(lambda: maps_against(features, worn(source), DEGREE))
    assert (maps - maps_against(expected, worn(source), DEGREE)).abs().amax() <= 1e-5
    assert maps.amax() > 0.01 or size == (1, 1, 1)


def test_the_blocks_of_a_gpu(pictures, by_kernels) -> None:
    source = pictures(1, 1, 290)
    expected = flip_features(source)
    assert (by_kernels(lambda: flip_features(source)) - expected).abs().amax() <= 2e-4


def test_nothing_differs_and_everything_does(by_kernels) -> None:
    levels = torch.tensor([0, 0, 255, 255], dtype=torch.uint8)
    source = levels.repeat_interleave(3).view(1, 2, 2, 3)
    features = by_kernels(lambda: flip_features(source, DEGREE))
    assert not by_kernels(lambda: maps_against(features, source, DEGREE)).any()
    maps = by_kernels(lambda: maps_against(features, 255 - source, DEGREE))
    expected = maps_against(flip_features(source, DEGREE), 255 - source, DEGREE)
    assert (maps - expected).abs().amax() <= 1e-5


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    source = pictures(1, 8, 20)[:, 2:4, ::2]  # not in one piece of memory
    expected = flip_features(source, DEGREE)
    with far_back(2):
        features = by_kernels(lambda: flip_features(source, DEGREE))
        maps = by_kernels(lambda: maps_against(features, worn(source), DEGREE))
    assert (features - expected).abs().amax() <= 2e-4
    assert (maps - maps_against(expected, worn(source), DEGREE)).abs().amax() <= 1e-5
