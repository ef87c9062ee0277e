"""A scale of known wear: how visible JPEG is to ꟻLIP, as medians over the 12 pictures of converge-small.

`benchmarks/known_wear.py` measures it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wear:
    label: str
    flip: float
    """The mean of the map."""
    peak: float
    """The largest value of the smoothed map."""


KNOWN_WEAR = (
    Wear("JPEG at quality 95", 0.030, 0.106),
    Wear("JPEG at quality 90", 0.034, 0.112),
    Wear("JPEG at quality 75", 0.047, 0.155),
    Wear("JPEG at quality 50", 0.064, 0.198),
    Wear("JPEG at quality 30", 0.084, 0.243),
    Wear("JPEG at quality 20", 0.104, 0.288),
    Wear("JPEG at quality 10", 0.161, 0.375),
    Wear("JPEG at quality 5", 0.215, 0.528),
)
