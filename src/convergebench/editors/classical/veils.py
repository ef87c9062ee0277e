"""What lies over a picture like a thin white cloth, and how much of it there is: the dark channel.

In a picture without a veil nearly every small area has something dark in it, in at least one channel; how
bright the darkest thing is therefore tells how thick the veil is (He, Sun and Tang, 2009).
"""

from __future__ import annotations

import cv2
import numpy as np

from convergebench.editors.classical.smoothing import brightness, guided
from convergebench.editors.classical.sprites import Field

_SHARE_LIFTED = np.float32(0.88)
"""A little is left, or every pale thing would turn dark."""
_LEAST_LEFT = np.float32(0.12)
"""Where less of the picture than this shows through, dividing by it would only enlarge noise."""


def dark_channel(colours: Field, veil: Field, radius: int) -> Field:
    """The darkest value within the radius of each pixel, in shares of the veil's colour."""
    side = 2 * radius + 1
    darkest = np.ascontiguousarray((colours / veil).min(axis=2))
    return np.asarray(cv2.erode(darkest, np.ones((side, side), np.uint8)), np.float32)


def thickest_veil(colours: Field, radius: int) -> Field:
    """The veil's own colour: that of the thousandth of the picture where there is most of it."""
    dark = dark_channel(colours, np.full(3, 255, np.float32), radius)
    count = max(1, dark.size // 1000)
    thickest = np.argpartition(dark.ravel(), -count)[-count:]
    return np.asarray(np.maximum(colours.reshape(-1, 3)[thickest].mean(axis=0), 1), np.float32)


def show_through(colours: Field, veil: Field, radius: int) -> Field:
    """How much of the picture shows through the veil at each pixel, up to 1."""
    rough = 1 - _SHARE_LIFTED * dark_channel(colours, veil, radius)
    return np.clip(guided(brightness(colours), rough, 1 + round(1.5 * radius), 12.0), _LEAST_LEFT, 1)


def unveiled(colours: Field, veil: Field, through: Field) -> Field:
    """The colours behind the veil."""
    return np.asarray((colours - veil) / through[..., None] + veil, np.float32)
