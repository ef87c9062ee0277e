from __future__ import annotations

import cv2
import numpy as np
import pytest
from skimage import data

from convergebench.metrics.base import NotMeasurable, Reading, Result
from convergebench.metrics.drift.detail import detail, details_of_source
from convergebench.types import Pixels

PHOTO: Pixels = data.astronaut()


def drift(source: Pixels, result: Pixels) -> dict[str, Reading]:
    return dict(detail(details_of_source(source), Result(result, (result.shape[1], result.shape[0]))))


def test_blur_takes_fine_detail_first_and_shapes_last() -> None:
    seen = drift(PHOTO, np.asarray(cv2.GaussianBlur(PHOTO, (0, 0), 1.5), np.uint8))
    low, mid, high = (float(seen[name]) for name in ("energy_low", "energy_mid", "energy_high"))
    assert high < 0.1 < mid < 0.7 < low < 1


def test_energy_grows_with_the_square_of_the_contrast() -> None:
    half = (128 + (PHOTO.astype(float) - 128) / 2).round().astype(np.uint8)
    seen = drift(PHOTO, half)
    assert [seen[name] for name in ("energy_low", "energy_mid", "energy_high")] == pytest.approx(
        [0.25] * 3, rel=0.1
    )


@pytest.mark.parametrize("sigma", [2.0, 6.0, 15.0])
def test_noise_is_measured_in_levels_and_not_taken_for_detail(sigma: float) -> None:
    grain = np.random.default_rng(3).normal(0, sigma, PHOTO.shape)
    seen = drift(PHOTO, np.clip(PHOTO + grain, 0, 255).round().astype(np.uint8))
    assert seen["noise"] == pytest.approx(sigma, rel=0.1)
    assert seen["energy_high"] == pytest.approx(1, abs=0.1)


def test_noise_that_is_taken_away_is_negative() -> None:
    grain = np.random.default_rng(3).normal(0, 6, PHOTO.shape)
    noisy = np.clip(PHOTO + grain, 0, 255).round().astype(np.uint8)
    seen = drift(noisy, PHOTO)
    assert seen["noise"] == pytest.approx(-6, rel=0.15)
    assert 0 < float(seen["noise_ratio"]) < 0.5


def test_blocking_grows_as_the_quality_of_jpeg_falls() -> None:
    grown = [float(drift(PHOTO, as_jpeg(PHOTO, quality))["blocking"]) for quality in (90, 60, 30, 10)]
    assert grown == sorted(grown)
    assert grown[0] < 0.6 < 2 < grown[-1]


def test_flat_pictures_have_no_detail_to_compare_with() -> None:
    flat = np.full((64, 64, 3), 128, np.uint8)
    seen = drift(flat, flat)
    assert "no detail of this size" in str(seen["energy_high"])
    assert [seen[name] for name in ("noise", "noise_ratio", "blocking")] == [0, 1, 0]


def test_pictures_smaller_than_a_block_are_not_measurable() -> None:
    with pytest.raises(NotMeasurable, match="8 × 8"):
        details_of_source(np.zeros((7, 30, 3), np.uint8))


def as_jpeg(pixels: Pixels, quality: int) -> Pixels:
    _, encoded = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.ascontiguousarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR)[..., ::-1])  # type: ignore[index]
