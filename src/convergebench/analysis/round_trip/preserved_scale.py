"""The preserved share, from 1 (all) to 0 (nothing): every metric on one scale, so that curves can be
compared."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from convergebench.errors import WrongUse
from convergebench.types import MetricFacts

DECIBEL = "dB"


def preserved(values: NDArray[np.float64], metric: MetricFacts) -> NDArray[np.float64]:
    """The share of the way from the metric's worst value to its perfect one; NaN stays NaN.

    Values beyond either end count as that end. Decibels have no finite perfect value, so they count by the
    error they stand for: 1 − 10^(−v/20), which for PSNR is one minus the root mean square error over 255.

    >>> ssim = MetricFacts("ssim", "1", "higher", 1.0, 0.0, "quality")
    >>> lpips = MetricFacts("lpips", "1", "lower", 0.0, 1.0, "quality")
    >>> psnr = MetricFacts("psnr", "1", "higher", math.inf, 0.0, "quality", "dB")
    >>> v = np.array([0.8])
    >>> float(preserved(v, ssim)[0]), round(float(preserved(v, lpips)[0]), 3)
    (0.8, 0.2)
    >>> preserved(np.array([20.0, math.inf]), psnr).tolist()
    [0.9, 1.0]
    """
    if not has_scale(metric):
        raise WrongUse(f"{metric.name} has no scale from worst to perfect; choose another metric")
    if metric.unit == DECIBEL:
        share = 1 - 10 ** (-values / 20)
    else:
        share = (values - metric.worst) / (metric.perfect - metric.worst)
    clipped: NDArray[np.float64] = np.clip(share, 0.0, 1.0)
    return clipped


def shortfall(value: float, metric: MetricFacts) -> float:
    """A number that is the lower the better the value, for sorting.

    >>> shift = MetricFacts("shift_x", "1", "nearest", 0.0, math.inf, "drift", "px")
    >>> shortfall(-3.0, shift)
    3.0
    """
    if metric.better == "higher":
        return -value
    return value if metric.better == "lower" else abs(value - metric.perfect)


def possible(metric: MetricFacts) -> tuple[float, float]:
    """The least and the most that a value should be."""
    if metric.better == "nearest":
        return -math.inf, math.inf
    return min(metric.worst, metric.perfect), max(metric.worst, metric.perfect)


def has_scale(metric: MetricFacts) -> bool:
    """Whether the metric measures how much is preserved; signed drift metrics only give a direction."""
    if metric.better not in ("higher", "lower"):
        return False
    return metric.unit == DECIBEL or (math.isfinite(metric.perfect) and math.isfinite(metric.worst))
