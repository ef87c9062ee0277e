import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis import has_scale, preserved, shortfall
from convergebench.errors import WrongUse
from convergebench.types import MetricFacts

SSIM = MetricFacts("ssim", "1", "higher", 1.0, 0.0, "quality")
LPIPS = MetricFacts("lpips", "1", "lower", 0.0, 1.0, "quality")
PSNR = MetricFacts("psnr", "1", "higher", math.inf, 0.0, "quality", "dB")
SHIFT = MetricFacts("shift_x", "1", "nearest", 0.0, math.inf, "drift", "px")


@pytest.mark.parametrize(
    ("metric", "value", "share"),
    [(SSIM, 1.0, 1.0), (SSIM, -0.2, 0.0), (LPIPS, 0.0, 1.0), (LPIPS, 1.3, 0.0), (LPIPS, 0.25, 0.75),
     (PSNR, math.inf, 1.0), (PSNR, 20.0, 0.9), (PSNR, 0.0, 0.0)],
)  # fmt: skip
def test_the_share_runs_from_the_worst_value_to_the_perfect_one(metric, value, share):
    assert preserved(np.array([value]), metric)[0] == pytest.approx(share)


def test_for_psnr_the_share_is_one_minus_the_root_mean_square_error():
    error = 51.0
    decibels = 20 * math.log10(255 / error)
    assert preserved(np.array([decibels]), PSNR)[0] == pytest.approx(1 - error / 255)


@given(st.floats(-5, 80), st.floats(-5, 80), st.sampled_from([SSIM, LPIPS, PSNR]))
def test_a_better_value_never_has_a_smaller_share(one, other, metric):
    better, worse = sorted((one, other), key=lambda value: shortfall(value, metric))
    shares = preserved(np.array([better, worse]), metric)
    assert 0 <= shares[1] <= shares[0] <= 1


def test_missing_stays_missing():
    assert np.isnan(preserved(np.array([np.nan]), SSIM)).all()


def test_a_signed_drift_has_no_scale_and_is_refused():
    assert not has_scale(SHIFT)
    with pytest.raises(WrongUse, match="shift_x"):
        preserved(np.array([1.0]), SHIFT)
    assert shortfall(-3.0, SHIFT) == shortfall(3.0, SHIFT) > shortfall(1.0, SHIFT)
