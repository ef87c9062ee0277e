"""Solid things on a wooden table, in any arrangement: pictures whose every edit has a true result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from convergebench.suites.drawn._paint import (
    Colour,
    Light,
    Noise,
    canvas,
    developed,
    halved,
    mix,
)
from convergebench.suites.drawn._rays import Cuboid, Ellipsoid, Lamp, Room, Scene, Solid, Vector, unit, view
from convergebench.suites.drawn._wood import planks
from convergebench.types import Pixels

Shape: TypeAlias = Literal["ball", "block", "egg"]

SIDE = 256
_EYE = (0.0, 1.35, -2.9)
COLOURS: dict[str, Colour] = {
    "red": (0.62, 0.05, 0.04),
    "blue": (0.05, 0.14, 0.55),
    "green": (0.06, 0.34, 0.10),
    "yellow": (0.80, 0.58, 0.05),
    "white": (0.80, 0.79, 0.76),
    "black": (0.03, 0.03, 0.035),
    "orange": (0.85, 0.30, 0.02),
}


@dataclass(frozen=True)
class Thing:
    shape: Shape
    colour: str
    x: float
    """From -1 at the left to 1 at the right."""
    z: float
    """From -0.6 at the front to 0.6 at the back."""
    size: float = 0.26


def draw(things: Sequence[Thing], wall: Colour = (0.34, 0.40, 0.41), seed: int = 0) -> Pixels:
    """The table with these things; the same arguments give the same pixels on every machine."""
    x, y = canvas(2 * SIDE)
    way = unit((x - 0.5) * 0.98, (0.5 - y) * 0.98 - 0.37, np.ones_like(x))
    light = halved(view(_scene(things, wall, seed), _EYE, way, seed=61))
    return developed(light, grain=0.006, seed=62)


def _scene(things: Sequence[Thing], wall: Colour, seed: int) -> Scene:
    solids = [_solid(thing) for thing in things]
    room = Room((-6.0, -3.0, -4.0), (6.0, 5.0, 2.1), lambda place, _: _plaster(place, wall, seed))
    table = Cuboid((-3.2, -0.12, -1.7), (3.2, 0.0, 1.05), lambda place, _: _table(place, seed), gloss=0.08)
    return Scene(
        solids=(room, table, *solids),
        casting=tuple(solids),
        lamp=Lamp((-4.0, 1.9, -2.6), (0.0, 2.2, 0.0), (0.7, 0.0, 2.0), (31.0, 28.8, 25.0)),
        ambient=_ambient,
    )


def _solid(thing: Thing) -> Solid:
    colour, r = COLOURS[thing.colour], thing.size

    def surface(place: Vector, normal: Vector) -> Light:
        mottle = Noise(64).rough(place[0] * 9.0 + place[2] * 5.0, place[1] * 9.0 - place[2] * 4.0, 3)
        return mix(tuple(0.82 * part for part in colour), colour, mottle)  # type: ignore[arg-type]

    if thing.shape == "block":
        half = 0.86 * r
        low, high = (thing.x - half, 0.0, thing.z - half), (thing.x + half, 2.0 * half, thing.z + half)
        return Cuboid(low, high, surface, gloss=0.1)
    tall = 1.3 if thing.shape == "egg" else 1.0
    return Ellipsoid((thing.x, r * tall, thing.z), (r, r * tall, r), surface, gloss=0.45)


def _ambient(place: Vector, normal: Vector) -> Light:
    return np.array((0.31, 0.34, 0.39)) * (0.66 + 0.34 * normal[1])[..., None]


def _plaster(place: Vector, wall: Colour, seed: int) -> Light:
    rough = Noise(65 + seed).rough(place[0] * 4.0, place[1] * 4.0, 5)
    darker: Colour = (0.82 * wall[0], 0.82 * wall[1], 0.82 * wall[2])
    return mix(darker, wall, rough)


def _table(place: Vector, seed: int) -> Light:
    return planks(place[0], place[2] + 0.13, 0.44, (0.17, 0.085, 0.035), (0.52, 0.31, 0.15), seed=66 + seed)
