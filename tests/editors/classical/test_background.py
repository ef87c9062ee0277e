from __future__ import annotations

import cv2
import numpy as np
import pytest

from convergebench.editors.classical import edit_pixels
from convergebench.types import Pixels, Refused
from editors.classical.likeness import colour_difference, likeness

BLUR, SHARPEN = "Blur the background strongly.", "Make the background sharp."
FACE = (slice(80, 150), slice(130, 195))
FLAG = (slice(60, 160), slice(0, 40))


def detail(pixels: Pixels) -> float:
    return float(np.abs(cv2.Laplacian(pixels.astype(np.float32), cv2.CV_32F)).mean())


def test_the_background_is_blurred_and_the_face_is_not(portrait: Pixels) -> None:
    soft = edit_pixels(portrait, BLUR)
    assert detail(soft[FLAG]) < detail(portrait[FLAG]) / 3
    assert detail(soft[FACE]) > 0.95 * detail(portrait[FACE])


def test_sharpening_brings_detail_back_to_the_background(portrait: Pixels) -> None:
    soft = edit_pixels(portrait, BLUR)
    sharp = edit_pixels(soft, SHARPEN)
    assert detail(sharp[FLAG]) > 1.2 * detail(soft[FLAG])
    assert likeness(portrait, sharp) > likeness(portrait, soft)
    assert colour_difference(portrait, sharp) < colour_difference(portrait, soft)


def test_a_scene_without_a_person_has_a_background_too(landscape: Pixels) -> None:
    soft = edit_pixels(landscape, BLUR)
    assert detail(soft[:40]) < detail(landscape[:40]) / 2
    assert likeness(landscape, edit_pixels(soft, SHARPEN)) > likeness(landscape, soft)


def test_what_is_sharp_already_is_not_sharpened() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (128, 128, 3), dtype=np.uint8)
    with pytest.raises(Refused, match="not blurred"):
        edit_pixels(noise, SHARPEN)


def test_the_subject_is_cut_out_the_same_way_every_time(portrait: Pixels) -> None:
    first = edit_pixels(portrait, BLUR)
    cv2.setRNGSeed(99)
    assert np.array_equal(first, edit_pixels(portrait, BLUR))
