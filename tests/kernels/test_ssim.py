"""SSIM's loops in C; that the metric is right is tested with the metric."""

from __future__ import annotations

import numpy as np
import pytest

from convergebench import kernels

built = pytest.mark.skipif(not kernels.available(), reason="there was no compiler when this was installed")


@built
@pytest.mark.parametrize("shape", [(7, 7, 3), (8, 17, 3), (40, 264, 3), (65, 517, 3)])
def test_registers_of_every_width_give_the_same_digits(
    shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(11)
    source = random.integers(0, 256, shape).astype(np.uint8)
    result = np.clip(source + random.normal(0, 20, shape), 0, 255).astype(np.uint8)

    def total(lanes: int) -> float:
        monkeypatch.setattr(kernels, "MOST_LANES", lanes)
        return kernels.ssim_total(source, result, 240.1, 2160.9)

    assert total(16) == total(1)


@built
def test_sums_stay_exact_where_all_levels_are_the_highest() -> None:
    white = np.full((20, 300, 3), 255, np.uint8)
    assert kernels.ssim_total(white, white, 240.1, 2160.9) == 14 * 294 * 3
