from __future__ import annotations

import numpy as np
import pytest
from skimage import data
from skimage.color import deltaE_ciede2000, rgb2lab

from convergebench.metrics.base import Reading, Result
from convergebench.metrics.drift.casts import cast_word
from convergebench.metrics.drift.colour import colour, colours_of_source
from convergebench.types import Pixels


@pytest.fixture(scope="module")
def coffee() -> Pixels:
    """A photograph pulled in from black and white, so that nothing clips unless a test makes it."""
    return (60 + data.coffee()[::2, ::2] * (135 / 255)).round().astype(np.uint8)


def drift(source: Pixels, result: Pixels) -> dict[str, Reading]:
    return dict(colour(colours_of_source(source), Result(result, (result.shape[1], result.shape[0]))))


def test_delta_e_is_the_mean_of_scikit_images_map(coffee: Pixels) -> None:
    result = coffee[:, ::-1]
    expected = deltaE_ciede2000(rgb2lab(coffee), rgb2lab(result)).mean()
    assert drift(coffee, result)["delta_e"] == pytest.approx(expected, rel=1e-4)


def test_brightening_is_lightness_and_nothing_else(coffee: Pixels) -> None:
    seen = drift(coffee, coffee + 20)
    grey, brighter = (rgb2lab(np.full((1, 1, 3), level / 255))[0, 0, 0] for level in (127.5, 147.5))
    assert seen["cast_l"] == pytest.approx(brighter - grey, abs=0.1)
    assert [seen[name] for name in ("cast_a", "cast_b")] == pytest.approx([0, 0], abs=0.05)
    assert [seen[name] for name in ("saturation", "contrast")] == pytest.approx([1, 1], abs=0.005)


def test_contrast_is_measured_through_clipping(coffee: Pixels) -> None:
    stretched = np.clip(127.5 + (coffee - 127.5) * 2.0, 0, 255).round().astype(np.uint8)
    seen = drift(coffee, stretched)
    assert seen["contrast"] == pytest.approx(2, rel=0.03)
    clipped = ((stretched == 0) | (stretched == 255)).any(axis=2).mean()
    assert clipped > 0.02
    assert seen["clipped"] == pytest.approx(100 * clipped)


def test_moving_a_picture_about_does_not_change_its_colours(coffee: Pixels) -> None:
    seen = drift(coffee, coffee[::-1, ::-1])
    assert [seen[name] for name in ("cast_l", "cast_a", "cast_b", "clipped")] == pytest.approx(
        [0] * 4, abs=0.05
    )
    assert [seen[name] for name in ("saturation", "contrast")] == pytest.approx([1, 1], abs=1e-3)


def test_a_sepia_tint_is_a_cast_though_the_source_is_grey(coffee: Pixels) -> None:
    grey = coffee[..., 1:2].repeat(3, axis=2)
    seen = drift(grey, grey + np.array([20, 8, 0], np.uint8))
    assert isinstance(seen["cast_a"], float)
    assert isinstance(seen["cast_b"], float)
    assert seen["cast_b"] > 5
    assert cast_word(seen["cast_a"], seen["cast_b"]) == "orange"
    assert seen["saturation"] == "the source has no variety of colour to compare with"


def test_a_flat_source_has_no_contrast_to_compare_with() -> None:
    flat = np.full((40, 40, 3), 90, np.uint8)
    assert drift(flat, flat)["contrast"] == "the source has no contrast to compare with"


@pytest.mark.parametrize(
    ("rgb", "word"),
    [
        ((1, 0, 0), "red"),
        ((1, 0.5, 0), "orange"),
        ((1, 1, 0), "yellow"),
        ((0, 1, 0), "green"),
        ((0, 1, 1), "cyan"),
        ((0, 0, 1), "blue"),
        ((1, 0, 1), "magenta"),
    ],
)
def test_the_pure_colours_have_their_names(rgb: tuple[float, float, float], word: str) -> None:
    _, a, b = rgb2lab(np.array([[rgb]], float))[0, 0]
    assert cast_word(a, b) == word
