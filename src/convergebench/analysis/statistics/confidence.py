"""The confidence level of every interval and test, and the quantile of Student's t."""

from __future__ import annotations

from functools import lru_cache

CONFIDENCE = 0.95


@lru_cache(maxsize=256)
def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t, as computed by SciPy.

    >>> round(student_quantile(0.975, 10), 3), round(student_quantile(0.975, 1), 3)
    (2.228, 12.706)
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))
