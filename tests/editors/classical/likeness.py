"""How near two pictures are, by scikit-image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from convergebench.types import Pixels


def lab(pixels: Pixels) -> NDArray[np.float64]:
    """L* from 0 to 100, a* and b* in their own units."""
    from skimage.color import rgb2lab

    return np.asarray(rgb2lab(pixels), np.float64)


def colour_difference(first: Pixels, second: Pixels) -> float:
    """Mean ΔE2000 of every third row and column."""
    from skimage.color import deltaE_ciede2000

    return float(deltaE_ciede2000(lab(first[::3, ::3]), lab(second[::3, ::3])).mean())


def likeness(first: Pixels, second: Pixels) -> float:
    """SSIM."""
    from skimage.metrics import structural_similarity

    return float(structural_similarity(first, second, channel_axis=2))
