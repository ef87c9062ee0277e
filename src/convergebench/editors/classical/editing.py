"""Executes a command on pixels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from convergebench.editors.classical.background import blurred_background, sharpened_background
from convergebench.editors.classical.drawn_things import added, removed
from convergebench.editors.classical.expression import neutral, smiling
from convergebench.editors.classical.fog import with_fog, without_fog
from convergebench.editors.classical.instructions import Action, EditCommand
from convergebench.editors.classical.reversible import (
    full_colours,
    pale_sepia,
    with_even_fog,
    without_even_fog,
)
from convergebench.editors.classical.smoothing import rounded
from convergebench.editors.classical.snow import with_snow, without_snow
from convergebench.editors.classical.technique import Technique
from convergebench.editors.classical.tones import TONES
from convergebench.editors.classical.turns import TURNS
from convergebench.types import Pixels, Refused

SMALLEST_SIDE = 64

_ON_PARTS: Mapping[Action, Callable[[Pixels], Pixels]] = {
    "smile": smiling,
    "neutral": neutral,
    "blur background": blurred_background,
    "sharpen background": sharpened_background,
}
_ADDED_WEATHER: Mapping[str, Callable[[Pixels, int], Pixels]] = {"snow": with_snow, "fog": with_fog}
_REMOVED_WEATHER: Mapping[str, Callable[[Pixels], Pixels]] = {"snow": without_snow, "fog": without_fog}
_BEYOND: Mapping[Action, str] = {
    "natural colours": "a picture in sepia has lost its colours, and the classical editor cannot invent them",
    "close eyes": "the classical editor cannot draw eyelids that look real",
    "open eyes": "the classical editor cannot know what closed eyes look like when they are open",
}


_CAREFUL: Mapping[tuple[Action, str], Callable[[Pixels], Pixels]] = {
    ("sepia", ""): pale_sepia,
    ("natural colours", ""): full_colours,
    ("add", "fog"): with_even_fog,
    ("remove", "fog"): without_even_fog,
}
_REMOVALS: tuple[Action, ...] = ("remove", "natural colours")


def carry_out(pixels: Pixels, command: EditCommand, seed: int, technique: Technique) -> Pixels:
    """A new picture; raises `Refused` if the command cannot be executed on this one.

    The seed decides where snow falls and fog drifts.
    """
    result = _edited(pixels, command, seed, technique)
    if technique.remainder > 0 and command.action in _REMOVALS:
        share = np.float32(technique.remainder)
        return rounded(pixels * share + result * (1 - share))
    return result


def _edited(pixels: Pixels, command: EditCommand, seed: int, technique: Technique) -> Pixels:
    action, thing = command.action, command.thing
    if technique.careful and (action, thing) in _CAREFUL:
        return _CAREFUL[action, thing](pixels)
    if action in _BEYOND:
        raise Refused(_BEYOND[action])
    if thing == "watch":
        raise Refused("the classical editor cannot find a wrist")
    whole = TURNS.get(action) or TONES.get(action)
    if whole is not None:
        return whole(pixels)
    if min(pixels.shape[:2]) < SMALLEST_SIDE:
        raise Refused(f"the picture is smaller than {SMALLEST_SIDE} pixels")
    if action in _ON_PARTS:
        return _ON_PARTS[action](pixels)
    if action == "add":
        return _ADDED_WEATHER[thing](pixels, seed) if thing in _ADDED_WEATHER else added(pixels, thing)
    return _REMOVED_WEATHER[thing](pixels) if thing in _REMOVED_WEATHER else removed(pixels, thing, technique)
