from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data
from skimage.metrics import structural_similarity

from convergebench.metrics.base import Reading, Result
from convergebench.metrics.drift.geometry import geometry, geometry_of_source
from convergebench.types import Pixels

PLACE = ("shift_x", "shift_y", "zoom", "rotation")
PHOTO: Pixels = data.astronaut()


def drift(source: Pixels, result: Pixels) -> dict[str, Reading]:
    return dict(geometry(geometry_of_source(source), Result(result, (result.shape[1], result.shape[0]))))


def moved(pixels: Pixels, right: float, down: float, percent: float, degrees: float) -> Pixels:
    height, width, _ = pixels.shape
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, 1 + percent / 100)
    matrix[:, 2] += right, down
    return np.asarray(cv2.warpAffine(pixels, matrix, (width, height), flags=cv2.INTER_CUBIC), np.uint8)


@settings(max_examples=15)
@given(st.floats(-30, 30), st.floats(-30, 30), st.floats(-10, 10), st.floats(-6, 6))
def test_any_move_is_found_to_a_tenth_of_a_pixel(right: float, down: float, zoom: float, turn: float) -> None:
    seen = drift(PHOTO, moved(PHOTO, right, down, zoom, turn))
    found = [seen[name] for name in PLACE]
    assert found[:2] == pytest.approx([right, down], abs=0.15)
    assert found[2:] == pytest.approx([zoom, turn], abs=0.05)


def test_a_move_is_found_under_another_light_and_an_edit() -> None:
    result = moved(PHOTO, 4, -3, 2, 0)
    result = np.clip(result * 0.7 + 50, 0, 255).astype(np.uint8)
    result[:160, :160] = (30, 160, 60)
    assert [drift(PHOTO, result)[name] for name in PLACE] == pytest.approx([4, -3, 2, 0], abs=0.2)


def test_ssim_after_registration_is_scikit_images_where_both_pictures_are() -> None:
    seen = drift(PHOTO, np.roll(PHOTO, (0, 6), (0, 1)))
    assert seen["ssim_registered"] == pytest.approx(1, abs=0.002)
    assert seen["registered_area"] == pytest.approx(1 - 6 / 512, abs=0.003)
    still = drift(PHOTO, blurred := np.asarray(cv2.GaussianBlur(PHOTO, (0, 0), 1.0), np.uint8))
    assert still["registered_area"] == 1
    assert still["ssim_registered"] == pytest.approx(
        structural_similarity(PHOTO, blurred, channel_axis=2), abs=1e-4
    )


def test_another_picture_is_not_registered_and_says_so() -> None:
    other = np.ascontiguousarray(data.coffee()[:400, :400])
    seen = drift(np.ascontiguousarray(PHOTO[:400, :400]), other)
    for name in (*PLACE, "ssim_registered", "registered_area"):
        assert "cannot be registered to the source" in str(seen[name])
    assert seen["aspect_change"] == 0


def test_a_picture_without_structure_is_not_registered() -> None:
    flat = np.full((200, 300, 3), 80, np.uint8)
    assert "too little structure" in str(drift(flat, flat)["shift_x"])


def test_stripes_do_not_say_where_along_them_the_picture_is() -> None:
    wave = 128 + 80 * np.sin(np.arange(256) / 5)
    stripes = np.broadcast_to(wave[None, :, None], (256, 256, 3)).astype(np.uint8)
    assert "too little structure" in str(drift(stripes, stripes)["shift_y"])


@pytest.mark.parametrize("part", [PHOTO[200:231, 200:231], PHOTO[200:210]], ids=["small", "narrow"])
def test_a_small_or_narrow_picture_is_not_registered(part: Pixels) -> None:
    seen = drift(part, part)
    assert seen["zoom"] == "the source is too small or too narrow to register by"
    assert seen["aspect_change"] == 0


def test_a_picture_that_is_mostly_out_of_sight_is_missing_and_not_guessed() -> None:
    assert (
        drift(PHOTO, moved(PHOTO, 300, 0, 0, 0))["shift_x"] == "the result cannot be registered to the source"
    )


def test_the_aspect_is_that_of_the_native_sizes() -> None:
    seen = geometry(geometry_of_source(PHOTO), Result(PHOTO, (1024, 768)))
    assert seen["aspect_change"] == pytest.approx(100 / 3)
    assert [seen[name] for name in PLACE] == [0, 0, 0, 0]


def test_measuring_leaves_what_was_prepared_as_it_was() -> None:
    prepared = geometry_of_source(PHOTO)
    for _ in range(2):
        assert geometry(prepared, Result(PHOTO, (512, 512)))["shift_x"] == 0
        geometry(prepared, Result(moved(PHOTO, 9, 5, 0, 0), (512, 512)))
