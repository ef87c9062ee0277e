"""Oranges and an apple on a wooden table."""

from __future__ import annotations

import numpy as np

from convergebench.suites.drawn._paint import Light, Noise, canvas, developed, halved, length, mix, ramp
from convergebench.suites.drawn._rays import Cuboid, Ellipsoid, Lamp, Room, Scene, Vector, unit, view
from convergebench.suites.drawn._wood import planks
from convergebench.types import Pixels

_EYE = (0.12, 1.2, -2.9)


def draw() -> Pixels:
    x, y = canvas(1024)
    way = unit((x - 0.5) * 0.92, (0.5 - y) * 0.92 - 0.33, np.ones_like(x))
    light = halved(view(_scene(), _EYE, way, seed=31))
    return developed(light, grain=0.008, seed=32)


def _scene() -> Scene:
    fruit = (
        Ellipsoid((-0.30, 0.33, 0.06), (0.27, 0.26, 0.27), _orange, gloss=0.22),
        Ellipsoid((0.27, 0.325, 0.14), (0.255, 0.25, 0.255), _orange, gloss=0.22),
        Ellipsoid((0.05, 0.31, -0.28), (0.235, 0.225, 0.235), _apple, gloss=0.6),
        Ellipsoid((0.98, 0.245, -0.34), (0.25, 0.245, 0.25), _orange, gloss=0.22),
    )
    plate = Ellipsoid((-0.02, 0.035, -0.02), (0.80, 0.055, 0.62), _porcelain, gloss=0.5)
    stalk = Ellipsoid((0.05, 0.56, -0.275), (0.014, 0.07, 0.014), _stalk)
    room = Room((-6.0, -3.0, -4.0), (6.0, 5.0, 1.9), _wall)
    table = Cuboid((-3.2, -0.12, -1.6), (3.2, 0.0, 0.95), _table, gloss=0.10)
    return Scene(
        solids=(room, table, plate, *fruit, stalk),
        casting=(plate, *fruit, stalk),
        lamp=Lamp((-4.2, 1.6, -2.6), (0.0, 2.2, 0.0), (0.7, 0.0, 2.0), (31.0, 28.6, 24.5)),
        ambient=_ambient,
    )


def _ambient(place: Vector, normal: Vector) -> Light:
    """Ambient occlusion: dimmer near the plate and the table."""
    _, up, _ = place
    above = np.clip(up / 0.5, 0.0, 1.0)
    from_above = 0.62 + 0.38 * normal[1]
    crowd = 1.0 - 0.55 * ramp(0.95, 0.35, length(place[0], place[2] - 0.02)) * (1.0 - above)
    return np.array((0.30, 0.33, 0.38)) * (from_above * crowd)[..., None]


def _wall(place: Vector, normal: Vector) -> Light:
    plaster = Noise(33).rough(place[0] * 5.0, place[1] * 5.0, 6)
    return mix((0.30, 0.36, 0.37), (0.38, 0.44, 0.44), plaster)


def _table(place: Vector, normal: Vector) -> Light:
    return planks(place[0], place[2] + 0.11, 0.42, (0.16, 0.075, 0.030), (0.50, 0.29, 0.14), seed=34)


def _porcelain(place: Vector, normal: Vector) -> Light:
    reach = length((place[0] + 0.02) / 0.80, (place[2] + 0.02) / 0.62)
    rim = ramp(0.86, 0.875, reach) * ramp(0.93, 0.915, reach)
    return mix((0.84, 0.83, 0.79), (0.10, 0.20, 0.42), rim * 0.85)


def _orange(place: Vector, normal: Vector) -> Light:
    noise = Noise(35)
    pores = noise.rough(place[0] * 70.0 + place[2] * 40.0, place[1] * 70.0 - place[2] * 35.0, 2)
    blotch = noise.rough(place[0] * 6.0, place[1] * 6.0 + place[2] * 4.0, 4)
    peel = mix((0.78, 0.26, 0.015), (0.95, 0.42, 0.03), blotch)
    peel = peel * (0.80 + 0.36 * pores)[..., None]
    return mix(peel, (0.20, 0.22, 0.04), ramp(0.985, 0.995, normal[1]) * 0.8)


def _apple(place: Vector, normal: Vector) -> Light:
    noise = Noise(36)
    around = normal[0] / (np.abs(normal[0]) + np.abs(normal[2]) + 1e-6)
    streaks = noise.rough(around * 9.0 + 20.0, normal[1] * 1.2, 4)
    blush = ramp(0.25, 0.95, streaks * 0.6 + 0.2 + normal[0] * 0.40 + normal[1] * 0.05)
    skin = mix((0.38, 0.50, 0.07), (0.60, 0.09, 0.045), blush)
    mottle = noise.rough(place[0] * 40.0, place[1] * 40.0 + place[2] * 30.0, 3)
    skin = skin * (0.85 + 0.3 * mottle)[..., None]
    return mix(skin, (0.20, 0.20, 0.05), ramp(0.965, 0.998, normal[1]))


def _stalk(place: Vector, normal: Vector) -> Light:
    return mix((0.10, 0.06, 0.03), (0.20, 0.12, 0.05), ramp(0.5, 0.6, place[1]))
