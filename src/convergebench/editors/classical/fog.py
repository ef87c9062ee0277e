"""Fog: a veil that is thickest at the horizon."""

from __future__ import annotations

import numpy as np

from convergebench.editors.classical.smoothing import blurred, clouds, rounded
from convergebench.editors.classical.sprites import Field
from convergebench.editors.classical.subject import near_person
from convergebench.editors.classical.veils import dark_channel, show_through, thickest_veil, unveiled
from convergebench.types import Pixels, Refused

FOG_COLOUR = np.array([217, 222, 227], np.float32)
_HORIZON = 0.42
_THICKNESS = 2.0
_PATCH = 0.03
_CLEAR = 0.12
"""A picture has fog if its darkest places are brighter than this share of the veil."""


def with_fog(pixels: Pixels, seed: int) -> Pixels:
    height, width = pixels.shape[:2]
    patches = 1 + 0.22 * clouds(height, width, seed)
    through = np.exp(-_THICKNESS * _distance(pixels) * patches)[..., None]
    colours = pixels.astype(np.float32)
    # Fog scatters light: distant things are not only pale but soft.
    soft = through * colours + (1 - through) * blurred(colours, 0.004 * min(height, width) + 0.3)
    return rounded(soft * through + FOG_COLOUR * (1 - through))


def without_fog(pixels: Pixels) -> Pixels:
    colours = pixels.astype(np.float32)
    veil, radius = fog_in(colours)
    return rounded(unveiled(colours, veil, show_through(colours, veil, radius)))


def fog_in(colours: Field) -> tuple[Field, int]:
    """The colour of the fog, and the search radius; refused without fog."""
    radius = max(2, round(_PATCH * min(colours.shape[:2])))
    veil = thickest_veil(colours, radius)
    if float(np.percentile(dark_channel(colours, veil, radius), 4)) < _CLEAR:
        raise Refused("found no fog to remove")
    return veil, radius


def _distance(pixels: Pixels) -> Field:
    """The depth from 0 at the camera to 1 at the horizon and above, as over flat ground; a person is near."""
    height, width = pixels.shape[:2]
    distance = np.repeat(distance_by_row(height)[:, None], width, axis=1)
    return np.asarray(distance * (1 - 0.65 * near_person(pixels)), np.float32)


def distance_by_row(height: int) -> Field:
    """The depth of each row from the top: from 0 at the camera to 1 at the horizon and above."""
    down = np.linspace(0, 1, height, dtype=np.float32) - _HORIZON
    # A smooth horizon, because its exact position is not visible in fog.
    below = 0.07 * np.logaddexp(0, down / 0.07)
    return np.asarray(0.16 / (below + 0.16), np.float32)
