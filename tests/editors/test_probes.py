from __future__ import annotations

import asyncio

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from convergebench.editors import listings, open_editor
from convergebench.picture import Picture
from convergebench.types import EditRequest, Pixels
from made_pictures import textured

PROBES = [listing.name for listing in listings() if listing.role == "probe"]
WITHOUT_STRENGTH = [
    "resize?scale=1", "noise?sigma=0", "sharpen?amount=0", "shift?dx=0&dy=0", "zoom?percent=0",
    "rotate?degrees=0", "tint?amount=0", "desaturate?percent=0", "contrast?percent=0",
]  # fmt: skip


def worn(model: str, pixels: Pixels, seed: int = 0, instruction: str = "Add a hat.") -> Pixels:
    request = EditRequest((Picture.from_pixels(pixels),), instruction, seed)
    return asyncio.run(open_editor(model).edit(request)).picture.pixels


def error(model: str, pixels: Pixels) -> float:
    """Root of the mean squared difference that the model makes."""
    return float(np.sqrt(np.mean((worn(model, pixels).astype(float) - pixels) ** 2)))


def detail(pixels: Pixels) -> float:
    """Energy of the finest structure."""
    return float(np.mean(cv2.Laplacian(pixels.astype(np.float32), cv2.CV_32F) ** 2))


def saturation(pixels: Pixels) -> float:
    values = pixels.astype(float)
    return float(np.mean(values.max(axis=2) - values.min(axis=2)))


def dot(width: int, height: int, x: int, y: int) -> Pixels:
    """A soft white spot on black, small beside the picture."""
    ys, xs = np.mgrid[0:height, 0:width]
    spot = 255 * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / 8)
    return np.repeat(spot.astype(np.uint8)[..., None], 3, axis=2)


def centre(pixels: Pixels) -> NDArray[np.float64]:
    """Where the light is: x and y."""
    light = pixels.sum(axis=2).astype(float)
    ys, xs = np.mgrid[0 : light.shape[0], 0 : light.shape[1]]
    return np.array([(xs * light).sum(), (ys * light).sum()]) / light.sum()


def test_the_probes_are_those_that_are_promised() -> None:
    assert set(PROBES) == {
        "jpeg", "resize", "blur", "noise", "sharpen", "shift", "zoom", "rotate", "tint", "desaturate",
        "contrast",
    }  # fmt: skip


@pytest.mark.parametrize("model", PROBES)
@given(width=st.integers(4, 40), height=st.integers(4, 40), seed=st.integers(0, 2**31 - 1))
def test_a_probe_keeps_the_size_and_is_the_same_for_a_seed_whatever_is_asked(
    model: str, width: int, height: int, seed: int
) -> None:
    pixels = textured(width, height)
    once = worn(model, pixels, seed)
    assert once.shape == pixels.shape
    assert once.dtype == np.uint8
    assert_array_equal(once, worn(model, pixels, seed, instruction="Remove the hat."))


@pytest.mark.parametrize("model", PROBES)
def test_a_probe_leaves_its_input_alone_and_changes_the_picture(model: str) -> None:
    pixels = textured()
    before = pixels.copy()
    assert (worn(model, pixels) != before).any()
    assert_array_equal(pixels, before)


@pytest.mark.parametrize("model", WITHOUT_STRENGTH)
def test_a_probe_without_strength_is_the_identity(model: str) -> None:
    assert_array_equal(worn(model, textured()), textured())


@pytest.mark.parametrize(
    ("weak", "strong"),
    [
        ("jpeg?quality=95", "jpeg?quality=60"),
        ("resize?scale=0.9", "resize?scale=0.3"),
        ("blur?sigma=0.4", "blur?sigma=2"),
        ("noise?sigma=2", "noise?sigma=9"),
        ("sharpen?amount=0.2", "sharpen?amount=1.5"),
        ("shift?dx=0.5", "shift?dx=3"),
        ("zoom?percent=0.5", "zoom?percent=4"),
        ("rotate?degrees=0.2", "rotate?degrees=3"),
        ("tint?amount=2", "tint?amount=12"),
        ("desaturate?percent=5", "desaturate?percent=60"),
        ("contrast?percent=3", "contrast?percent=25"),
    ],
)
@given(seed=st.integers(0, 1000))
def test_more_strength_wears_more(weak: str, strong: str, seed: int) -> None:
    pixels = textured(seed=seed)
    assert error(weak, pixels) < error(strong, pixels)


def test_only_noise_depends_on_the_seed() -> None:
    varying = {model for model in PROBES if (worn(model, textured(), 1) != worn(model, textured(), 2)).any()}
    assert varying == {"noise"}


def test_blur_and_resize_take_detail_and_sharpen_and_noise_add_it() -> None:
    pixels = textured()
    assert detail(worn("blur", pixels)) < detail(pixels)
    assert detail(worn("resize", pixels)) < detail(pixels)
    assert detail(worn("sharpen", pixels)) > detail(pixels)
    assert detail(worn("noise", pixels)) > detail(pixels)


def test_noise_has_the_standard_deviation_that_it_is_given() -> None:
    grey = np.full((200, 200, 3), 128, np.uint8)
    assert np.std(worn("noise?sigma=5", grey).astype(float)) == pytest.approx(5, rel=0.02)


@given(dx=st.integers(-6, 6), dy=st.integers(-6, 6))
def test_shift_moves_by_whole_pixels_exactly(dx: int, dy: int) -> None:
    pixels = textured()
    moved = worn(f"shift?dx={dx}&dy={dy}", pixels)
    assert_array_equal(moved[8:-8, 8:-8], np.roll(pixels, (dy, dx), axis=(0, 1))[8:-8, 8:-8])


def test_shift_moves_by_parts_of_a_pixel() -> None:
    spot = dot(65, 49, 30, 20)
    assert centre(worn("shift?dx=0.5&dy=-0.5", spot)) - centre(spot) == pytest.approx([0.5, -0.5], abs=0.03)


def test_zoom_magnifies_about_the_middle() -> None:
    middle, corner = dot(65, 49, 32, 24), dot(65, 49, 42, 34)
    assert centre(worn("zoom?percent=20", middle)) == pytest.approx([32, 24], abs=0.05)
    assert centre(worn("zoom?percent=20", corner)) == pytest.approx([44, 36], abs=0.1)


def test_rotate_turns_counter_clockwise_about_the_middle() -> None:
    middle, right = dot(65, 65, 32, 32), dot(65, 65, 52, 32)
    assert centre(worn("rotate?degrees=90", middle)) == pytest.approx([32, 32], abs=0.05)
    assert centre(worn("rotate?degrees=90", right)) == pytest.approx([32, 12], abs=0.05)


def test_tint_raises_green_and_lowers_the_others_by_half() -> None:
    grey = np.full((8, 8, 3), 100, np.uint8)
    assert worn("tint?amount=10", grey)[0, 0].tolist() == [95, 110, 95]


@given(seed=st.integers(0, 1000))
def test_desaturate_lowers_saturation_and_at_full_strength_takes_all(seed: int) -> None:
    pixels = textured(seed=seed)
    assert saturation(worn("desaturate?percent=30", pixels)) == pytest.approx(
        0.7 * saturation(pixels), rel=0.03
    )
    assert saturation(worn("desaturate?percent=100", pixels)) == 0


@given(low=st.integers(60, 120), high=st.integers(130, 200))
def test_contrast_spreads_about_mid_grey(low: int, high: int) -> None:
    pixels = np.array([[[low] * 3, [high] * 3]], np.uint8)
    spread = worn("contrast?percent=20", pixels).astype(float)
    assert np.std(spread) == pytest.approx(1.2 * np.std(pixels), abs=0.51)
    assert np.abs(spread - 127.5).min() >= np.abs(pixels - 127.5).min()


def test_identity_returns_the_very_picture() -> None:
    picture = Picture.from_pixels(textured())
    edited = asyncio.run(open_editor("identity").edit(EditRequest((picture,), "Add a hat.", 0)))
    assert edited.picture is picture
    assert edited.cost_usd == 0
