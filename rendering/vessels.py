"""Fruit, crockery and candles."""

from __future__ import annotations

import math

import bpy
import materials as m
import natural_materials as natural
import shapes
import studio


def apple(at: shapes.Point, one: m.Colour, two: m.Colour, radius: float = 0.038) -> bpy.types.Object:
    shape = [
        (0.12, 0.1),
        (0.45, 0.02),
        (0.8, 0.35),
        (1.0, 0.95),
        (0.93, 1.42),
        (0.6, 1.72),
        (0.25, 1.66),
        (0.04, 1.5),
    ]
    fruit = shapes.turned(m.fruit_skin(one, two), [(r * radius, h * radius) for r, h in shape], at)
    stem = (at[0], at[1], at[2] + 1.5 * radius)
    shapes.tube(
        natural.bark(),
        [stem, (stem[0] + 0.002, stem[1], stem[2] + 0.012), (stem[0] + 0.007, stem[1], stem[2] + 0.024)],
        0.0016,
    )
    return fruit


def pear(at: shapes.Point, one: m.Colour, two: m.Colour, radius: float = 0.036) -> bpy.types.Object:
    shape = [
        (0.2, 0.02),
        (0.7, 0.12),
        (1.0, 0.75),
        (0.92, 1.4),
        (0.6, 2.1),
        (0.42, 2.6),
        (0.3, 2.85),
        (0.04, 2.9),
    ]
    fruit = shapes.turned(m.fruit_skin(one, two, 0.1), [(r * radius, h * radius) for r, h in shape], at)
    top = (at[0], at[1], at[2] + 2.85 * radius)
    shapes.tube(
        natural.bark(),
        [top, (top[0], top[1], top[2] + 0.012), (top[0] + 0.008, top[1], top[2] + 0.025)],
        0.002,
    )
    return fruit


def orange(at: shapes.Point, radius: float = 0.037) -> bpy.types.Object:
    return shapes.ball(m.fruit_skin((0.86, 0.30, 0.02), (0.92, 0.4, 0.04), 0.35), at, radius, 0.95)


def lemon(at: shapes.Point, turn: float = 0.0, radius: float = 0.029) -> bpy.types.Object:
    shape = [(0.05, -1.5), (0.25, -1.32), (0.7, -0.85), (1.0, 0), (0.7, 0.85), (0.25, 1.32), (0.05, 1.5)]
    fruit = shapes.turned(
        m.fruit_skin((0.88, 0.66, 0.06), (0.93, 0.76, 0.12), 0.3),
        [(r * radius, h * radius) for r, h in shape],
    )
    fruit.location = (at[0], at[1], at[2] + radius)
    fruit.rotation_euler = (math.pi / 2, 0, math.radians(turn))
    return fruit


def bowl(
    material: bpy.types.Material, at: shapes.Point = (0, 0, 0), radius: float = 0.14
) -> bpy.types.Object:
    shape = [(0.0, 0.02), (0.38, 0.0), (0.4, 0.04), (0.42, 0.08), (0.75, 0.28), (0.95, 0.55), (1.0, 0.62)]
    return shapes.turned(material, [(r * radius, h * radius) for r, h in shape], at, 0.006)


def vase(
    material: bpy.types.Material, at: shapes.Point, height: float, shape: str = "belly"
) -> bpy.types.Object:
    forms = {
        "belly": [(0.24, 0), (0.3, 0.03), (0.46, 0.35), (0.4, 0.62), (0.19, 0.8), (0.16, 0.9), (0.22, 1.0)],
        "bottle": [(0.22, 0), (0.28, 0.03), (0.31, 0.3), (0.26, 0.5), (0.09, 0.66), (0.075, 0.9), (0.1, 1.0)],
        "cone": [(0.16, 0), (0.18, 0.02), (0.22, 0.3), (0.3, 0.7), (0.36, 0.97), (0.37, 1.0)],
        "moon": [(0.2, 0), (0.25, 0.02), (0.48, 0.3), (0.56, 0.55), (0.44, 0.82), (0.2, 0.95), (0.22, 1.0)],
    }
    return shapes.turned(material, [(r * height, h * height) for r, h in forms[shape]], at, 0.005)


def teapot(material: bpy.types.Material, at: shapes.Point, size: float = 0.085) -> bpy.types.Object:
    body = [
        (0.0, 0.02),
        (0.6, 0.0),
        (0.66, 0.06),
        (0.96, 0.5),
        (1.0, 0.85),
        (0.86, 1.25),
        (0.5, 1.48),
        (0.46, 1.5),
    ]
    pot = shapes.turned(material, [(r * size, h * size) for r, h in body], at)
    lid = [
        (0.5, 1.5),
        (0.5, 1.56),
        (0.4, 1.64),
        (0.14, 1.74),
        (0.08, 1.8),
        (0.14, 1.9),
        (0.12, 1.98),
        (0.02, 2.0),
    ]
    shapes.turned(material, [(r * size, h * size) for r, h in lid], at)

    def point(x: float, z: float) -> shapes.Point:
        return (at[0] + x * size, at[1], at[2] + z * size)

    shapes.tube(
        material,
        [point(x, z) for x, z in ((-0.86, 1.2), (-1.6, 1.45), (-1.75, 0.7), (-0.9, 0.45))],
        0.1 * size,
    )
    spout = ((0.6, 0.35), (1.15, 0.5), (1.3, 1.1), (1.75, 1.45))
    shapes.tube(material, [point(x, z) for x, z in spout], 0.26 * size, 0.42)
    return pot


def cup(
    material: bpy.types.Material, at: shapes.Point, tea: m.Colour | None, size: float = 0.04
) -> bpy.types.Object:
    saucer = [(0.0, 0.03), (0.8, 0.0), (0.9, 0.04), (1.5, 0.16), (1.8, 0.26)]
    shapes.turned(material, [(r * size, h * size) for r, h in saucer], at, 0.002)
    inner = (at[0], at[1], at[2] + 0.004)
    form = [(0.0, 0.03), (0.5, 0.0), (0.55, 0.1), (0.85, 0.5), (0.98, 1.0), (1.04, 1.35)]
    thing = shapes.turned(material, [(r * size, h * size) for r, h in form], inner, 0.0025)
    if tea is not None:
        liquid = shapes.turned(m.plain(tea, 0.05), [(0.0, 0.98 * size), (0.9 * size, 0.985 * size)], inner)
        liquid.modifiers.clear()
    handle = ((0.95, 1.15), (1.6, 1.25), (1.5, 0.45), (0.8, 0.4))
    shapes.tube(material, [(at[0] + x * size, at[1], inner[2] + z * size) for x, z in handle], 0.1 * size)
    return thing


def candle(at: shapes.Point, height: float = 0.16) -> None:
    wax = m.plain((0.86, 0.8, 0.68), 0.4)
    shapes.turned(
        wax, [(0.011, 0), (0.011, height * 0.5), (0.011, height), (0.006, height), (0.001, height)], at
    )
    top = at[2] + height
    shapes.rod(m.plain((0.02, 0.02, 0.02)), (at[0], at[1], top), (at[0], at[1], top + 0.008), 0.001)
    flame = [(0.001, 0.0), (0.005, 0.006), (0.0045, 0.014), (0.002, 0.024), (0.0003, 0.032)]
    shapes.turned(m.glow((1, 0.55, 0.16), 30), flame, (at[0], at[1], top + 0.004))
    studio.bulb((at[0], at[1], top + 0.03), 2.4, 0.01, (1, 0.6, 0.28))
