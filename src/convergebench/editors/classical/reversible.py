"""Sepia and fog that can be undone except for rounding."""

from __future__ import annotations

import numpy as np

from convergebench.editors.classical.fog import FOG_COLOUR, distance_by_row, fog_in
from convergebench.editors.classical.smoothing import brightness, rounded
from convergebench.editors.classical.sprites import Field
from convergebench.editors.classical.tones import SEPIA
from convergebench.types import Pixels, Refused

_COLOUR_KEPT = np.float32(0.2)
_THICKNESS = 1.5
_MOST_OFF_SEPIA = 14.0
"""Mean difference, in levels, between a toned picture and its brightness in pure sepia."""


def pale_sepia(pixels: Pixels) -> Pixels:
    """Brown tones with a fifth of the colours."""
    colours = pixels.astype(np.float32)
    grey = brightness(colours)[..., None]
    return rounded(grey * SEPIA + _COLOUR_KEPT * (colours - grey))


def full_colours(pixels: Pixels) -> Pixels:
    """The inverse of `pale_sepia`; refused if a picture is not in sepia."""
    colours = pixels.astype(np.float32)
    grey = brightness(colours)[..., None] / brightness(SEPIA)
    kept = colours - grey * SEPIA
    if float(np.abs(kept).mean()) > _MOST_OFF_SEPIA:
        raise Refused("the picture is not in sepia")
    return rounded(grey + kept / _COLOUR_KEPT)


def with_even_fog(pixels: Pixels) -> Pixels:
    """Fog whose thickness depends on the height in the picture alone."""
    through = _through(pixels)
    return rounded(pixels.astype(np.float32) * through + FOG_COLOUR * (1 - through))


def without_even_fog(pixels: Pixels) -> Pixels:
    """The inverse of `with_even_fog`; refused without fog."""
    colours = pixels.astype(np.float32)
    fog_in(colours)
    through = _through(pixels)
    return rounded((colours - FOG_COLOUR * (1 - through)) / through)


def _through(pixels: Pixels) -> Field:
    return np.asarray(np.exp(-_THICKNESS * distance_by_row(len(pixels))), np.float32)[:, None, None]
