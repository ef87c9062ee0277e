"""Pictures made in code."""

from __future__ import annotations

import numpy as np

from convergebench.types import Pixels


def textured(width: int = 64, height: int = 48, seed: int = 0) -> Pixels:
    """Smooth shapes with some grain: enough like a photograph for any metric."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = [
        np.sin(x / rng.uniform(4, 14) + rng.uniform(0, 6)) + np.cos(y / rng.uniform(4, 14)) for _ in range(3)
    ]
    grain = rng.normal(0, 6, (height, width, 3))
    return np.clip(128 + 45 * np.stack(waves, axis=-1) + grain, 0, 255).astype(np.uint8)
