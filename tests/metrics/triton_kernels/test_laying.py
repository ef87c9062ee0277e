"""Pictures laid on others, exactly as torch does it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from convergebench.metrics._gpu.laying import laid_pictures


def similarity(zoom: float, turn: float, right: float, down: float) -> np.ndarray:
    return np.array([[zoom, -turn, right], [turn, zoom, down], [0, 0, 1]])


MOVES = [
    similarity(0.97, 0.02, 0.05, 0.01),
    similarity(1.05, -0.01, -0.1, 0.2),
    similarity(1, 0, 0, 0),
    similarity(-1, 1.5, 40, -3000),
]


def assert_laid_alike(pictures: torch.Tensor, by_kernels) -> None:
    moves = MOVES[: len(pictures)]
    found, expected = by_kernels(lambda: laid_pictures(pictures, moves)), laid_pictures(pictures, moves)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 1, 40), (2, 40, 1), (4, 19, 35)])
def test_moved_pictures(size, pictures, by_kernels) -> None:
    assert_laid_alike(pictures(*size), by_kernels)


def test_levels_stay_in_their_range(by_kernels) -> None:
    """Cubics swing beyond black and white where these meet."""
    pictures = torch.zeros((2, 20, 30, 3), dtype=torch.uint8)
    pictures[:, ::5, ::3] = 255
    pictures[1] = 255 - pictures[1]
    assert_laid_alike(pictures, by_kernels)


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    source = pictures(1, 20, 40)[:, ::2, 3:30]
    expected = laid_pictures(source, MOVES[:1])
    with far_back(1):
        found = by_kernels(lambda: laid_pictures(source, MOVES[:1]))
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])
