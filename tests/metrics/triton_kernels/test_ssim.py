"""Sums of SSIM, exact up to the last division."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import ssim_kernel
from convergebench.metrics._gpu.fidelity import Ssim


def values(sources: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    return Ssim().values((sources,), (results,))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssim_kernel, "ROWS", 4)
    monkeypatch.setattr(ssim_kernel, "COLUMNS", 16)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("size", [(1, 7, 7), (1, 8, 40), (2, 14, 11)])
def test_windows_of_bands_and_strips_add_up(size, pictures, by_kernels) -> None:
    pair = pictures(*size), pictures(*size, seed=1)
    assert torch.equal(by_kernels(lambda: values(*pair)), values(*pair))


def test_the_blocks_of_a_gpu(pictures, by_kernels) -> None:
    pair = pictures(1, 20, 95), pictures(1, 20, 95, seed=1)
    assert torch.equal(by_kernels(lambda: values(*pair)), values(*pair))


@pytest.mark.usefixtures("small_blocks")
def test_black_and_white(by_kernels) -> None:
    sources = torch.zeros((2, 8, 9, 3), dtype=torch.uint8)
    sources[1] = 255
    results = 255 - sources
    results[1, ::2] = 255
    assert torch.equal(by_kernels(lambda: values(sources, results)), values(sources, results))
    assert (by_kernels(lambda: values(sources, sources)) == 1).all()


@pytest.mark.usefixtures("small_blocks")
def test_parts_of_pictures(pictures, by_kernels) -> None:
    """They do not lie in one piece of memory."""
    one, other = (each[:, 2:11, 3:15] for each in (pictures(1, 13, 17), pictures(1, 13, 17, seed=1)))
    assert not one.is_contiguous()
    assert torch.equal(by_kernels(lambda: values(one, other)), values(one, other))


@pytest.mark.usefixtures("small_blocks")
def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    pair = pictures(1, 9, 12), pictures(1, 9, 12, seed=1)
    with far_back(2):
        found = by_kernels(lambda: values(*pair))
    assert torch.equal(found, values(*pair))
