"""MS-SSIM's loops in C; that the metric is right is tested with the metric."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from convergebench import kernels
from convergebench.metrics import load

built = pytest.mark.skipif(not kernels.available(), reason="there was no compiler when this was installed")


@built
@pytest.mark.parametrize("shape", [(161, 161, 3), (170, 333, 3), (256, 192, 3)])
def test_registers_of_every_width_give_the_same_digits(
    shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(11)
    source = random.integers(0, 256, shape).astype(np.uint8)
    result = np.clip(source + random.normal(0, 20, shape), 0, 255).astype(np.uint8)
    metric = load("ms_ssim")
    prepared = metric.prepare(source)

    def similarity(lanes: int) -> object:
        monkeypatch.setattr(kernels, "MOST_LANES", lanes)
        return metric.compare([prepared], [result])[0]

    assert similarity(16) == similarity(8) == similarity(1)


@built
@pytest.mark.parametrize("shape", [(2, 2, 3), (4, 6, 3), (10, 514, 3), (64, 256, 3)])
def test_halved_pictures_and_planes_are_those_of_opencv(shape: tuple[int, int, int]) -> None:
    levels = np.random.default_rng(12).integers(0, 256, shape).astype(np.uint8)
    planes = levels - np.float32(128)
    height, width, _ = shape
    expected = cv2.resize(planes, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    assert np.array_equal(kernels.halved(levels, 128.0), expected)
    assert np.array_equal(kernels.halved(planes, 128.0), expected)
