"""Estimates a veil such as fog by the dark channel.

In a picture without a veil, nearly every small area has a dark value in at least one channel. The brightness
of the darkest value therefore shows the thickness of the veil (He, Sun and Tang, 2009).
"""

from __future__ import annotations

import cv2
import numpy as np

from convergebench.editors.classical.smoothing import brightness, guided
from convergebench.editors.classical.sprites import Field

_SHARE_LIFTED = np.float32(0.88)
"""The share of the veil that remains; otherwise every pale thing would become dark."""
_LEAST_LEFT = np.float32(0.12)
"""The minimum transmission; dividing by less would only amplify noise."""


def dark_channel(colours: Field, veil: Field, radius: int) -> Field:
    """The darkest value within the radius of each pixel, relative to the veil's colour."""
    side = 2 * radius + 1
    darkest = np.ascontiguousarray((colours / veil).min(axis=2))
    return np.asarray(cv2.erode(darkest, np.ones((side, side), np.uint8)), np.float32)


def thickest_veil(colours: Field, radius: int) -> Field:
    """The veil's colour: that of the thousandth of the picture where it is thickest."""
    dark = dark_channel(colours, np.full(3, 255, np.float32), radius)
    count = max(1, dark.size // 1000)
    thickest = np.argpartition(dark.ravel(), -count)[-count:]
    return np.asarray(np.maximum(colours.reshape(-1, 3)[thickest].mean(axis=0), 1), np.float32)


def show_through(colours: Field, veil: Field, radius: int) -> Field:
    """The transmission of the veil at each pixel, up to 1."""
    rough = 1 - _SHARE_LIFTED * dark_channel(colours, veil, radius)
    return np.clip(guided(brightness(colours), rough, 1 + round(1.5 * radius), 12.0), _LEAST_LEFT, 1)


def unveiled(colours: Field, veil: Field, through: Field) -> Field:
    """The colours behind the veil."""
    return np.asarray((colours - veil) / through[..., None] + veil, np.float32)
