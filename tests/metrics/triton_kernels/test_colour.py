"""CIEDE2000, against torch's and the processor's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from convergebench.metrics._gpu import colour_kernel
from convergebench.metrics._gpu.colour import ColourOnGpu, _cells
from convergebench.metrics.drift._ciede2000 import ciede2000, lab_of


def differences(sources: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    colour = ColourOnGpu()
    return colour.summaries(colour.features(sources), results)[0]


@pytest.mark.parametrize("size", [(1, 1, 1), (3, 7, 9), (2, 40, 33)])
def test_means_of_blocks_add_up(size, pictures, by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(colour_kernel, "BLOCK", 128)
    monkeypatch.setattr(colour_kernel, "BLOCKS", 2)
    pair = pictures(*size), pictures(*size, seed=1)
    assert by_kernels(lambda: differences(*pair)) == pytest.approx(differences(*pair).numpy(), abs=1e-4)


def test_the_blocks_of_a_gpu(pictures, by_kernels) -> None:
    pair = pictures(1, 60, 150), pictures(1, 60, 150, seed=1)
    assert by_kernels(lambda: differences(*pair)) == pytest.approx(differences(*pair).numpy(), abs=1e-4)


def test_all_pairs_of_extreme_colours(by_kernels) -> None:
    levels = np.array([0, 1, 128, 255], np.uint8)
    colours = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, 3)
    one, other = np.repeat(colours[:, None], 64, axis=1), np.repeat(colours[None], 64, axis=0)
    found = by_kernels(lambda: differences(torch.from_numpy(one)[None], torch.from_numpy(other)[None]))
    expected = ciede2000(lab_of(one).astype(np.float64), lab_of(other).astype(np.float64))
    assert float(found[0]) == pytest.approx(expected.mean(), abs=1e-4)


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    pair = [each[:, ::2] for each in (pictures(1, 20, 30), pictures(1, 20, 30, seed=1))]
    with far_back(1):
        found = by_kernels(lambda: colour_kernel.mean_differences(*pair))
    assert found == pytest.approx(differences(*pair).numpy(), abs=1e-4)
    with far_back(0):
        assert_same_cells(pair[0][:, :, :8], by_kernels)


def assert_same_cells(pictures: torch.Tensor, by_kernels) -> None:
    """Sums in another order fall on the other side of a half now and then."""
    *found, share = by_kernels(lambda: _cells(pictures))
    *expected, expected_share = _cells(pictures)
    for ours, theirs in zip(found, expected, strict=True):
        apart = (ours - theirs).abs()
        assert ours.shape == theirs.shape
        assert apart.max() <= 1
        assert (apart > 0).double().mean() < 0.01
    assert torch.equal(share, expected_share)


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 9, 7), (1, 256, 64), (2, 90, 131), (1, 3, 200)])
def test_cells(size, pictures, by_kernels) -> None:
    assert_same_cells(pictures(*size), by_kernels)


def test_cells_of_clipped_pixels(by_kernels) -> None:
    """Each channel by itself clips a pixel."""
    picture = torch.full((4, 70, 80, 3), 90, dtype=torch.uint8)
    picture[0, ::3, :, 0], picture[1, :, ::7, 1], picture[2, 5, 5, 2], picture[2, 6, 6] = 0, 255, 255, 0
    assert_same_cells(picture, by_kernels)
