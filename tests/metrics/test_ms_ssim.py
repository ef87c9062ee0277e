from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import convolve1d

from convergebench.metrics import NotMeasurable, load
from convergebench.types import Pixels


def ours(source: Pixels, result: Pixels) -> float:
    metric = load("ms_ssim")
    return metric.compare([metric.prepare(source)], [result])[0]


# Computed with pytorch-msssim 1.0.0 from the same pictures, in float64.
RECORDED = {
    (161, 161): 0.918662657,
    (256, 256): 0.928726624,
    (337, 203): 0.920251941,
    (512, 768): 0.928908099,
}


@pytest.mark.parametrize("size", RECORDED)
def test_ms_ssim_equals_what_pytorch_msssim_gives(
    size: tuple[int, int], textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
) -> None:
    source = textured(*size)
    # That package rounds its window to 32 bits, which costs it the sixth digit.
    assert ours(source, noisy(source, 40)) == pytest.approx(RECORDED[size], abs=5e-6)


@pytest.mark.parametrize("size", [(161, 163), (200, 330)])
@pytest.mark.parametrize("noise", [1, 15, 120])
def test_ms_ssim_equals_its_definition_in_double_precision(
    size: tuple[int, int], noise: int, textured: Callable[..., Pixels], noisy: Callable[..., Pixels]
) -> None:
    source = textured(*size, seed=3)
    result = noisy(source, noise)
    assert ours(source, result) == pytest.approx(by_definition(source, result), abs=1e-6)


def test_equal_pictures_are_perfect(textured: Callable[..., Pixels]) -> None:
    picture = textured(170, 180)
    assert ours(picture, picture) == pytest.approx(1, abs=1e-6)


def test_an_inverted_picture_scores_nothing_rather_than_not_a_number(textured: Callable[..., Pixels]) -> None:
    picture = textured(170, 180)
    assert ours(picture, 255 - picture) == 0


@pytest.mark.parametrize("size", [(160, 400), (400, 160)])
def test_a_picture_too_small_for_five_scales_is_not_measurable(size: tuple[int, int]) -> None:
    with pytest.raises(NotMeasurable, match="at least 161 pixels"):
        load("ms_ssim").prepare(np.zeros((*size, 3), np.uint8))


def by_definition(source: Pixels, result: Pixels) -> float:
    x, y = source.astype(np.float64), result.astype(np.float64)
    value = np.ones(3)
    for scale, weight in enumerate((0.0448, 0.2856, 0.3001, 0.2363, 0.1333)):
        mean_x, mean_y = windowed(x), windowed(y)
        covariance = windowed(x * y) - mean_x * mean_y
        variances = windowed(x * x) - mean_x**2 + windowed(y * y) - mean_y**2
        similarity = (2 * covariance + 58.5225) / (variances + 58.5225)
        if scale == 4:
            similarity *= (2 * mean_x * mean_y + 6.5025) / (mean_x**2 + mean_y**2 + 6.5025)
        value *= np.maximum(similarity.mean(axis=(0, 1)), 0) ** weight
        x, y = pooled(x), pooled(y)
    return float(value.mean())


def windowed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    gauss = np.exp(-(np.arange(-5, 6) ** 2) / (2 * 1.5**2))
    gauss /= gauss.sum()
    blurred: NDArray[np.float64] = convolve1d(convolve1d(values, gauss, axis=0), gauss, axis=1)
    return blurred[5:-5, 5:-5]


def pooled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    height, width, _ = values.shape
    even = np.pad(values, ((height % 2, 0), (width % 2, 0), (0, 0)))
    return (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / 4
