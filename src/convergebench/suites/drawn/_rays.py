"""Ray tracing of solids in a box-shaped room, lit by an area light such as a window or lamp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.suites.drawn._paint import Field, Light, length, power

Vector: TypeAlias = tuple[Field, Field, Field]
"""One number or field for each axis: right, up and away."""
Point: TypeAlias = tuple[float, float, float]
Surface: TypeAlias = Callable[[Vector, Vector], Light]
"""The colour at a point with this normal."""
_NEVER = 1e9
_SKIN = 1e-4
_BAND = 32
_QUARTERS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""The light is sampled once in each of its quarters."""


@dataclass(frozen=True)
class Cuboid:
    low: Point
    high: Point
    surface: Surface
    gloss: float = 0.0

    def hit(self, start: Vector, way: Vector) -> Field:
        enter, leave = _slabs(self.low, self.high, start, way)
        return np.where((enter < leave) & (enter > _SKIN), enter, _NEVER)

    def normal(self, place: Vector) -> Vector:
        return _face(self.low, self.high, place)


@dataclass(frozen=True)
class Room(Cuboid):
    """A box seen from inside."""

    def hit(self, start: Vector, way: Vector) -> Field:
        return _slabs(self.low, self.high, start, way)[1]

    def normal(self, place: Vector) -> Vector:
        right, up, away = _face(self.low, self.high, place)
        return -right, -up, -away


@dataclass(frozen=True)
class Ellipsoid:
    centre: Point
    radii: Point
    surface: Surface
    gloss: float = 0.0

    def hit(self, start: Vector, way: Vector) -> Field:
        p = [(s - c) / r for s, c, r in zip(start, self.centre, self.radii, strict=True)]
        d = [w / r for w, r in zip(way, self.radii, strict=True)]
        a, b, c = _dot(d, d), _dot(p, d), _dot(p, p) - 1.0
        inner = b * b - a * c
        near = (-b - np.sqrt(np.clip(inner, 0.0, None))) / a
        return np.where((inner > 0.0) & (near > _SKIN), near, _NEVER)

    def normal(self, place: Vector) -> Vector:
        return unit(*((p - c) / (r * r) for p, c, r in zip(place, self.centre, self.radii, strict=True)))


Solid: TypeAlias = Cuboid | Ellipsoid


@dataclass(frozen=True)
class Lamp:
    """A rectangular light: a corner, two edges, and its brightness."""

    corner: Point
    first_edge: Point
    second_edge: Point
    colour: Point

    def point(self, u: Field, v: Field) -> Vector:
        right, up, away = (
            corner + first * u + second * v
            for corner, first, second in zip(self.corner, self.first_edge, self.second_edge, strict=True)
        )
        return right, up, away


@dataclass(frozen=True)
class Scene:
    solids: Sequence[Solid]
    """All visible solids."""
    casting: Sequence[Solid]
    """The solids that are large enough to cast a relevant shadow."""
    lamp: Lamp
    ambient: Callable[[Vector, Vector], Light]
    """The ambient light at a point with this normal."""


def view(scene: Scene, eye: Point, way: Vector, seed: int) -> Light:
    """The colours along these rays; random points on the light give soft shadows."""
    random = np.random.Generator(np.random.PCG64(seed))
    height = way[0].shape[0]
    # A few rows at a time fit into the processor's cache.
    bands = [slice(top, top + _BAND) for top in range(0, height, _BAND)]
    return np.concatenate([_view_of_band(scene, eye, _where(band, way), random) for band in bands])


def _view_of_band(scene: Scene, eye: Point, way: Vector, random: np.random.Generator) -> Light:
    start: Vector = (np.full_like(way[0], eye[0]), np.full_like(way[0], eye[1]), np.full_like(way[0], eye[2]))
    nearest, reached = _first(scene.solids, start, way)
    place = _along(start, way, reached)
    light = np.zeros((*way[0].shape, 3))
    for index, solid in enumerate(scene.solids):
        seen = nearest == index
        if seen.any():
            light[seen] = _shaded(scene, solid, _where(seen, place), _where(seen, way), random)
    return light


def _shaded(scene: Scene, solid: Solid, place: Vector, looking: Vector, random: np.random.Generator) -> Light:
    normal = solid.normal(place)
    lifted = _along(place, normal, np.full_like(place[0], 0.002))
    direct, shine = np.zeros_like(place[0]), np.zeros_like(place[0])
    for column, row in _QUARTERS:
        u = (column + random.random(place[0].shape)) / 2.0
        v = (row + random.random(place[0].shape)) / 2.0
        to_lamp = _from(place, scene.lamp.point(u, v))
        distance = length(*to_lamp)
        towards = unit(*to_lamp)
        open_way = _open_way(scene.casting, lifted, towards, distance)
        direct = direct + np.clip(_dot(normal, towards), 0.0, None) * open_way / (4.0 + distance * distance)
        if solid.gloss:
            halfway = unit(*_from(looking, towards))
            shine = shine + power(np.clip(_dot(normal, halfway), 0.0, 1.0), 6) * open_way * solid.gloss
    colour = np.array(scene.lamp.colour)
    received = colour * (direct / len(_QUARTERS))[..., None] + scene.ambient(place, normal)
    reflected = colour * (shine / len(_QUARTERS) * 0.1)[..., None]
    return solid.surface(place, normal) * received + reflected


def _first(solids: Sequence[Solid], start: Vector, way: Vector) -> tuple[NDArray[np.int64], Field]:
    nearest = np.full(way[0].shape, -1, np.int64)
    reached = np.full(way[0].shape, _NEVER)
    for index, solid in enumerate(solids):
        distance = solid.hit(start, way)
        closer = distance < reached
        nearest[closer] = index
        reached = np.where(closer, distance, reached)
    return nearest, reached


def _open_way(solids: Sequence[Solid], start: Vector, way: Vector, distance: Field) -> Field:
    """1 where the light is visible, otherwise 0."""
    blocked = np.zeros(way[0].shape, np.bool_)
    for solid in solids:
        blocked |= solid.hit(start, way) < distance
    return np.where(blocked, 0.0, 1.0)


def unit(*parts: Field) -> Vector:
    size = length(*parts)
    right, up, away = (part / size for part in parts)
    return right, up, away


def _dot(a: Sequence[Field], b: Sequence[Field]) -> Field:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _from(start: Vector, end: Vector) -> Vector:
    return end[0] - start[0], end[1] - start[1], end[2] - start[2]


def _where(seen: NDArray[np.bool_] | slice, field: Vector) -> Vector:
    return field[0][seen], field[1][seen], field[2][seen]


def _along(start: Vector, way: Vector, distance: Field) -> Vector:
    right, up, away = (s + w * distance for s, w in zip(start, way, strict=True))
    return right, up, away


def _slabs(low: Point, high: Point, start: Vector, way: Vector) -> tuple[Field, Field]:
    enter, leave = np.full_like(way[0], -_NEVER), np.full_like(way[0], _NEVER)
    for below, above, s, w in zip(low, high, start, way, strict=True):
        pace = np.where(w == 0.0, 1e-12, w)
        first, second = (below - s) / pace, (above - s) / pace
        enter = np.maximum(enter, np.minimum(first, second))
        leave = np.minimum(leave, np.maximum(first, second))
    return enter, leave


def _face(low: Point, high: Point, place: Vector) -> Vector:
    """The outward normal of the side of a box that is nearest to a point."""
    gaps = np.stack(
        [
            np.abs(p - side)
            for p, pair in zip(place, zip(low, high, strict=True), strict=True)
            for side in pair
        ]
    )
    side = np.argmin(gaps, axis=0)
    right, up, away = (
        np.where(side == 2 * axis + 1, 1.0, 0.0) - np.where(side == 2 * axis, 1.0, 0.0) for axis in range(3)
    )
    return right, up, away
