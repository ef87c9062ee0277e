"""The format of metrics and numbers in every view."""

from __future__ import annotations

import math

from convergebench.types import MetricFacts

ABSENT = "–"
_PLACES = {"dB": 1, "": 3, "×": 3}
"""Decimals by unit: decibels are large numbers, shares and ratios are around 1."""


_TITLES = {"headline_score": "score", "ms_ssim": "MS-SSIM", "delta_e": "ΔE"}
_ABBREVIATIONS = {
    name: name.upper()
    for name in ("psnr", "ssim", "lpips", "vgg", "clip", "dists", "dino", "flip", "mse", "l1", "l2")
}


def metric_title(facts: MetricFacts) -> str:
    """Abbreviations in capitals, other names as words.

    >>> for name in ("ms_ssim", "lpips_vgg", "flip_peak", "left_behind", "delta_e"):
    ...     metric_title(MetricFacts(name, "1", "higher", 1, 0, "quality"))
    'MS-SSIM'
    'LPIPS VGG'
    'FLIP peak'
    'left behind'
    'ΔE'
    """
    if facts.name in _TITLES:
        return _TITLES[facts.name]
    return " ".join(_ABBREVIATIONS.get(word, word) for word in facts.name.split("_"))


def axis_title(facts: MetricFacts) -> str:
    unit = f" in {facts.unit}" if facts.unit else ""
    return f"{metric_title(facts)}{unit}, {facts.better} is better"


def decimals(facts: MetricFacts) -> int:
    """Enough decimals to show just noticeable amounts, such as a contrast of ×1.04 or a rotation of 0.22°."""
    return 1 if facts.perfect == 100 else _PLACES.get(facts.unit, 2)


def number(value: float | None, places: int) -> str:
    """
    >>> number(0.61849, 3), number(math.inf, 1), number(None, 3), number(-0.004, 2)
    ('0.618', '∞', '–', '0.00')
    """
    if value is None:
        return ABSENT
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:z.{places}f}"


def signed(value: float | None, places: int) -> str:
    """With a sign; zero, and what rounds to it, has a plus.

    >>> signed(1.25, 1), signed(-0.5, 2), signed(-0.0004, 3), signed(None, 1)
    ('+1.2', '−0.50', '+0.000', '–')
    """
    return ABSENT if value is None else f"{value:+z.{places}f}".replace("-", "−")


def duration(seconds: float | None) -> str:
    """Seconds, with decimals that depend on the size.

    >>> duration(72.41), duration(7.2), duration(0.031)
    ('72.4', '7.20', '0.03')
    """
    return number(seconds, duration_places(seconds))


def duration_places(seconds: float | None) -> int:
    return 1 if seconds is None or seconds >= 10 else 2


def mean_with_interval(mean: float | None, low: float | None, high: float | None, facts: MetricFacts) -> str:
    """Such as 0.618 [0.581, 0.662]; only the mean if there is no interval."""
    places = decimals(facts)
    written = number(mean, places)
    if low is None or high is None:
        return written
    return f"{written} [{number(low, places)}, {number(high, places)}]"
