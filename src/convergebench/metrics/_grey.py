"""The grey levels of a picture, which several metrics measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._shared_values import shared
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def grey_levels(pixels: Pixels) -> NDArray[np.uint8]:
    """The luma, rounded; computed once for all metrics of a set. Nobody may change it."""
    return shared(_grey, pixels)


def _grey(pixels: Pixels) -> NDArray[np.uint8]:
    import cv2

    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
