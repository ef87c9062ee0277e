from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data
from skimage.metrics import structural_similarity

from convergebench.metrics import NotMeasurable, load
from convergebench.types import Pixels


def ours(source: Pixels, result: Pixels) -> float:
    metric = load("ssim")
    return metric.compare([metric.prepare(source)], [result])[0]


def scikit_image(source: Pixels, result: Pixels) -> float:
    return float(structural_similarity(source, result, channel_axis=2, data_range=255))


@st.composite
def pictures_of_one_size(draw: st.DrawFn) -> tuple[Pixels, Pixels]:
    shape = (draw(st.integers(7, 60)), draw(st.integers(7, 60)), 3)

    def picture() -> Pixels:
        low = draw(st.integers(0, 255))
        high = draw(st.sampled_from([low, 255, min(low + 3, 255)]))
        random = np.random.default_rng(draw(st.integers(0, 2**32)))
        spread = random.integers(low, high, shape, endpoint=True)
        extremes = np.where(random.random(shape) < 0.5, low, high)
        return (extremes if draw(st.booleans()) else spread).astype(np.uint8)

    return picture(), picture()


@settings(max_examples=150, deadline=None)
@given(pictures_of_one_size())
def test_ssim_equals_scikit_image_on_any_pair(pair: tuple[Pixels, Pixels]) -> None:
    assert ours(*pair) == pytest.approx(scikit_image(*pair), abs=1e-6)


@pytest.mark.parametrize(("height", "width"), [(7, 7), (41, 4001), (300, 801), (523, 512)])
def test_ssim_equals_scikit_image_whatever_the_size(
    height: int, width: int, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
) -> None:
    source = textured(height, width)
    result = noisy(source, 25)
    assert ours(source, result) == pytest.approx(scikit_image(source, result), abs=1e-6)


def test_ssim_of_the_noisy_camera_picture_is_what_scikit_image_has_recorded() -> None:
    random = np.random.RandomState(5)
    camera = data.camera()
    result = np.clip(camera + 20.0 * random.randn(*camera.shape), 0, 255).astype(np.uint8)
    assert ours(np.dstack([camera] * 3), np.dstack([result] * 3)) == pytest.approx(
        0.3674518327910367, abs=1e-6
    )


def test_a_picture_that_is_not_contiguous_measures_the_same(
    textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
) -> None:
    source = textured(64, 80)
    result = noisy(source, 25)
    assert ours(source[:, ::-1], result[:, ::-1]) == pytest.approx(ours(source, result), abs=1e-6)


@given(pictures_of_one_size())
@settings(max_examples=30, deadline=None)
def test_ssim_is_symmetric(pair: tuple[Pixels, Pixels]) -> None:
    source, result = pair
    assert ours(source, result) == pytest.approx(ours(result, source), abs=1e-6)


@pytest.mark.parametrize("size", [(6, 100), (100, 6)])
def test_a_picture_smaller_than_the_window_is_not_measurable(size: tuple[int, int]) -> None:
    with pytest.raises(NotMeasurable, match=r"at least 7 × 7 pixels"):
        load("ssim").prepare(np.zeros((*size, 3), np.uint8))
