"""Maps of change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from convergebench.errors import WrongUse
from convergebench.metrics.drift._ciede2000 import ciede2000, lab_of
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 16_384
"""The number of pixels whose intermediate results fit into the processor's cache."""


def change_map(source: Pixels, result: Pixels) -> NDArray[np.float32]:
    """CIEDE2000 at every pixel, height × width; the result must have the source's size.

    >>> change_map(np.zeros((2, 3, 3), np.uint8), np.full((2, 3, 3), 255, np.uint8)).round().tolist()
    [[100.0, 100.0, 100.0], [100.0, 100.0, 100.0]]
    """
    if source.shape != result.shape:
        raise WrongUse("a map of change needs two pictures of one size; resize the result to the source")
    before, after = source.reshape(-1, 3), result.reshape(-1, 3)
    red, green, blue = (before[:, channel] != after[:, channel] for channel in range(3))
    changed = np.flatnonzero(red | green | blue)
    found = np.zeros(len(before), np.float32)
    for start in range(0, len(changed), _AT_ONCE):
        some = changed[start : start + _AT_ONCE]
        found[some] = ciede2000(lab_of(before[None, some]), lab_of(after[None, some]))[0]
    return found.reshape(source.shape[:2])
