"""The grain of planed wood."""

from __future__ import annotations

import numpy as np

from convergebench.suites.drawn._paint import Colour, Field, Light, Noise, mix, ramp, wave


def wood(along: Field, across: Field, dark: Colour, pale: Colour, seed: int) -> Light:
    """Wood whose fibres run along the first coordinate; both are in metres."""
    noise = Noise(seed)
    drift = noise.rough(along * 1.3, across * 5.0, 3)
    rings = wave(across * 14.0 + drift * 6.0) * 0.5 + 0.5
    fibres = noise.rough(along * 9.0, across * 220.0, 3)
    return mix(dark, pale, np.clip(0.18 + rings * 0.34 + fibres * 0.45 + (drift - 0.5) * 0.5, 0.0, 1.0))


def planks(along: Field, across: Field, width: float, dark: Colour, pale: Colour, seed: int) -> Light:
    """Boards side by side, each from another part of the tree, with a dark joint between."""
    board = np.floor(across / width)
    within = across / width - board
    tone = Noise(seed + 1).at(board * 3.7, board * 1.3)
    light = wood(along + board * 7.31, within * width + board * 2.17, dark, pale, seed)
    joint = ramp(0.0, 0.03, within) * ramp(1.0, 0.97, within)
    return light * ((0.72 + 0.5 * tone) * (0.45 + 0.55 * joint))[..., None]
