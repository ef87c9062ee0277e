from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from convergebench.editors.classical import edit_pixels
from convergebench.types import Pixels, Refused
from editors.classical.likeness import colour_difference, likeness

SNOW = "Add falling snow and cover the ground with snow."
NO_SNOW = "Remove the snow from the air and from the ground."
FOG, NO_FOG = "Add thick fog to the scene.", "Remove the fog from the scene."


def specks(pixels: Pixels) -> NDArray[np.uint8]:
    """How much every pixel stands out, bright, from its surroundings."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.morphologyEx(grey, cv2.MORPH_TOPHAT, np.ones((9, 9), np.uint8)))


@pytest.mark.parametrize(("forward", "backward"), [(SNOW, NO_SNOW), (FOG, NO_FOG)])
@pytest.mark.parametrize("kind", ["landscape", "portrait"])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_way_back_comes_nearer_to_the_source(
    request: pytest.FixtureRequest, kind: str, forward: str, backward: str, seed: int
) -> None:
    source: Pixels = request.getfixturevalue(kind)
    there = edit_pixels(source, forward, seed)
    back = edit_pixels(there, backward, seed + 1)
    assert colour_difference(source, back) < colour_difference(source, there)
    assert likeness(source, back) > likeness(source, there)
    assert not np.array_equal(source, back)


def test_snow_adds_bright_specks_to_the_air_and_takes_them_out_again(landscape: Pixels) -> None:
    sky = slice(0, 60)
    snowy = edit_pixels(landscape, SNOW)
    clear = edit_pixels(snowy, NO_SNOW)
    before, during, after = ((specks(p)[sky] > 25).mean() for p in (landscape, snowy, clear))
    assert during > before + 0.01
    assert after < before + (during - before) / 4


def test_snow_whitens_the_ground_and_leaves_the_sky(landscape: Pixels) -> None:
    snowy = edit_pixels(landscape, SNOW)
    moved = np.median(snowy.astype(int) - landscape, axis=2)
    assert np.median(moved[-60:]) > 60
    assert np.median(np.abs(moved[:60])) < 3


def test_snow_does_not_lie_on_a_face(portrait: Pixels) -> None:
    snowy = edit_pixels(portrait, SNOW)
    face = (slice(80, 150), slice(130, 195))
    assert np.median(np.abs(snowy[face].astype(int) - portrait[face])) < 12


def test_fog_lowers_contrast_most_of_all_far_away(landscape: Pixels) -> None:
    foggy = edit_pixels(landscape, FOG)
    far, near = slice(0, 130), slice(-60, None)
    left_far, left_near = (float(foggy[at].std() / landscape[at].std()) for at in (far, near))
    assert left_far < 0.4
    assert left_far < left_near < 1


@pytest.mark.parametrize(("instruction", "thing"), [(NO_SNOW, "snow"), (NO_FOG, "fog")])
def test_weather_that_is_not_there_cannot_be_removed(landscape: Pixels, instruction: str, thing: str) -> None:
    with pytest.raises(Refused, match=f"found no {thing} to remove"):
        edit_pixels(landscape, instruction)


@pytest.mark.parametrize("instruction", [SNOW, FOG])
def test_weather_is_the_same_for_a_seed_and_another_for_another(landscape: Pixels, instruction: str) -> None:
    first = edit_pixels(landscape, instruction, 3)
    assert np.array_equal(first, edit_pixels(landscape, instruction, 3))
    assert not np.array_equal(first, edit_pixels(landscape, instruction, 4))


@pytest.mark.parametrize("size", [(64, 64), (65, 211), (333, 97)])
@pytest.mark.parametrize(("forward", "backward"), [(SNOW, NO_SNOW), (FOG, NO_FOG)])
def test_weather_comes_to_pictures_of_any_shape(
    landscape: Pixels, size: tuple[int, int], forward: str, backward: str
) -> None:
    picture = np.asarray(cv2.resize(landscape, size[::-1], interpolation=cv2.INTER_AREA))
    there = edit_pixels(picture, forward)
    assert colour_difference(picture, edit_pixels(there, backward)) < colour_difference(picture, there)
