"""Histograms and sums of maps, against torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from convergebench.metrics._gpu import map_parts_kernel
from convergebench.metrics._gpu.map_parts import device_parts
from convergebench.metrics.flip import VISIBLE


def maps_of(*shape: int) -> torch.Tensor:
    """With both ends of the range, and what is just visible."""
    maps = torch.from_numpy(np.random.default_rng(0).random(shape, np.float32) ** 3)
    maps.view(-1)[:4] = torch.tensor([1, 0, VISIBLE, float(np.nextafter(np.float32(1), np.float32(0)))])
    return maps


def assert_same_parts(maps: torch.Tensor, regions: torch.Tensor, by_kernels) -> None:
    found, expected = by_kernels(lambda: device_parts(maps, regions)), device_parts(maps, regions)
    assert np.array_equal(found.histograms, expected.histograms)
    assert np.array_equal(found.sums[..., 0], expected.sums[..., 0])
    assert found.sums[..., 1] == pytest.approx(expected.sums[..., 1], rel=1e-6)
    assert found.histograms.sum() == maps.numel()


@pytest.mark.parametrize("size", [(1, 2, 2), (3, 31, 17)])
def test_inside_and_outside(size, by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_parts_kernel, "BLOCK", 64)
    monkeypatch.setattr(map_parts_kernel, "BLOCKS", 2)
    maps = maps_of(*size)
    assert_same_parts(maps, maps.roll(1, 2) > 0.1, by_kernels)


@pytest.mark.parametrize("inside", [True, False])
def test_the_blocks_of_a_gpu(inside: bool, by_kernels) -> None:
    maps = maps_of(1, 70, 1000)
    assert_same_parts(maps, torch.full_like(maps, inside, dtype=torch.bool), by_kernels)


def test_the_last_map_of_a_large_batch(by_kernels, far_back) -> None:
    maps = maps_of(1, 20, 40)[:, ::2]
    with far_back(1):
        assert_same_parts(maps, maps > 0.1, by_kernels)
