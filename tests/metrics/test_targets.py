"""Distances outside masks as PIE-Bench's own program computes them, against another implementation."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from convergebench.metrics.targets import target_distances
from made_pictures import textured


def test_masked_figures_compare_pictures_that_are_black_inside_the_mask() -> None:
    source, picture = textured(80, 60, 1), textured(80, 60, 2)
    mask = np.zeros_like(source)
    mask[10:40, 20:50] = 255
    found = target_distances(source, picture, None, mask)
    kept = (mask == 0).astype(np.float64)
    before, after = source / 255 * kept, picture / 255 * kept
    ssim = structural_similarity(
        before, after, data_range=1.0, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
        channel_axis=2,
    )  # fmt: skip
    assert found["masked_mse"] == pytest.approx(((before - after) ** 2).mean(), rel=1e-12)
    assert found["masked_psnr"] == pytest.approx(peak_signal_noise_ratio(before, after, data_range=1.0))
    assert found["masked_ssim"] == pytest.approx(ssim, abs=1e-9)


def test_without_a_mask_they_are_missing_with_the_reason() -> None:
    found = target_distances(textured(40, 40, 1), textured(40, 40, 2), textured(40, 40, 3), None)
    assert {found[name] for name in ("masked_mse", "masked_psnr", "masked_ssim")} == {
        "the suite has no mask for it"
    }
