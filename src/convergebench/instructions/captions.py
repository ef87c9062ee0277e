"""Captions for CLIP that describe a picture before and after a forward edit."""

from __future__ import annotations

from collections.abc import Mapping

from convergebench.metrics import clip_direction
from convergebench.metrics.clip_direction import Captions
from convergebench.suites import pair_asking
from convergebench.suites.own_edits import CAPTION_AFTER, CAPTION_BEFORE


def captions(instruction: str, written: Mapping[str, Captions] | None = None) -> Captions | None:
    """The captions that a user wrote for this instruction, or those of the built-in pair that it belongs to,
    or captions derived from its text.

    >>> captions("Change the scene from day to night.")
    Captions(before='a picture of the scene by day', after='a picture of the scene at night')
    >>> captions("Add a lamp to the scene.")
    Captions(before='a picture of the scene', after='a picture of the scene with a lamp')
    >>> captions("Flip the image vertically.") is None
    True
    """
    if written and instruction in written:
        return written[instruction]
    pair = pair_asking(instruction)
    if pair is None:
        return clip_direction.captions(instruction)
    if not pair.shows_before:
        return None
    return Captions(f"a picture of {pair.shows_before}", f"a picture of {pair.shows_after}")


def written_captions(forward: str, hints: Mapping[str, str]) -> dict[str, Captions]:
    """The captions in a case's hints, by instruction."""
    if CAPTION_BEFORE not in hints or CAPTION_AFTER not in hints:
        return {}
    return {forward: Captions(hints[CAPTION_BEFORE], hints[CAPTION_AFTER])}
