"""Sums of squared differences, exact."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import psnr_kernel
from convergebench.metrics._gpu.fidelity import Psnr


def values(sources: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    return Psnr().values((sources,), (results,))


@pytest.mark.parametrize("size", [(1, 1, 1), (3, 7, 9), (2, 40, 33)])
def test_sums_of_blocks_add_up(size, pictures, by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psnr_kernel, "BLOCK", 128)
    pair = pictures(*size), pictures(*size, seed=1)
    assert torch.equal(by_kernels(lambda: values(*pair)), values(*pair))


def test_black_and_white(by_kernels) -> None:
    """The largest sums that the blocks of a GPU have; the second pair is the same twice."""
    sources = torch.zeros((2, 80, 90, 3), dtype=torch.uint8)
    results = sources.clone()
    results[0] = 255
    assert by_kernels(lambda: values(sources, results)).tolist() == [0, torch.inf]
    assert psnr_kernel.BLOCK * psnr_kernel.BLOCKS * 255**2 < 2**31


def test_parts_of_pictures(pictures, by_kernels) -> None:
    """They do not lie in one piece of memory."""
    one, other = (each[:, 2:11, 3:15] for each in (pictures(1, 13, 17), pictures(1, 13, 17, seed=1)))
    assert not one.is_contiguous()
    assert torch.equal(by_kernels(lambda: values(one, other)), values(one, other))


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    pair = pictures(1, 9, 12), pictures(1, 9, 12, seed=1)
    with far_back(0):
        found = by_kernels(lambda: values(*pair))
    assert torch.equal(found, values(*pair))
