"""Means over blocks, against torch's."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import detail, detail_kernel


def assert_same_maps(pictures: torch.Tensor, by_kernels) -> None:
    found, expected = by_kernels(lambda: detail._maps(pictures)), detail._maps(pictures)
    bands, noise_of_luma, noise, *steps = found
    assert torch.allclose(bands, expected[0], rtol=1e-5, atol=1e-3)
    assert torch.equal(noise_of_luma, expected[1])
    assert torch.allclose(noise, expected[2], rtol=1e-6)
    for ours, theirs in zip(steps, expected[3:], strict=True):
        assert torch.equal(ours, theirs)


@pytest.fixture
def short_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detail, "SIGMAS", (0.5, 1.0))


@pytest.mark.usefixtures("short_filters")
@pytest.mark.parametrize("size", [(1, 8, 8), (1, 9, 31), (3, 16, 25)])
def test_rows_of_blocks(size, pictures, by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detail_kernel, "COLUMNS", 16)
    monkeypatch.setattr(detail_kernel, "BLOCKS", 2)
    monkeypatch.setattr(detail_kernel, "AT_ONCE", 2)
    assert_same_maps(pictures(*size), by_kernels)


def test_the_blocks_and_filters_of_a_gpu(pictures, by_kernels) -> None:
    """Of a picture that the filters just fit into."""
    assert_same_maps(pictures(1, 21, 21), by_kernels)


@pytest.mark.usefixtures("short_filters")
def test_a_chequered_picture(by_kernels) -> None:
    """Diagonal differences are as large as they can be."""
    rows, columns = torch.arange(8)[:, None], torch.arange(270)
    pictures = (((rows + columns) % 2) * 255).to(torch.uint8)[None, ..., None].repeat(1, 1, 1, 3)
    assert_same_maps(pictures, by_kernels)


@pytest.mark.usefixtures("short_filters")
def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    source = pictures(1, 20, 40)[:, :9, 3:28]
    expected = by_kernels(lambda: detail._maps(source))
    with far_back(2):
        found = by_kernels(lambda: detail._maps(source))
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.equal(ours, theirs)
