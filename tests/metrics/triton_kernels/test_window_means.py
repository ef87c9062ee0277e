"""Means over windows, against torch's pooling."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import window_means_kernel
from convergebench.metrics._gpu.laying import without_margin
from convergebench.metrics._gpu.window_means import window_means


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several for a plane."""
    monkeypatch.setattr(window_means_kernel, "BLOCK", 128)


@pytest.mark.parametrize(
    ("size", "window"),
    [((1, 1, 1), 1), ((2, 3, 70), 3), ((3, 19, 33), 7), ((1, 40, 25), 17), ((1, 9, 30), 19)],
)
def test_means(size, window: int, pictures, by_kernels) -> None:
    planes = pictures(*size)[..., 0].float() / 255
    found = by_kernels(lambda: window_means(planes, window))
    assert torch.allclose(found, window_means(planes, window), rtol=0, atol=1e-6)


def test_planes_in_another_order_of_memory(pictures, by_kernels) -> None:
    planes = (pictures(2, 19, 33)[..., 1].float() / 255).transpose(1, 2)
    found = by_kernels(lambda: window_means(planes, 5))
    assert torch.allclose(found, window_means(planes, 5), rtol=0, atol=1e-6)


def test_no_mean_is_above_1(by_kernels) -> None:
    assert (by_kernels(lambda: window_means(torch.ones((1, 30, 40)), 7)) == 1).all()


def test_margins_of_what_is_covered(by_kernels) -> None:
    covered = torch.ones((3, 60, 70), dtype=torch.bool)
    covered[1, 0, 0] = covered[1, 30, 40] = covered[2, :, :9] = False
    found, expected = by_kernels(lambda: without_margin(covered)), without_margin(covered)
    assert torch.equal(found, expected)
    assert found[0].all()
    assert not found[1, 31, 41]
    assert found[1, 10, 60]


def test_the_last_plane_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    planes = pictures(1, 9, 12)[..., 0].float() / 255
    with far_back(0):
        found = by_kernels(lambda: window_means(planes, 5))
    assert torch.allclose(found, window_means(planes, 5), rtol=0, atol=1e-6)
