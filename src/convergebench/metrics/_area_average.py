"""Area averaging, by which metrics look at smaller pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from convergebench.kernels import resampling

if TYPE_CHECKING:
    from numpy.typing import NDArray


def averaged(levels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Levels of one channel or several, reduced to this size; the same with and without compiled loops."""
    import cv2

    if resampling.available():
        means = resampling.block_means(levels, width, height)
        if means is None and levels.shape[2:] == (3,):
            means = resampling.area_means(levels, width, height)
        if means is not None:
            return means
    return np.asarray(cv2.resize(levels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
