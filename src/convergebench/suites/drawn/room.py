"""A sunlit room with a window, a table and a rug."""

from __future__ import annotations

import numpy as np

from convergebench.suites.drawn._paint import (
    Field,
    Light,
    Noise,
    canvas,
    developed,
    halved,
    length,
    mix,
    ramp,
)
from convergebench.suites.drawn._rays import Cuboid, Ellipsoid, Lamp, Room, Scene, Solid, Vector, unit, view
from convergebench.suites.drawn._wood import planks, wood
from convergebench.types import Pixels

_LEFT, _RIGHT, _CEILING, _BACK = -2.3, 2.3, 2.7, 3.4
_EYE = (0.35, 1.45, -2.6)
_PANE = (-1.45, 1.0, -0.05, 2.25)
"""The window in the back wall: left, sill, right and lintel."""
_SIDE_WINDOW = (0.9, 1.0, 2.4, 2.2)
"""The window in the left wall, out of view: near, sill, far and lintel."""
_SUN_SLOPE = (0.62, 0.30)
"""The slope of the sunlight: how far it falls, and moves away from the viewer, per metre to the right."""


def draw() -> Pixels:
    x, y = canvas(1024)
    way = unit((x - 0.5) * 0.98 - 0.06, (0.5 - y) * 0.98 - 0.10, np.ones_like(x))
    light = halved(view(_scene(), _EYE, way, seed=41))
    return developed(light, grain=0.008, seed=42)


def _scene() -> Scene:
    furniture = (*_table(), *_cupboard(), Ellipsoid((0.55, 1.98, 1.45), (0.27, 0.15, 0.27), _lampshade))
    return Scene(
        solids=(
            Room((_LEFT, 0.0, -4.0), (_RIGHT, _CEILING, _BACK), _walls),
            *furniture,
            *_window_frame(),
            Cuboid((0.62, 1.45, _BACK - 0.04), (1.42, 2.05, _BACK), _painting),
            Cuboid((0.545, 2.1, 1.445), (0.555, _CEILING, 1.455), _dark),
        ),
        casting=furniture,
        lamp=Lamp((_LEFT + 0.20, 1.0, 0.6), (0.0, 1.3, 0.0), (0.0, 0.0, 1.9), (9.5, 9.6, 9.8)),
        ambient=_ambient,
    )


def _table() -> tuple[Solid, ...]:
    legs = tuple(
        Cuboid((right, 0.0, away), (right + 0.07, 0.70, away + 0.07), _oak)
        for right in (-0.22, 1.25)
        for away in (1.05, 1.78)
    )
    return (Cuboid((-0.30, 0.70, 0.98), (1.40, 0.75, 1.92), _oak, gloss=0.3), *legs)


def _window_frame() -> tuple[Solid, ...]:
    left, sill, right, lintel = _PANE
    middle, front = (left + right) / 2.0, _BACK - 0.05
    return (
        Cuboid((left - 0.12, sill - 0.07, _BACK - 0.22), (right + 0.12, sill, _BACK), _white_paint),
        Cuboid((left - 0.08, lintel, front), (right + 0.08, lintel + 0.08, _BACK), _white_paint),
        Cuboid((left - 0.08, sill, front), (left, lintel, _BACK), _white_paint),
        Cuboid((right, sill, front), (right + 0.08, lintel, _BACK), _white_paint),
        Cuboid((middle - 0.03, sill, front), (middle + 0.03, lintel, _BACK), _white_paint),
    )


def _cupboard() -> tuple[Solid, ...]:
    return (
        Cuboid((1.62, 0.08, 2.1), (_RIGHT, 0.92, 3.3), _walnut),
        Cuboid((1.58, 0.92, 2.06), (_RIGHT, 0.96, 3.34), _walnut, gloss=0.3),
    )


def _ambient(place: Vector, normal: Vector) -> Light:
    """Indirect light, reduced in corners and under the table, and a patch of direct sun."""
    right, up, away = place
    corner = (
        _open(right - _LEFT)
        * _open(_RIGHT - right)
        * _open(_BACK - away)
        * _open(up + 0.12)
        * _open(_CEILING - up)
    )
    beneath = ramp(
        0.55,
        0.0,
        length(np.clip(np.abs(right - 0.55) - 0.7, 0.0, None), np.clip(np.abs(away - 1.45) - 0.3, 0.0, None)),
    )
    crowd = 1.0 - 0.5 * beneath * ramp(0.70, 0.60, up)
    bounced = np.array((0.56, 0.54, 0.51)) * (corner * crowd * (0.85 + 0.15 * normal[1]))[..., None]
    return bounced + np.array((2.6, 2.2, 1.6)) * _sun(place, normal)[..., None]


def _open(gap: Field) -> Field:
    return 0.62 + 0.38 * ramp(-0.15, 0.75, gap)


def _sun(place: Vector, normal: Vector) -> Field:
    """Whether the ray to the sun passes through the side window; soft at its edges."""
    right, up, away = place
    run = right - _LEFT
    height, depth = up + run * _SUN_SLOPE[0], away - run * _SUN_SLOPE[1]
    near, sill, far, lintel = _SIDE_WINDOW
    soft = 0.01 + run * 0.012
    through = _within(near, far, depth, soft) * _within(sill, lintel, height, soft)
    bar = 1.0 - _within((near + far) / 2.0 - 0.03, (near + far) / 2.0 + 0.03, depth, soft)
    facing = np.clip(-normal[0] + normal[1] * _SUN_SLOPE[0] - normal[2] * _SUN_SLOPE[1], 0.0, None)
    under_table = _within(-0.30, 1.40, right, 0.01) * _within(0.98, 1.92, away, 0.01) * ramp(0.74, 0.69, up)
    return through * bar * facing * (1.0 - under_table)


def _within(low: float, high: float, value: Field, soft: Field | float) -> Field:
    inside = np.minimum(value - low, high - value) / soft
    return ramp(-1.0, 1.0, inside)


def _walls(place: Vector, normal: Vector) -> Light:
    right, up, away = place
    plaster = Noise(43).rough((right + away) * 7.0, up * 7.0, 5)
    light = mix((0.66, 0.62, 0.53), (0.72, 0.68, 0.59), plaster)
    light = mix(light, (0.80, 0.79, 0.77), ramp(-0.5, -0.6, normal[1]))
    skirting = ramp(0.105, 0.10, up) * (0.75 + 0.25 * ramp(0.085, 0.08, up))
    light = mix(light, (0.78, 0.77, 0.74), skirting)
    light = mix(light, _floor(right, away), ramp(0.5, 0.6, normal[1]))
    left, sill, side, lintel = _PANE
    pane = _within(left, side, right, 0.002) * _within(sill, lintel, up, 0.002) * ramp(-0.5, -0.6, normal[2])
    return mix(light, _outside(right, up), pane)


def _floor(right: Field, away: Field) -> Light:
    boards = planks(away, right + 20.0, 0.17, (0.15, 0.080, 0.038), (0.40, 0.24, 0.12), seed=44)
    u, v = (right - 0.45) / 1.35, (away - 0.75) / 1.15
    edge = np.maximum(np.abs(u), np.abs(v))
    weave = Noise(45).rough(right * 160.0, away * 160.0, 2)
    field = mix((0.30, 0.055, 0.045), (0.36, 0.08, 0.06), weave)
    diamonds = np.abs(u * 6.0 - np.floor(u * 6.0) - 0.5) + np.abs(v * 5.0 - np.floor(v * 5.0) - 0.5)
    field = mix(field, (0.60, 0.46, 0.28), ramp(0.24, 0.20, diamonds) * ramp(0.74, 0.72, edge))
    field = mix(field, (0.055, 0.075, 0.15), ramp(0.78, 0.79, edge) * ramp(0.91, 0.90, edge))
    field = mix(field, (0.62, 0.50, 0.34), ramp(0.90, 0.91, edge))
    boards = boards * (1.0 - 0.45 * ramp(1.05, 1.0, edge))[..., None]
    return mix(boards, field * (0.8 + 0.4 * weave)[..., None], ramp(1.003, 0.997, edge))


def _outside(right: Field, up: Field) -> Light:
    """A garden, brighter than the room and out of focus."""
    noise = Noise(46)
    sky = mix((1.35, 1.50, 1.65), (0.80, 1.10, 1.60), ramp(1.4, 2.3, up))
    crowns = 1.56 + (noise.rough(right * 2.6 + 4.0, np.full_like(up, 2.0), 6) - 0.5) * 0.8
    leaves = noise.rough(right * 9.0, up * 9.0, 3)
    trees = mix((0.10, 0.20, 0.07), (0.50, 0.68, 0.22), ramp(0.25, 0.8, leaves))
    lawn = mix((0.34, 0.56, 0.17), (0.50, 0.72, 0.25), noise.rough(right * 3.0, up * 9.0, 2))
    garden = mix(sky, trees, ramp(0.04, -0.04, up - crowns))
    return mix(garden, lawn, ramp(1.18, 1.14, up))


def _painting(place: Vector, normal: Vector) -> Light:
    u, v = (place[0] - 0.62) / 0.80, (place[1] - 1.45) / 0.60
    noise = Noise(47)
    strokes = noise.rough(u * 18.0, v * 30.0, 3)
    hills = 0.48 + (noise.rough(u * 3.0, np.full_like(u, 6.0), 3) - 0.5) * 0.5
    canvas_light = mix((0.62, 0.70, 0.72), (0.85, 0.72, 0.45), ramp(0.85, 0.45, v))
    canvas_light = mix(canvas_light, (0.16, 0.26, 0.20), ramp(0.01, -0.01, v - hills))
    canvas_light = mix(canvas_light, (0.42, 0.36, 0.14), ramp(0.27, 0.24, v + (strokes - 0.5) * 0.15))
    canvas_light = canvas_light * (0.78 + 0.44 * strokes)[..., None]
    mount = np.maximum(np.abs(u - 0.5) * 0.80, np.abs(v - 0.5) * 0.60 + 0.10)
    framed = mix(canvas_light, (0.80, 0.78, 0.72), ramp(0.325, 0.328, mount))
    return mix(framed, (0.11, 0.07, 0.04), ramp(0.368, 0.371, mount))


def _oak(place: Vector, normal: Vector) -> Light:
    return wood(place[0], place[2] + place[1], (0.30, 0.17, 0.08), (0.60, 0.40, 0.22), seed=48)


def _walnut(place: Vector, normal: Vector) -> Light:
    light = wood(place[2], place[1], (0.075, 0.040, 0.022), (0.22, 0.125, 0.065), seed=49)
    gap = np.minimum(np.abs(place[2] - 2.7), np.abs(place[1] - 0.62))
    return light * (0.35 + 0.65 * ramp(0.002, 0.008, gap))[..., None]


def _white_paint(place: Vector, normal: Vector) -> Light:
    return np.broadcast_to((0.80, 0.79, 0.76), (*place[0].shape, 3))


def _lampshade(place: Vector, normal: Vector) -> Light:
    return mix((0.10, 0.22, 0.22), (0.15, 0.30, 0.30), ramp(1.85, 2.1, place[1]))


def _dark(place: Vector, normal: Vector) -> Light:
    return np.broadcast_to((0.03, 0.03, 0.03), (*place[0].shape, 3))
