from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from skimage import data
from skimage.metrics import peak_signal_noise_ratio

from convergebench.metrics.psnr import psnr
from convergebench.types import Pixels

shapes = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40).map(lambda sides: (*sides, 3))
pairs = shapes.flatmap(lambda shape: st.tuples(arrays(np.uint8, shape), arrays(np.uint8, shape)))


def test_psnr_of_the_noisy_camera_picture_is_the_published_value() -> None:
    random = np.random.RandomState(5)
    camera = data.camera()
    noisy = np.clip(camera + 20.0 * random.randn(*camera.shape), 0, 255).astype(np.uint8)
    assert psnr(as_rgb(camera), as_rgb(noisy)) == pytest.approx(22.409353363576034, abs=1e-5)


@given(pairs)
def test_psnr_equals_scikit_image_on_any_pair(pair: tuple[Pixels, Pixels]) -> None:
    source, result = pair
    with np.errstate(divide="ignore"):
        expected = peak_signal_noise_ratio(source, result, data_range=255)
    assert psnr(source, result) == pytest.approx(expected, abs=1e-9)


def test_equal_pictures_give_infinity() -> None:
    picture = np.full((9, 9, 3), 77, np.uint8)
    assert psnr(picture, picture) == math.inf


def test_one_wrong_value_in_a_large_picture_still_counts() -> None:
    source = np.full((1024, 1024, 3), 200, np.uint8)
    result = source.copy()
    result[5, 5, 1] = 201
    assert psnr(source, result) == pytest.approx(10 * math.log10(255**2 * source.size), abs=1e-9)


def as_rgb(grey: Pixels) -> Pixels:
    return np.dstack([grey] * 3)
