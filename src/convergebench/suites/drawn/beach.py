"""A beach at sunset."""

from __future__ import annotations

import numpy as np

from convergebench.suites.drawn._paint import (
    Field,
    Light,
    Noise,
    blurred,
    canvas,
    developed,
    length,
    mix,
    ramp,
)
from convergebench.types import Pixels

_HORIZON = 0.46
_SUN = (0.66, 0.405)


def draw() -> Pixels:
    x, y = canvas()
    light = _sky(x, y)
    light = _headland(light, x, y)
    light = _sea(light, x, y)
    light = _sand(light, x, y)
    glow = blurred(np.clip(light - 0.75, 0.0, None), 14)
    return developed(light + glow * 0.5, grain=0.012, seed=11)


def _sky(x: Field, y: Field) -> Light:
    height = np.clip((_HORIZON - y) / _HORIZON, 0.0, 1.0)
    light = mix((0.95, 0.42, 0.16), (0.52, 0.30, 0.32), ramp(0.0, 0.38, height))
    light = mix(light, (0.10, 0.13, 0.30), ramp(0.22, 1.0, height))
    away = length(x - _SUN[0], (y - _SUN[1]) * 1.15)
    light = light + (np.array((1.0, 0.55, 0.20)) * 0.9) * (1.0 / (1.0 + away * away * 60.0))[..., None]
    light = _clouds(light, x, height, away)
    return mix(light, (2.6, 2.1, 1.3), ramp(0.036, 0.031, length(x - _SUN[0], y - _SUN[1])))


def _clouds(light: Light, x: Field, height: Field, away: Field) -> Light:
    distance = 1.0 / (height + 0.16)
    u, v = (x - 0.5) * distance * 1.5 + 3.0, distance * 2.3
    noise = Noise(1)
    density = noise.rough(u, v, 6)
    towards_sun = noise.rough(u + (_SUN[0] - x) * 0.25, v + 0.14, 6)
    cover = ramp(0.50, 0.72, density) * ramp(0.03, 0.14, height)
    lit = np.clip(0.45 + (density - towards_sun) * 4.5, 0.0, 1.0)
    near = 1.0 / (1.0 + away * away * 9.0)
    bright = mix((0.50, 0.26, 0.28), (1.35, 0.72, 0.36), near)
    dark = mix((0.10, 0.10, 0.19), (0.42, 0.20, 0.17), near)
    return mix(light, dark + (bright - dark) * lit[..., None], cover * 0.88)


def _headland(light: Light, x: Field, y: Field) -> Light:
    noise = Noise(2)
    for reach, top, seed, colour in (
        (0.46, 0.085, 3.0, (0.30, 0.19, 0.22)),
        (0.27, 0.120, 9.0, (0.13, 0.09, 0.12)),
    ):
        profile = noise.rough(x * 5.0 + seed, np.full_like(x, seed), 6)
        ridge = _HORIZON - top * ramp(reach, 0.0, x) * (0.55 + 0.75 * profile)
        shade = mix(colour, (0.62, 0.30, 0.18), ramp(0.02, 0.0, y - ridge) * 0.35)
        light = mix(light, shade, ramp(-0.0015, 0.0015, y - ridge) * ramp(reach, reach - 0.03, x))
    return light


def _sea(light: Light, x: Field, y: Field) -> Light:
    depth = 1.0 / np.clip(y - _HORIZON, 0.003, None)
    noise = Noise(3)
    u, v = (x - 0.5) * depth * 0.9, depth * 5.5
    swell = noise.rough(u * 0.8, v * 0.55 + 40.0, 4) - 0.5
    chop = noise.rough(u * 2.8 + 9.0, v * 1.7, 4) - 0.5
    tilt = swell * 1.1 + chop * 0.9
    nearness = np.clip((y - _HORIZON) / 0.3, 0.0, 1.0)
    mirrored = _sky(x + chop * 0.05, np.clip(2.0 * _HORIZON - y - 0.05 + tilt * 0.22, 0.0, _HORIZON - 0.01))
    water = mix((0.05, 0.09, 0.13), mirrored, np.clip(0.62 - tilt * 0.9 - nearness * 0.12, 0.1, 0.92))
    path = 1.0 / (1.0 + _ratio_squared(x - _SUN[0], 0.035 + nearness * 0.10))
    glitter = ramp(0.06, 0.30, chop + swell * 0.5) * path
    water = water + np.array((1.9, 1.05, 0.45)) * (glitter * 0.9 + path * 0.10)[..., None]
    return mix(light, water, ramp(_HORIZON - 0.001, _HORIZON + 0.001, y))


def _ratio_squared(offset: Field, width: Field) -> Field:
    ratio = offset / width
    return ratio * ratio


def _sand(light: Light, x: Field, y: Field) -> Light:
    noise = Noise(4)
    wander = noise.rough(x * 3.0, np.full_like(x, 5.0), 4) - 0.5
    shore = 0.685 + (x - 0.5) * -0.10 + wander * 0.07
    inland = y - shore
    depth = 1.0 / (y - _HORIZON + 0.02)
    u, v = (x - 0.5) * depth, depth * 3.0
    bumps = noise.rough(u * 9.0, v * 9.0, 5)
    lit = bumps - noise.rough(u * 9.0 - 0.22, v * 9.0 + 0.30, 5)
    ripples = noise.rough(u * 4.0 + 7.0, v * 16.0, 3) - 0.5
    dry = mix((0.34, 0.21, 0.13), (0.66, 0.43, 0.27), np.clip(0.45 + lit * 2.6 + ripples * 0.5, 0.0, 1.0))
    grain = np.random.Generator(np.random.PCG64(5)).random(x.shape) - 0.5
    dry = dry * (1.0 + grain * 0.16)[..., None]
    wet = mix(
        (0.13, 0.08, 0.06), _sky(x + lit * 0.03, np.clip(0.74 - y * 0.55, 0.0, 0.44)), np.full_like(x, 0.42)
    )
    tide = 0.10 + wander * 0.05 + (noise.rough(x * 7.0, np.full_like(x, 2.0), 3) - 0.5) * 0.05
    ground = mix(wet, dry, ramp(tide - 0.025, tide + 0.03, inland))
    light = mix(light, ground, ramp(-0.003, 0.010, inland))
    return _foam(light, x, y, inland)


def _foam(light: Light, x: Field, y: Field, inland: Field) -> Light:
    noise = Noise(6)
    lace = noise.rough(x * 26.0, y * 60.0, 5)
    for place, width, strength in ((0.004, 0.016, 0.95), (-0.050, 0.008, 0.7), (-0.096, 0.005, 0.5)):
        crest = place + (noise.rough(x * 4.0 + place * 90.0, np.full_like(x, 8.0), 4) - 0.5) * 0.028
        body = ramp(-width * 2.0, 0.0, inland - crest) * ramp(width, width * 0.4, inland - crest)
        gaps = ramp(0.43, 0.60, lace + body * 0.12)
        ends = ramp(
            0.30, 0.55, noise.at(x * 5.0 + place * 300.0, np.full_like(x, 3.0)) + (0.3 if place > 0 else 0.0)
        )
        light = mix(light, (0.98, 0.78, 0.66), body * gaps * ends * strength)
    shadow = ramp(0.012, 0.020, inland) * ramp(0.034, 0.020, inland)
    return light * (1.0 - 0.25 * shadow)[..., None]
