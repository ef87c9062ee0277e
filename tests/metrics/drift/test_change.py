from __future__ import annotations

import numpy as np
import pytest

from convergebench.errors import WrongUse
from convergebench.metrics.drift import change_map


def test_the_map_is_zero_but_where_the_picture_changed() -> None:
    source = np.full((20, 30, 3), 120, np.uint8)
    result = source.copy()
    result[5:9, 10:20, 0] += 60
    changed = change_map(source, result)
    assert changed.shape == (20, 30)
    assert changed[5:9, 10:20].min() > 10
    changed[5:9, 10:20] = 0
    assert not changed.any()


def test_pictures_of_two_sizes_have_no_map() -> None:
    with pytest.raises(WrongUse, match="one size"):
        change_map(np.zeros((4, 4, 3), np.uint8), np.zeros((4, 5, 3), np.uint8))
