from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import permutations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from convergebench.editors.classical import SKILLS, edit_pixels
from convergebench.editors.classical.instructions import ACCESSORIES, OBJECTS
from convergebench.types import Pixels, Refused

pictures = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(lambda s: arrays(np.uint8, (*s, 3)))


def psnr(a: Pixels, b: Pixels) -> float:
    error = float(np.mean((a.astype(np.float64) - b) ** 2))
    return float(10 * np.log10(255**2 / max(error, 1e-9)))


def changed(a: Pixels, b: Pixels) -> NDArray[np.bool_]:
    """Where two pictures differ visibly."""
    return np.abs(a.astype(int) - b).max(axis=2) > 12


def jpeg(pixels: Pixels, quality: int) -> Pixels:
    _, data = cv2.imencode(
        ".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality]
    )
    return np.asarray(cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB))


def shifted(pixels: Pixels) -> Pixels:
    return np.pad(pixels, ((3, 0), (4, 0), (0, 0)), mode="edge")[:-3, :-4]


def blurred_and_noisy(pixels: Pixels) -> Pixels:
    blurred = cv2.GaussianBlur(pixels, (0, 0), 0.8)
    noise = np.random.default_rng(1).normal(0, 4, pixels.shape)
    return np.clip(blurred + noise, 0, 255).astype(np.uint8)


# Turns


@given(pictures)
def test_a_flip_mirrors_exactly_and_undoes_itself(pixels: Pixels) -> None:
    flipped = edit_pixels(pixels, "Flip the image horizontally.")
    assert np.array_equal(flipped, pixels[:, ::-1])
    assert np.array_equal(edit_pixels(flipped, "Flip the image horizontally."), pixels)


@given(pictures)
def test_turning_back_undoes_a_turn_exactly(pixels: Pixels) -> None:
    turned = edit_pixels(pixels, "Rotate the image 90 degrees clockwise.")
    assert np.array_equal(turned, pixels[::-1].transpose(1, 0, 2))
    assert np.array_equal(edit_pixels(turned, "Rotate the image 90 degrees counter-clockwise."), pixels)


@given(pictures)
def test_flips_and_half_turns_are_exact(pixels: Pixels) -> None:
    upside_down = edit_pixels(pixels, "Flip the image vertically.")
    assert np.array_equal(upside_down, pixels[::-1])
    turned = edit_pixels(pixels, "Rotate the image 180 degrees.")
    assert np.array_equal(turned, pixels[::-1, ::-1])
    assert np.array_equal(edit_pixels(turned, "Rotate the image 180 degrees."), pixels)


# Things in scenes


@pytest.mark.parametrize("thing", OBJECTS)
def test_an_object_is_seen_where_it_was_added_and_gone_when_removed(scene: Pixels, thing: str) -> None:
    added = edit_pixels(scene, f"Add a {thing} to the scene.")
    place = changed(scene, added)
    assert 0.01 < place.mean() < 0.2
    assert np.abs(added.astype(int) - scene)[place].mean() > 25
    restored = edit_pixels(added, f"Remove the {thing} from the scene.")
    assert psnr(scene, restored) > psnr(scene, added) + 8
    with pytest.raises(Refused, match=f"found no {thing} to remove"):
        edit_pixels(restored, f"Remove the {thing} from the scene.")


@pytest.mark.parametrize("thing", OBJECTS)
def test_removing_leaves_everything_away_from_the_object_alone(scene: Pixels, thing: str) -> None:
    added = edit_pixels(scene, f"Add a {thing}")
    restored = edit_pixels(added, f"Remove the {thing}")
    surroundings = cv2.dilate(changed(scene, added).astype(np.uint8), np.ones((61, 61), np.uint8)) > 0
    assert np.array_equal(restored[~surroundings], added[~surroundings])


@pytest.mark.parametrize("wear", [lambda p: jpeg(p, 85), shifted, blurred_and_noisy])
@pytest.mark.parametrize("thing", OBJECTS)
def test_an_object_is_found_in_a_worn_picture(
    scene: Pixels, thing: str, wear: Callable[[Pixels], Pixels]
) -> None:
    worn = wear(edit_pixels(scene, f"Add a {thing}"))
    assert psnr(wear(scene), edit_pixels(worn, f"Remove the {thing}")) > psnr(wear(scene), worn) + 6


@pytest.mark.parametrize(("thing", "other"), list(permutations(OBJECTS, 2)))
def test_one_object_is_not_taken_for_another(scene: Pixels, thing: str, other: str) -> None:
    added = edit_pixels(scene, f"Add a {thing}")
    with pytest.raises(Refused, match=f"found no {other} to remove"):
        edit_pixels(added, f"Remove the {other}")


@pytest.mark.parametrize("size", [(64, 64), (65, 211), (333, 97), (101, 640), (800, 601)])
def test_any_size_and_shape_will_do(scene_of: Callable[[int, int], Pixels], size: tuple[int, int]) -> None:
    picture = scene_of(*size)
    added = edit_pixels(picture, "Add a red ball")
    assert changed(picture, added).any()
    restored = edit_pixels(added, "Remove the red ball")
    assert restored.shape == picture.shape
    assert psnr(picture, restored) > psnr(picture, added) + 6


def test_a_picture_below_64_pixels_is_refused(scene_of: Callable[[int, int], Pixels]) -> None:
    with pytest.raises(Refused, match="smaller than 64"):
        edit_pixels(scene_of(63, 200), "Add a chair")


def test_a_plain_grey_picture_takes_an_object() -> None:
    grey = np.full((256, 256, 3), 128, np.uint8)
    added = edit_pixels(grey, "Add a cat")
    assert psnr(grey, edit_pixels(added, "Remove the cat")) > 35


def test_ten_rounds_wear_the_place_and_leave_the_rest(scene: Pixels) -> None:
    picture = scene
    errors = []
    for _ in range(10):
        picture = edit_pixels(picture, "Add a plant")
        picture = edit_pixels(picture, "Remove the plant")
        errors.append(psnr(scene, picture))
    assert errors[-1] < errors[0]
    assert errors[-1] > 25
    assert (scene == picture).all(axis=2).mean() > 0.5


# Things on people


@pytest.mark.parametrize("thing", ACCESSORIES)
def test_an_accessory_is_worn_and_taken_off_again(portrait: Pixels, thing: str) -> None:
    added = edit_pixels(portrait, f"Add {thing} to the person.")
    place = changed(portrait, added)
    assert place.mean() > 0.001
    rows, columns = np.nonzero(place)
    # Her face is at about (162, 115) in this picture, a hundred pixels wide.
    assert abs(columns.mean() - 162) < 40
    assert rows.max() < 300
    restored = edit_pixels(added, f"Remove the {thing} from the person.")
    assert psnr(portrait, restored) > psnr(portrait, added)
    with pytest.raises(Refused, match=f"found no {thing} to remove"):
        edit_pixels(restored, f"Remove the {thing} from the person.")


@pytest.mark.parametrize("thing", ACCESSORIES)
def test_an_accessory_is_found_in_a_jpeg(portrait: Pixels, thing: str) -> None:
    worn = jpeg(edit_pixels(portrait, f"Add {thing}"), 85)
    assert psnr(portrait, edit_pixels(worn, f"Remove {thing}")) > psnr(portrait, worn)


@pytest.mark.parametrize("thing", ACCESSORIES)
def test_what_nobody_wears_cannot_be_taken_off(portrait: Pixels, thing: str) -> None:
    with pytest.raises(Refused, match=f"found no {thing} to remove"):
        edit_pixels(portrait, f"Remove the {thing}.")


def test_glasses_survive_ten_rounds(portrait: Pixels) -> None:
    picture = portrait
    for _ in range(10):
        worn = edit_pixels(picture, "Add a pair of glasses to the person.")
        assert changed(picture, worn).any()
        picture = edit_pixels(worn, "Remove the glasses from the person.")
    assert psnr(portrait, picture) > 28


def test_sunglasses_let_the_eyes_come_back(portrait: Pixels) -> None:
    worn = edit_pixels(portrait, "Add sunglasses")
    restored = edit_pixels(worn, "Remove sunglasses")
    eyes = (slice(88, 116), slice(135, 190))
    assert psnr(portrait[eyes], restored[eyes]) > psnr(portrait[eyes], worn[eyes]) + 6


@pytest.mark.parametrize("thing", ACCESSORIES)
def test_without_a_face_nothing_can_be_worn(scene: Pixels, thing: str) -> None:
    with pytest.raises(Refused, match="no face found"):
        edit_pixels(scene, f"Add {thing}")


def test_a_watch_is_refused_because_it_does_not_know_wrists(portrait: Pixels) -> None:
    with pytest.raises(Refused, match="cannot find a wrist"):
        edit_pixels(portrait, "Add a watch to the person's wrist.")


# What holds for all


@settings(max_examples=12, deadline=None)
@given(st.sampled_from([*ACCESSORIES, *OBJECTS]))
def test_the_same_edit_gives_the_same_picture_and_leaves_its_input_alone(thing: str) -> None:
    from skimage.data import astronaut

    picture = astronaut()[:320, 60:380].copy()
    before = picture.copy()
    picture.flags.writeable = False
    first = edit_pixels(picture, f"Add a {thing}")
    assert np.array_equal(first, edit_pixels(picture, f"Add a {thing}"))
    assert first.dtype == np.uint8
    assert first.shape == picture.shape
    first.flags.writeable = False
    assert np.array_equal(edit_pixels(first, f"Remove {thing}"), edit_pixels(first, f"Remove {thing}"))
    assert np.array_equal(picture, before)


def test_every_thing_it_draws_is_a_skill() -> None:
    assert set(ACCESSORIES) | set(OBJECTS) < set(SKILLS)


def test_importing_it_loads_neither_numpy_nor_opencv() -> None:
    code = "import sys, convergebench.editors.classical as c; print({'numpy', 'cv2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
