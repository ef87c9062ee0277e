"""ꟻLIP's loops in C; that their maps are right is tested with the metric."""

from __future__ import annotations

import numpy as np
import pytest

from convergebench import kernels
from convergebench.metrics.flip import flip_map, flip_source
from convergebench.types import Pixels

built = pytest.mark.skipif(not kernels.available(), reason="there was no compiler when this was installed")


@built
@pytest.mark.parametrize("pixels_per_degree", [8.4, 33.5, 67.0206, 400])
@pytest.mark.parametrize("shape", [(1, 1, 3), (5, 300, 3), (67, 43, 3), (130, 257, 3)])
def test_registers_of_every_width_give_the_same_digits(
    shape: tuple[int, int, int], pixels_per_degree: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(7)
    source, result = random.integers(0, 256, (2, *shape)).astype(np.uint8)

    def features_and_map(source: Pixels, result: Pixels, lanes: int) -> tuple[np.ndarray, np.ndarray]:
        monkeypatch.setattr(kernels, "MOST_LANES", lanes)
        prepared = flip_source(source, pixels_per_degree)
        return prepared.features, flip_map(prepared, result)

    widest = features_and_map(source, result, 16)
    for lanes in (8, 1):
        narrower = features_and_map(source, result, lanes)
        assert all(np.array_equal(one, other) for one, other in zip(widest, narrower, strict=True))
