"""The median of many values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def median(values: NDArray[np.floating[Any]]) -> float:
    """The same as `numpy.median`, which also looks for NaN and takes twice as long; of one value or more.

    >>> median(np.array([3.0, 1.0, 2.0, 5.0]))
    2.5
    """
    middle = values.size // 2
    if values.size % 2:
        return float(np.partition(values, middle, axis=None)[middle])
    return float(np.partition(values, (middle - 1, middle), axis=None)[middle - 1 : middle + 1].mean())
