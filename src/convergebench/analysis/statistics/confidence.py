"""The confidence level of every interval and test, and the quantile of Student's t."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

CONFIDENCE = 0.95
_LARGE = 1000
_STEPS = 50


@lru_cache(maxsize=256)
def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t, as SciPy computes it, but without SciPy: importing it takes longer than
    many commands.

    >>> round(student_quantile(0.975, 10), 3), round(student_quantile(0.975, 1), 3)
    (2.228, 12.706)
    """
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    start = _expanded(NormalDist().inv_cdf(probability), freedom)
    return start if freedom > _LARGE else _solved(start, 2 * probability - 1, freedom)


def _solved(start: float, within: float, freedom: int) -> float:
    """Newton's method from `start` for the value below which the share `within` of |t| lies."""
    peak = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    value = start
    for _ in range(_STEPS):
        density = peak * (1 + value * value / freedom) ** (-(freedom + 1) / 2)
        step = (_share_within(value, freedom) - within) / (2 * density)
        value -= step
        if abs(step) <= 1e-15 * value:
            break
    return value


def _share_within(value: float, freedom: int) -> float:
    """The probability of |t| ≤ value: Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    sine = value / math.hypot(value, math.sqrt(freedom))
    square = freedom / (freedom + value * value)  # of the cosine
    is_odd = freedom % 2
    term = total = math.sqrt(square) if is_odd else 1.0
    for factor in range(2 + is_odd, freedom - 1, 2):
        term *= square * (factor - 1) / factor
        total += term
    if is_odd:
        return 2 / math.pi * (math.atan(value / math.sqrt(freedom)) + sine * total)
    return sine * total


def _expanded(normal: float, freedom: int) -> float:
    """From the normal distribution's quantile: Abramowitz and Stegun, 26.7.5."""
    x, square = normal, normal * normal
    terms = (
        x,
        x * (square + 1) / 4,
        x * ((5 * square + 16) * square + 3) / 96,
        x * (((3 * square + 19) * square + 17) * square - 15) / 384,
        x * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    return sum(term / float(freedom) ** power for power, term in enumerate(terms))
