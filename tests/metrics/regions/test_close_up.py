from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from convergebench.metrics.regions.close_up import STEPS, cells_of, close_up

sizes = st.tuples(st.integers(9, 300), st.integers(9, 300))


def box_mask(size: tuple[int, int], top: float, left: float, share: float) -> NDArray[np.bool_]:
    height, width = size
    mask = np.zeros(size, bool)
    first_row, first_column = int(top * (height - 1)), int(left * (width - 1))
    mask[
        first_row : first_row + 1 + int(share * height), first_column : first_column + 1 + int(share * width)
    ] = 1
    return mask


@given(sizes, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_close_up_shows_the_whole_region(
    size: tuple[int, int], top: float, left: float, share: float
) -> None:
    mask = box_mask(size, top, left, share)
    assert close_up(mask).crop(mask).sum() == mask.sum()


@given(sizes, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_close_up_is_at_most_256_pixels_and_large_enough_for_a_network(
    size: tuple[int, int], top: float, left: float, share: float
) -> None:
    shown = close_up(box_mask(size, top, left, share)).of(np.zeros((*size, 3), np.uint8))
    assert max(shown.shape[:2]) <= 256
    assert min(shown.shape[:2]) >= 32


def test_a_small_region_is_magnified_and_a_large_one_is_reduced() -> None:
    picture = np.zeros((512, 512, 3), np.uint8)
    eyes, room = (close_up(box_mask((512, 512), 0.4, 0.4, share)) for share in (0.05, 0.6))
    assert eyes.crop(picture).shape[0] < 64
    assert eyes.of(picture).shape[0] > 3 * eyes.crop(picture).shape[0]
    assert room.crop(picture).shape[0] > 256
    assert room.of(picture).shape[0] == 256


def test_the_whole_picture_is_shown_where_all_of_it_was_edited() -> None:
    whole = close_up(np.ones((120, 160), bool))
    assert whole.crop(np.zeros((480, 640))).shape == (480, 640)
    assert (whole.left, whole.right) == (0, STEPS)


def test_a_map_of_another_size_is_cut_at_the_same_place() -> None:
    mask = box_mask((256, 256), 0.5, 0.25, 0.2)
    box = close_up(mask)
    coarse = np.asarray(mask[::2, ::2], np.float32)
    cells = cells_of(*box.of(np.zeros((256, 256, 3), np.uint8)).shape[:2])
    one, other = (box.in_cells(each, cells) for each in (np.asarray(mask, np.float32), coarse))
    assert np.abs(one - other).mean() < 0.05
