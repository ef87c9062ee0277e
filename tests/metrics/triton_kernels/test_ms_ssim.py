"""MS-SSIM, against torch's."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import ms_ssim_kernel, multi_scale
from convergebench.metrics._gpu.multi_scale import MsSsim


@pytest.fixture
def two_scales(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small pictures have them all."""
    for module in (ms_ssim_kernel, multi_scale):
        monkeypatch.setattr(module, "WEIGHTS", (0.4, 0.6))


def values(sources: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    return MsSsim().values((sources,), (results,))


def worn(pictures: torch.Tensor) -> torch.Tensor:
    return pictures // 2 + pictures.roll(1, dims=2) // 2


@pytest.mark.usefixtures("two_scales")
@pytest.mark.parametrize("size", [(1, 21, 22), (2, 22, 23)])
def test_scales_of_odd_and_even_sizes(size, pictures, by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ms_ssim_kernel, "ROWS", 4)
    monkeypatch.setattr(ms_ssim_kernel, "COLUMNS", 32)
    monkeypatch.setattr(ms_ssim_kernel, "BETWEEN_BYTES", 1)  # one picture at a time
    source = pictures(*size)
    found, expected = by_kernels(lambda: values(source, worn(source))), values(source, worn(source))
    assert found == pytest.approx(expected.numpy(), abs=1e-6)
    assert (found < 0.95).all()


@pytest.mark.usefixtures("two_scales")
def test_the_blocks_of_a_gpu_and_black_against_white(by_kernels) -> None:
    source = torch.zeros((1, 21, 97, 3), dtype=torch.uint8)
    source[:, 5:9, 30:60] = 255
    found = by_kernels(lambda: values(source, 255 - source))
    assert found == pytest.approx(values(source, 255 - source).numpy(), abs=1e-6)


@pytest.mark.usefixtures("two_scales")
def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    source = pictures(1, 30, 30)[:, 9:, 4:27]
    with far_back(2):
        found = by_kernels(lambda: values(source, worn(source)))
    assert found == pytest.approx(values(source, worn(source)).numpy(), abs=1e-6)
