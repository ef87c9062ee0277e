from __future__ import annotations

import numpy as np
import pytest

from convergebench.metrics.regions import edit_evidence, edit_scope
from convergebench.picture import resized_to
from convergebench.suites import PAIRS
from convergebench.types import Pixels
from drawn_chains import HEIGHT, DrawnChain, disc_mask, levels, moved, noised, painted, room, tinted

ROOM = room()
FLIPPED = np.ascontiguousarray(ROOM[:, ::-1])
UPSIDE_DOWN = np.ascontiguousarray(ROOM[::-1])
TURNED = np.ascontiguousarray(np.rot90(ROOM, -1))
TURNED_WRONG = np.ascontiguousarray(np.rot90(ROOM))
SEPIA = levels(ROOM.mean(axis=2, keepdims=True) * np.array([1.07, 0.95, 0.75]))
WARM = levels(ROOM * np.array([1.08, 1.0, 0.85]))


def answer(pair: str, forward: Pixels, input: Pixels = ROOM) -> str:
    (asked,) = (one for one in PAIRS if one.id == pair)
    height, width, _ = input.shape
    edit = DrawnChain(input, edit_scope(asked.category)).located(resized_to(forward, width, height))
    return edit_evidence(edit, forward, pair).answer


@pytest.mark.parametrize(
    ("pair", "forward"),
    [
        ("horizontal_flip", FLIPPED),
        ("horizontal_flip", noised(moved(FLIPPED, 2, 1, 1.02), 8)),
        ("horizontal_flip", tinted(FLIPPED, 20)),
        ("vertical_flip", UPSIDE_DOWN),
        ("rotate_90_cw", TURNED),
        ("rotate_90_cw", resized_to(TURNED, 144, 120)),
        ("tone_warm_cool", WARM),
        ("sepia_and_back", SEPIA),
        ("light_brighten_darken", levels(ROOM * 1.15)),
    ],
)
def test_pixels_confirm_flips_turns_tone_and_light(pair: str, forward: Pixels) -> None:
    assert answer(pair, forward) == "yes"


@pytest.mark.parametrize(
    ("pair", "forward"),
    [
        ("horizontal_flip", ROOM),
        ("horizontal_flip", UPSIDE_DOWN),
        ("horizontal_flip", room(seed=9)),
        ("vertical_flip", noised(ROOM, 8)),
        ("rotate_90_cw", ROOM),
        ("rotate_90_cw", TURNED_WRONG),
        ("tone_warm_cool", ROOM),
        ("tone_warm_cool", levels(ROOM * np.array([0.9, 1.0, 1.15]))),
        ("sepia_and_back", np.repeat(ROOM.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)),
        ("sepia_and_back", ROOM),
        ("light_brighten_darken", levels(ROOM * 0.85)),
        ("light_brighten_darken", noised(ROOM, 4)),
        ("day_night", levels(ROOM * 1.1)),
    ],
)
def test_pixels_refute_them(pair: str, forward: Pixels) -> None:
    assert answer(pair, forward) == "no"


def test_a_flip_of_a_picture_that_is_its_own_mirror_image_is_unknown() -> None:
    half = ROOM[:, :72]
    symmetric = np.ascontiguousarray(np.concatenate([half, half[:, ::-1]], axis=1))
    assert answer("horizontal_flip", symmetric, symmetric) == "unknown"


def test_a_darker_picture_is_not_yet_a_night() -> None:
    assert answer("day_night", levels(ROOM * 0.4)) == "unknown"


@pytest.mark.parametrize("pair", ["hat_add_remove", "red_ball_add_remove", "smile_and_back"])
@pytest.mark.parametrize("forward", [ROOM, noised(ROOM, 12), tinted(ROOM, 12)], ids=["same", "noise", "tint"])
def test_pixels_refute_a_local_edit_that_is_nowhere(pair: str, forward: Pixels) -> None:
    assert answer(pair, forward) == "no"


@pytest.mark.parametrize("pair", ["fog_add_remove", "background_blur_sharpen"])
def test_pixels_refute_a_global_edit_that_is_not_visible(pair: str) -> None:
    assert answer(pair, noised(ROOM, 2)) == "no"
    assert answer(pair, levels(ROOM * 0.4 + 130)) == "unknown"


def test_pixels_do_not_confirm_what_they_cannot_name() -> None:
    """A red disc is no hat."""
    assert answer("hat_add_remove", painted(ROOM, disc_mask())) == "unknown"
    assert answer("hat_add_remove", room(HEIGHT, seed=9)) == "unknown"
