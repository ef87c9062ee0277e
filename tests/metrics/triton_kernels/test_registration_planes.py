"""Band-passed planes, against torch's matrices."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import registration_planes_kernel
from convergebench.metrics._gpu.registration_planes import _band_passed, registration_planes


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several for a picture."""
    monkeypatch.setattr(registration_planes_kernel, "BLOCK", 128)


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 1, 60), (2, 24, 32), (1, 53, 45)])
def test_planes(size, pictures, by_kernels) -> None:
    grey = pictures(*size)[..., 0].float()
    assert torch.allclose(by_kernels(lambda: _band_passed(grey)), _band_passed(grey), rtol=0, atol=2e-4)


def test_nothing_is_left_of_a_flat_picture(by_kernels) -> None:
    assert not by_kernels(lambda: _band_passed(torch.full((2, 30, 40), 93.0))).any()


def test_every_size_of_a_picture(pictures, by_kernels) -> None:
    source = pictures(1, 48, 70)
    found, expected = by_kernels(lambda: registration_planes(source)), registration_planes(source)
    assert len(found) == len(expected) > 0
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.allclose(ours, theirs, rtol=0, atol=2e-4)


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    grey = pictures(1, 9, 12)[..., 0].float()
    with far_back(0):
        found = by_kernels(lambda: _band_passed(grey))
    assert torch.allclose(found, _band_passed(grey), rtol=0, atol=2e-4)
