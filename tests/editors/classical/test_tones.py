from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from convergebench.editors.classical import edit_pixels
from convergebench.types import Pixels, Refused
from editors.classical.likeness import colour_difference, lab, likeness

tiny_pictures = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(lambda s: arrays(np.uint8, (*s, 3)))

WARMER, COOLER = "Make the colors of the image warmer.", "Make the colors of the image cooler."
BRIGHTER, DARKER = "Make the image brighter.", "Make the image darker."
NIGHT, DAY = "Change the scene from day to night.", "Change the scene from night to day."
SEPIA = "Turn the image into a sepia photograph."


@pytest.mark.parametrize(
    ("instruction", "channel", "sign"),
    [(WARMER, 2, 1), (COOLER, 2, -1), (BRIGHTER, 0, 1), (DARKER, 0, -1), (NIGHT, 0, -1), (NIGHT, 2, -1)],
)
def test_the_picture_moves_the_way_it_is_told(
    landscape: Pixels, instruction: str, channel: int, sign: int
) -> None:
    moved = lab(edit_pixels(landscape, instruction)) - lab(landscape)
    assert sign * moved[..., channel].mean() > 5


@pytest.mark.parametrize(("forward", "backward"), [(WARMER, COOLER), (BRIGHTER, DARKER), (NIGHT, DAY)])
@pytest.mark.parametrize("kind", ["landscape", "portrait"])
def test_the_way_back_comes_nearer_to_the_source(
    request: pytest.FixtureRequest, kind: str, forward: str, backward: str
) -> None:
    source: Pixels = request.getfixturevalue(kind)
    there = edit_pixels(source, forward)
    back = edit_pixels(there, backward)
    assert colour_difference(source, back) < colour_difference(source, there) / 2
    assert likeness(source, back) > likeness(source, there)


@given(tiny_pictures)
def test_curves_keep_black_and_white_and_are_undone_but_for_rounding(pixels: Pixels) -> None:
    lit = edit_pixels(pixels, BRIGHTER)
    assert (lit >= pixels).all()
    assert np.array_equal(lit == 255, pixels >= 255)
    assert np.array_equal(lit == 0, pixels == 0)
    back = edit_pixels(lit, DARKER)
    assert np.abs(back.astype(int) - pixels).max(initial=0) <= 1


def test_a_day_after_five_nights_is_still_the_same_place(landscape: Pixels) -> None:
    picture, likenesses = landscape, []
    for _ in range(5):
        picture = edit_pixels(edit_pixels(picture, NIGHT), DAY)
        likenesses.append(likeness(landscape, picture))
    assert likenesses[-1] < likenesses[0]
    assert likenesses[-1] > 0.6


def test_by_day_there_is_no_night_to_change(landscape: Pixels) -> None:
    with pytest.raises(Refused, match="not dark enough to be a night"):
        edit_pixels(landscape, DAY)


def test_sepia_leaves_one_hue_and_the_brightness_in_its_order(landscape: Pixels) -> None:
    toned = edit_pixels(landscape, SEPIA).astype(float)
    grey = landscape @ np.array([0.299, 0.587, 0.114])
    assert np.abs(toned[..., 2] - 0.67 * toned[..., 0]).max() < 1
    assert (toned[..., 0] > toned[..., 2])[grey > 20].all()
    assert np.corrcoef(toned[..., 0].ravel(), grey.ravel())[0, 1] > 0.999


def test_colours_that_sepia_has_destroyed_are_not_invented(landscape: Pixels) -> None:
    with pytest.raises(Refused, match="lost its colours"):
        edit_pixels(edit_pixels(landscape, SEPIA), "Turn the sepia photograph back into natural colors.")
