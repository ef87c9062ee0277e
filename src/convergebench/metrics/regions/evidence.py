"""Whether a forward edit happened, as far as pixels can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from convergebench.metrics.drift._ciede2000 import lab_of
from convergebench.metrics.drift._registration import LEAST_LIKENESS, ZOOMS, pyramid, register
from convergebench.metrics.regions.footprint import LocatedEdit
from convergebench.metrics.regions.maps import COARSE_SIDE, FOOTPRINT_SIDE, shrunk
from convergebench.picture import resized_to
from convergebench.types import Pixels

Answer: TypeAlias = Literal["yes", "no", "unknown"]

NOTICEABLE = 2.3
"""In Lab: the just noticeable difference of Mahy, Van Eycken and Oosterlinck (1994)."""
LEAST_GLOBAL = 0.05
"""The minimum share of the picture that a global edit changes visibly; JPEG at quality 50 changes 4 %."""
ONE_HUE = 0.95
"""Length of the mean chroma over the mean length of the chroma: 1 if all colours have the same hue."""
_SAME = 0.9
"""Related pictures have a correlation of 0.9 or more."""


class EditEvidence(NamedTuple):
    """Whether the requested edit is visible, and the reason for this answer."""

    answer: Answer
    reason: str


def edit_evidence(edit: LocatedEdit, forward: Pixels, pair: str) -> EditEvidence:
    """The evidence in a forward picture, in its own size, for the requested edit pair.

    Flips and rotations are exact, and tone and light can be measured: these are confirmed or refuted. Other
    edits can only be refuted, by the fact that nothing changed: pixels cannot distinguish the requested hat
    from a red blob.
    """
    if pair in _TRANSFORMS:
        return _of_transform(edit.input.pixels, forward, _TRANSFORMS[pair])
    if pair in _TONES:
        return _TONES[pair](_colours(edit.input.pixels), _colours(forward))
    if edit.footprint.is_empty:
        return EditEvidence("no", "no part of the picture changed more than the rest")
    if edit.scope == "global" and edit.visible < LEAST_GLOBAL:
        return EditEvidence("no", f"less than {LEAST_GLOBAL:.0%} of the picture changed visibly")
    return EditEvidence("unknown", "something changed; pixels cannot say what")


def takes_pixels(pair: str) -> bool:
    """Whether the evidence for this pair lies in the pixels, which takes long."""
    return pair in _TRANSFORMS or pair in _TONES


def _of_transform(input: Pixels, forward: Pixels, transform: Callable[[Pixels], Pixels]) -> EditEvidence:
    """Whether the forward picture is more similar to the transformed input than to the input, each
    registered."""
    as_it_was = shrunk(input, FOOTPRINT_SIDE)
    expected = np.ascontiguousarray(transform(as_it_was))
    after = _likeness(expected, forward)
    # One zoom is enough to see whether a transformed input looks like the input; five take five times as
    # long.
    is_transformed = after is not None and after > _SAME
    before = _likeness(as_it_was, forward, ZOOMS[:1] if is_transformed else ZOOMS)
    if after is None or before is None:
        return EditEvidence("unknown", "the picture is too small or too narrow to register by")
    if min(after, before) > _SAME:
        return EditEvidence("unknown", "the transformed picture looks like the input itself")
    if after < LEAST_LIKENESS or after <= before:
        return EditEvidence("no", "the forward picture is not the transformed input")
    return EditEvidence("yes", "the forward picture is the transformed input")


def _likeness(reference: Pixels, result: Pixels, zooms: Sequence[float] = ZOOMS) -> float | None:
    """Correlation of the structure of both after registration."""
    levels = pyramid(reference)
    height, width, _ = reference.shape
    return register(levels, resized_to(result, width, height), zooms).likeness if levels else None


class _Colours(NamedTuple):
    """Statistics of a picture's colours in Lab."""

    lightness: float
    """The median."""
    b: float
    """The mean, from blue to yellow."""
    hues: float
    """See ONE_HUE."""


def _colours(pixels: Pixels) -> _Colours:
    lab = lab_of(shrunk(pixels, COARSE_SIDE)).reshape(-1, 3)
    chroma = lab[:, 1:]
    length = float(np.linalg.norm(chroma, axis=1).mean())
    hues = float(np.linalg.norm(chroma.mean(axis=0))) / length if length > NOTICEABLE else 0.0
    return _Colours(float(np.median(lab[:, 0])), float(lab[:, 2].mean()), hues)


def _warmer(before: _Colours, after: _Colours) -> EditEvidence:
    change = after.b - before.b
    reason = f"b* changed by {change:+.1f}, from blue to yellow"
    return EditEvidence("yes" if change >= NOTICEABLE else "no", reason)


def _brighter(before: _Colours, after: _Colours) -> EditEvidence:
    change = after.lightness - before.lightness
    return EditEvidence("yes" if change >= NOTICEABLE else "no", f"L* changed by {change:+.1f}")


def _night(before: _Colours, after: _Colours) -> EditEvidence:
    """A darker picture alone does not confirm night."""
    change = after.lightness - before.lightness
    if change > -NOTICEABLE:
        return EditEvidence("no", f"not darker: L* changed by {change:+.1f}")
    return EditEvidence(
        "unknown", f"darker: L* changed by {change:+.1f}; pixels cannot tell night from shade"
    )


def _sepia(before: _Colours, after: _Colours) -> EditEvidence:
    if after.hues < ONE_HUE or after.b < NOTICEABLE:
        return EditEvidence("no", "the colours are not of one warm hue")
    if before.hues >= ONE_HUE and before.b >= NOTICEABLE:
        return EditEvidence("unknown", "the colours were of one warm hue before")
    return EditEvidence("yes", "all colours are of one warm hue")


_TRANSFORMS: Mapping[str, Callable[[Pixels], Pixels]] = {
    "horizontal_flip": lambda pixels: pixels[:, ::-1],
    "vertical_flip": lambda pixels: pixels[::-1],
    "rotate_90_cw": lambda pixels: np.rot90(pixels, -1),
}
_TONES: Mapping[str, Callable[[_Colours, _Colours], EditEvidence]] = {
    "tone_warm_cool": _warmer,
    "sepia_and_back": _sepia,
    "light_brighten_darken": _brighter,
    "day_night": _night,
}
