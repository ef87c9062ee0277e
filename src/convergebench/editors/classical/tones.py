"""Colour and light: the same curves over the whole picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from convergebench.editors.classical.instructions import Action
from convergebench.editors.classical.smoothing import brightness, guided, rounded
from convergebench.editors.classical.sprites import Field
from convergebench.types import Pixels, Refused

_WARMTH = 1.28
_LIGHT = 1.55
SEPIA = np.array([1.0, 0.87, 0.67], np.float32)
_MOONLIGHT = np.array([0.66, 0.82, 1.2], np.float32)
_DARKEST_DAY = 75.0
_USUAL_MEAN = 0.5
_MOST_GAIN = 5.0
_COLOUR_BY_DAY = np.float32(1.35)


def warmer(pixels: Pixels) -> Pixels:
    """Red lifted and blue lowered by curves; black and white stay."""
    return _curved(pixels, (1 / _WARMTH, 1.0, _WARMTH))


def cooler(pixels: Pixels) -> Pixels:
    return _curved(pixels, (_WARMTH, 1.0, 1 / _WARMTH))


def brighter(pixels: Pixels) -> Pixels:
    return _curved(pixels, (1 / _LIGHT,) * 3)


def darker(pixels: Pixels) -> Pixels:
    return _curved(pixels, (_LIGHT,) * 3)


def sepia(pixels: Pixels) -> Pixels:
    """Brown tones, without any of the original colours."""
    return rounded(brightness(pixels.astype(np.float32))[..., None] * SEPIA)


def night(pixels: Pixels) -> Pixels:
    """Dark, bluish and pale, darkest at the top."""
    colours = pixels.astype(np.float32) / 255
    grey = brightness(colours)[..., None]
    pale = grey + 0.55 * (colours - grey)
    sky = np.linspace(0.8, 1.05, len(pixels), dtype=np.float32)[:, None, None]
    return rounded(255 * 0.4 * sky * _MOONLIGHT * np.clip(pale, 0, 1) ** np.float32(1.3))


def day(pixels: Pixels) -> Pixels:
    """Brightened to the level of daylight pictures, without the blue tint; refused for daylight pictures."""
    colours = pixels.astype(np.float32)
    if float(np.median(brightness(colours))) > _DARKEST_DAY:
        raise Refused("the picture is not dark enough to be a night")
    red, _, blue = colours.mean(axis=(0, 1))
    balanced = colours / _MOONLIGHT if blue > red else colours
    grey = brightness(balanced)
    light = _daylight(grey)
    # A dark picture uses few of its eight bits; the resulting colour blotches are smoothed.
    gain = light / np.maximum(grey, 1)
    chroma = np.dstack([guided(light, (balanced[..., c] - grey) * gain, 2, 12.0) for c in range(3)])
    return rounded(light[..., None] + _COLOUR_BY_DAY * chroma)


def _daylight(grey: Field) -> Field:
    """Maps brightness at night to brightness by day: scaled, then a curve until the mean is typical."""
    low, high = np.percentile(grey, (0.5, 99.5))
    lit = np.clip((grey - low) / max(float(high - low), 1), 0, 1.1)
    bend = float(np.clip(np.log(_USUAL_MEAN) / np.log(np.clip(lit.mean(), 1e-3, 0.99)), 0.5, 1.2))
    return np.asarray(np.minimum(235 * lit**bend, _MOST_GAIN * grey), np.float32)


def _curved(pixels: Pixels, exponents: tuple[float, float, float]) -> Pixels:
    steps = np.arange(256) / 255
    table = np.stack([255 * steps**exponent for exponent in exponents], axis=1)
    return np.asarray(cv2.LUT(pixels, table.round().astype(np.uint8)[None]), np.uint8)


TONES: Mapping[Action, Callable[[Pixels], Pixels]] = {
    "warm": warmer,
    "cool": cooler,
    "brighten": brighter,
    "darken": darker,
    "sepia": sepia,
    "night": night,
    "day": day,
}
