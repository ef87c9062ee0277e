"""Captions for CLIP that describe a picture before and after a forward edit."""

from __future__ import annotations

from convergebench.metrics import clip_direction
from convergebench.metrics.clip_direction import Captions
from convergebench.suites import pair_asking


def captions(instruction: str) -> Captions | None:
    """The built-in pair's own captions if the instruction belongs to one, otherwise captions derived from its
    text.

    >>> captions("Change the scene from day to night.")
    Captions(before='a picture of the scene by day', after='a picture of the scene at night')
    >>> captions("Add a lamp to the scene.")
    Captions(before='a picture of the scene', after='a picture of the scene with a lamp')
    >>> captions("Flip the image vertically.") is None
    True
    """
    pair = pair_asking(instruction)
    if pair is None:
        return clip_direction.captions(instruction)
    if not pair.shows_before:
        return None
    return Captions(f"a picture of {pair.shows_before}", f"a picture of {pair.shows_after}")
