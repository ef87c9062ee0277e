from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from convergebench.metrics.flip import WorstBox, worst_box


@st.composite
def smooth_maps(draw: st.DrawFn) -> NDArray[np.float32]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = (draw(st.integers(1, 150)), draw(st.integers(1, 150)))
    level = random.random(size) ** draw(st.sampled_from([0.1, 1, 30]))
    return (level + 0.01).astype(np.float32)


def holds(box: WorstBox, row: int, column: int) -> bool:
    return 0 <= row - box.top < box.height and 0 <= column - box.left < box.width


@settings(max_examples=150)
@given(smooth_maps())
def test_the_box_holds_the_peak_and_lies_inside_the_picture(smooth: NDArray[np.float32]) -> None:
    box = worst_box(smooth)
    assert box is not None
    row, column = np.unravel_index(np.argmax(smooth), smooth.shape)
    assert holds(box, int(row), int(column))
    height, width = smooth.shape
    assert 0 <= box.left <= box.left + box.width <= width
    assert 0 <= box.top <= box.top + box.height <= height


@given(smooth_maps())
def test_the_box_is_neither_tiny_nor_most_of_the_picture(smooth: NDArray[np.float32]) -> None:
    box = worst_box(smooth)
    assert box is not None
    longer = max(smooth.shape)
    for length, side in ((box.height, smooth.shape[0]), (box.width, smooth.shape[1])):
        assert min(side, longer // 8) <= length <= max(1, longer / 2 + 1)


def test_the_box_is_around_the_region_of_the_peak_and_no_other() -> None:
    smooth = np.zeros((400, 600), np.float32)
    smooth[100:160, 200:290] = 0.5
    smooth[130, 240] = 0.7
    smooth[300:320, 500:520] = 0.6
    assert worst_box(smooth) == WorstBox(left=181, top=81, width=128, height=98)


def test_a_region_that_is_too_large_is_cut_around_the_peak() -> None:
    smooth = np.full((100, 400), 0.5, np.float32)
    smooth[20, 250] = 0.6
    assert worst_box(smooth) == WorstBox(left=150, top=0, width=200, height=100)


def test_of_equal_peaks_the_first_is_taken() -> None:
    smooth = np.zeros((160, 160), np.float32)
    smooth[40, 120] = smooth[120, 40] = 0.9
    assert worst_box(smooth) == WorstBox(left=110, top=30, width=20, height=20)


@pytest.mark.parametrize("size", [(1, 1), (7, 30)])
def test_equal_pictures_have_no_worst_box(size: tuple[int, int]) -> None:
    assert worst_box(np.zeros(size, np.float32)) is None
