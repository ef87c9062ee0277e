from __future__ import annotations

import numpy as np
import pytest

from convergebench.editors.classical.fog import with_fog
from convergebench.editors.classical.reversible import (
    full_colours,
    pale_sepia,
    with_even_fog,
    without_even_fog,
)
from convergebench.editors.classical.tones import sepia
from convergebench.types import Pixels, Refused
from editors.classical.likeness import colour_difference


def test_pale_sepia_looks_like_sepia(portrait: Pixels) -> None:
    toned = pale_sepia(portrait)
    assert colour_difference(toned, sepia(portrait)) < 0.4 * colour_difference(toned, portrait)


def test_colours_come_back_from_pale_sepia_but_for_rounding(portrait: Pixels) -> None:
    back = full_colours(pale_sepia(portrait))
    # A fifth of a colour, rounded to half a level, is known to two and a half levels.
    assert np.abs(back.astype(int) - portrait).mean() < 2.5


def test_a_second_round_of_sepia_costs_little_more_than_the_first(portrait: Pixels) -> None:
    first = full_colours(pale_sepia(portrait))
    second = full_colours(pale_sepia(first))
    assert np.abs(second.astype(int) - first).mean() < 0.5 * np.abs(first.astype(int) - portrait).mean()


def test_a_picture_in_full_colours_is_not_taken_for_sepia(portrait: Pixels) -> None:
    with pytest.raises(Refused, match="not in sepia"):
        full_colours(portrait)


def test_even_fog_is_as_thick_as_other_fog_and_goes_but_for_rounding(landscape: Pixels) -> None:
    foggy = with_even_fog(landscape)
    loss = colour_difference(foggy, landscape)
    assert loss > 0.6 * colour_difference(with_fog(landscape, 1), landscape)
    assert colour_difference(without_even_fog(foggy), landscape) < 0.05 * loss


def test_fog_that_is_not_there_is_not_removed(landscape: Pixels) -> None:
    with pytest.raises(Refused, match="no fog"):
        without_even_fog(landscape)
