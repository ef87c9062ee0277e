"""Registration in the form for a GPU, run on torch's CPU device and held against the processor's."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench.metrics._gpu.axis_weights import (
    Spans,
    area_weights_of,
    cubic_weights_of,
    linear_weights_of,
)
from convergebench.metrics._gpu.laying import laid_pictures, without_margin
from convergebench.metrics._gpu.registration import registered
from convergebench.metrics._gpu.registration_planes import pyramids, registration_planes
from convergebench.metrics._gpu.resampling import averaged
from convergebench.metrics.drift._registration import in_pixels, pyramid, register
from drawn_chains import disc_mask, moved, noised, painted, room

PIXELS = 0.02
"""Of the finest level."""


@pytest.mark.parametrize("size", [(256, 256), (200, 256), (300, 420), (40, 60)])
def test_fits_are_those_of_the_processor(size: tuple[int, int]) -> None:
    sources = [room(*size, seed=seed) for seed in range(5)]
    sources.append(np.full((*size, 3), 90, np.uint8))
    results = [
        noised(sources[0], 3),
        moved(sources[1], 5, 3),
        moved(sources[2], -3, 2, 1.05),
        painted(sources[3], disc_mask((20, 20), 9, *size)),
        moved(sources[4], 2, 0, 0.9),
        noised(sources[5], 4),
    ]
    of_sources, of_results = (torch.from_numpy(np.stack(each)) for each in (sources, results))
    fits = registered(pyramids(registration_planes(of_sources)), registration_planes(of_results))
    for source, result, fit in zip(sources, results, fits, strict=True):
        expected = register(pyramid(source), result)
        assert fit.distrust() == expected.distrust()
        if expected.distrust() is None:
            assert np.abs(fit.matrix - expected.matrix).max() * min(256, max(size)) <= PIXELS
            assert fit.likeness == pytest.approx(expected.likeness, abs=1e-3)


def test_a_picture_is_laid_on_another_as_opencv_does_it() -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (2, 90, 130, 3), dtype=np.uint8)
    matrices = [
        np.array([[1 + zoom, -turn, right], [turn, 1 + zoom, down], [0, 0, 1]])
        for zoom, turn, right, down in ((-0.03, 0.02, 0.05, 0.01), (0.05, -0.01, -0.1, 0.2))
    ]
    laid, covered = laid_pictures(torch.from_numpy(pictures), matrices)
    for picture, matrix, ours, mask in zip(
        pictures, matrices, laid.numpy(), without_margin(covered), strict=True
    ):
        affine, flags = in_pixels(matrix, 130, 90), cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        expected = cv2.warpAffine(picture, affine, (130, 90), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        apart = np.abs(ours.astype(int) - expected)
        assert apart.max() <= 1
        assert np.mean(apart > 0) < 0.01
        assert 0.3 < mask.float().mean() < 1


@pytest.mark.parametrize("size", [(512, 384), (300, 420), (1024, 80), (256, 256)])
def test_pictures_are_averaged_as_opencv_does_it(size: tuple[int, int]) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (*size, 3), dtype=np.uint8)
    height, width = (max(1, round(each * 256 / max(size))) for each in size)
    expected = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    ours = averaged(torch.from_numpy(picture)[None], height, width)[0].numpy()
    assert np.abs(ours.astype(int) - expected).max() <= 1
    assert np.mean(ours != expected) < 1e-3


METHODS = {
    cv2.INTER_AREA: area_weights_of,
    cv2.INTER_CUBIC: cubic_weights_of,
    cv2.INTER_LINEAR: linear_weights_of,
}


@settings(max_examples=60, deadline=None)
@given(
    method=st.sampled_from(sorted(METHODS)),
    first=st.integers(0, 30),
    length=st.integers(2, 60),
    to=st.integers(2, 60),
)
def test_any_part_of_a_row_is_resampled_as_opencv_does_it(
    method: int, first: int, length: int, to: int
) -> None:
    if method == cv2.INTER_AREA and length < to:
        length, to = to, length
    row = np.random.default_rng(first).random(100, np.float32)
    spans = Spans(*(torch.tensor([number]) for number in (first, length, to)))
    ours = (METHODS[method](spans, 100, 64)[0].numpy() @ row)[:to]
    part = np.ascontiguousarray(np.repeat(row[None, first : first + length], 2, axis=0))
    expected = cv2.resize(part, (to, 2), interpolation=method)[0]
    assert np.abs(ours - expected).max() <= 2e-3  # OpenCV's weights for floats are not rounded
