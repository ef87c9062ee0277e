"""A mountain lake that mirrors the peaks."""

from __future__ import annotations

import numpy as np

from convergebench.suites.drawn._paint import SIDE, Field, Light, Noise, canvas, developed, length, mix, ramp
from convergebench.types import Pixels

_WATERLINE = 0.60
_SUNLIGHT = (-0.62, 0.62, -0.48)
"""The direction of the light: right, up, away."""
_NEAR, _FAR, _STEPS = 3.0, 20.0, 640


def draw() -> Pixels:
    x, y = canvas()
    above = _softened(_land(_sky(x, y), x, y))
    light = _lake(above, x, y)
    light = _shore(light, x, y)
    return developed(light, grain=0.010, seed=21)


def _sky(x: Field, y: Field) -> Light:
    light = mix((0.16, 0.34, 0.66), (0.62, 0.74, 0.86), ramp(-0.15, 0.55, y))
    distance = 1.0 / (0.75 - y)
    noise = Noise(21)
    u, v = (x - 0.5) * distance * 1.6 + 2.0, distance * 2.2
    density = noise.rough(u, v, 6)
    thicker_below = noise.rough(u - 0.10, v + 0.16, 6)
    cover = ramp(0.50, 0.74, density)
    shade = np.clip(0.75 + (density - thicker_below) * 2.4, 0.0, 1.0)
    return mix(light, mix((0.52, 0.58, 0.68), (1.02, 1.0, 0.97), shade), cover * 0.9)


def _land(light: Light, x: Field, y: Field) -> Light:
    """Renders a height map: in each column, the nearest visible terrain hides the rest."""
    depths = _NEAR * (
        1.0 + (_FAR / _NEAR - 1.0) * (np.arange(_STEPS) / _STEPS) * (np.arange(_STEPS) / _STEPS)
    )
    across = (x[0] - 0.5)[None, :] * depths[:, None] * 0.95
    along = np.broadcast_to(depths[:, None], across.shape)
    raised = _heights(across, along) / along
    skyline = np.maximum.accumulate(raised, axis=0)
    looked_at = np.clip((_WATERLINE - y) * 0.95, 0.002, None)
    seen = np.empty((SIDE, SIDE), np.int64)
    for column in range(SIDE):
        seen[:, column] = np.searchsorted(skyline[:, column], looked_at[:, column])
    hits = seen < _STEPS
    depth = depths[np.minimum(seen, _STEPS - 1)]
    return np.where(hits[..., None], _terrain((x - 0.5) * depth * 0.95, depth), light)


def _heights(across: Field, along: Field) -> Field:
    noise = Noise(25)
    crests = noise.ridged(across * 0.21 + 5.3, along * 0.14 + 1.2, 7)
    massif = ramp(5.0, 13.0, along) * (0.55 + 0.45 * ramp(0.4, 3.0, np.abs(across - 0.3)))
    hills = noise.rough(across * 0.55 + 3.0, along * 0.55, 7) - 0.36
    valley = ramp(0.1, 2.6, np.abs(across - 0.15))
    meadows = ramp(3.6, 4.4, along) * 0.06 - 0.02
    return crests * 5.2 * massif + hills * 1.7 * valley * ramp(3.0, 5.0, along) + meadows


def _terrain(across: Field, along: Field) -> Light:
    step = 0.035
    height = _heights(across, along)
    slope_x = (_heights(across + step, along) - height) / step
    slope_z = (_heights(across, along + step) - height) / step
    steepness = length(slope_x, slope_z)
    facing = (-slope_x * _SUNLIGHT[0] + _SUNLIGHT[1] - slope_z * _SUNLIGHT[2]) / np.sqrt(
        1.0 + steepness * steepness
    )
    noise = Noise(23)
    mottle = noise.rough(across * 6.0, along * 6.0 + height * 5.0, 5)
    rock = mix((0.17, 0.16, 0.16), (0.38, 0.35, 0.32), mottle)
    forest = mix((0.018, 0.045, 0.022), (0.06, 0.11, 0.035), noise.rough(across * 22.0, along * 22.0, 3))
    ground = mix(forest, rock, ramp(1.0, 1.7, height + mottle * 0.8 + steepness * 0.12))
    snow = ramp(2.1, 2.7, height + (mottle - 0.5) * 1.4 - np.clip(steepness - 1.2, 0.0, 1.5) * 0.5)
    ground = mix(ground, (0.92, 0.94, 0.97), snow)
    sunlit = np.clip(facing, 0.0, 1.0)[..., None] * np.array((1.25, 1.14, 0.98))
    lit = ground * (sunlit + np.array((0.24, 0.30, 0.40)))
    haze = np.clip((along - _NEAR) / 26.0, 0.0, 1.0)
    return mix(lit, (0.56, 0.68, 0.82), haze * (2.0 - haze) * 0.62)


def _softened(light: Light) -> Light:
    """Antialiases the skyline."""
    wide = np.pad(light, ((1, 1), (1, 1), (0, 0)), mode="edge")
    tall = (wide[:, :-2] + wide[:, 1:-1] * 2.0 + wide[:, 2:]) / 4.0
    return (tall[:-2] + tall[1:-1] * 2.0 + tall[2:]) / 4.0


def _lake(above: Light, x: Field, y: Field) -> Light:
    below = np.clip(y - _WATERLINE, 0.0, None)
    depth = 1.0 / (below + 0.006)
    noise = Noise(24)
    ripple = noise.rough((x - 0.5) * depth * 0.7 + 5.0, depth * 3.2, 4) - 0.5
    breeze = ramp(0.50, 0.66, noise.rough(x * 2.0, depth * 0.16, 3)) * ramp(0.0, 0.02, below)
    shift = ripple * (0.010 + below * 0.16)
    row = np.clip(np.floor((_WATERLINE - below * 1.12 + shift) * SIDE), 0, SIDE - 1).astype(np.int64)
    column = np.clip(np.floor((x + shift * 0.15) * SIDE), 0, SIDE - 1).astype(np.int64)
    mirrored = above[row, column] * np.array((0.66, 0.74, 0.78))
    water = mix(mirrored, (0.020, 0.075, 0.085), np.clip(below * 1.1, 0.0, 0.45))
    water = mix(water, (0.34, 0.46, 0.56), breeze * np.clip(0.35 + ripple * 1.2, 0.0, 0.6))
    bank = ramp(0.010, 0.0, below)
    water = water * (1.0 - 0.5 * bank)[..., None]
    return mix(above, water, ramp(_WATERLINE - 0.001, _WATERLINE + 0.001, y))


def _shore(light: Light, x: Field, y: Field) -> Light:
    noise = Noise(26)
    edge = 0.905 + (noise.rough(x * 3.5, np.full_like(x, 1.0), 5) - 0.5) * 0.10 - ramp(0.45, 0.0, x) * 0.07
    inland = y - edge
    pebbles = noise.rough(x * 34.0, y * 60.0, 4)
    relief = pebbles - noise.rough(x * 34.0 - 0.35, y * 60.0 + 0.4, 4)
    stones = mix((0.11, 0.10, 0.09), (0.40, 0.37, 0.32), np.clip(0.42 + relief * 2.4, 0.0, 1.0))
    blades = noise.rough(x * 150.0 + noise.at(x * 9.0, y * 20.0) * 3.0, y * 26.0, 3)
    tufts = noise.rough(x * 14.0, y * 26.0, 4)
    grass = mix((0.020, 0.042, 0.012), (0.22, 0.26, 0.070), blades * blades * (0.5 + 1.6 * tufts))
    meadow = ramp(
        0.025, 0.055, inland + (blades - 0.5) * 0.06 + (noise.rough(x * 6.0, y * 6.0, 4) - 0.5) * 0.07
    )
    ground = mix(stones, grass, meadow)
    light = light * (1.0 - 0.4 * ramp(-0.02, 0.0, inland) * ramp(0.004, 0.0, inland))[..., None]
    light = mix(light, ground, ramp(-0.002, 0.003, inland))
    for place, foot, height in (
        (0.055, 0.935, 0.60),
        (0.165, 0.915, 0.44),
        (0.955, 0.965, 0.50),
        (0.885, 0.945, 0.31),
    ):
        light = _fir(light, x, y, (place, foot), height)
    return light


def _fir(light: Light, x: Field, y: Field, foot: tuple[float, float], height: float) -> Light:
    noise = Noise(round(foot[0] * 1000))
    up = (foot[1] - y) / height
    aside = (x - foot[0]) / height
    unrest = noise.rough(aside * 14.0, up * 11.0, 3)
    tiers = up * 19.0 + np.abs(aside) * 17.0 + unrest * 2.6
    tier = np.floor(tiers)
    within_tier = tiers - tier
    vigour = noise.at(np.where(aside < 0.0, 4.5, 9.5), tier * 0.9 + 0.5)
    needles = noise.rough(aside * 90.0, up * 70.0 + np.abs(aside) * 60.0, 3) - 0.5
    reach = (1.0 - up) * (0.105 + 0.10 * vigour + 0.07 * (1.0 - within_tier)) + 0.004
    inside = reach - np.abs(aside) + needles * (0.02 + 0.05 * (1.0 - up))
    low_end = 0.06 + (unrest - 0.5) * 0.10
    shape = ramp(-0.006, 0.010, inside) * ramp(low_end, low_end + 0.03, up) * ramp(1.01, 0.99, up)
    sun = np.clip(0.30 - aside * 2.4 + (0.5 - within_tier) * 0.35 + needles * 1.6, 0.0, 1.0)
    green = mix((0.007, 0.018, 0.012), (0.10, 0.15, 0.045), sun * (0.45 + 0.55 * ramp(0.10, 0.0, inside)))
    trunk = ramp(0.014, 0.009, np.abs(aside)) * ramp(0.0, 0.006, up) * ramp(0.5, 0.45, up)
    light = mix(light, (0.05, 0.035, 0.025), trunk)
    return mix(light, green, shape)
