"""Objects in scenes, drawn in units of their own height: the ground is y = 0, the top about -1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from convergebench.editors.classical.animals import cat, dog
from convergebench.editors.classical.painting import FLAT, Finish, paint
from convergebench.editors.classical.sprites import (
    Colour,
    Point,
    Sheet,
    Sprite,
    blank,
    smooth_curve,
    with_shadow,
)

_WOOD = Finish(bevel=0.025, hair=0.05)
_GLAZED = Finish(bevel=0.16, gloss=0.35)


@dataclass(frozen=True)
class SceneObject:
    """The drawing of an object, and its height as a share of the picture's shorter side."""

    draw: Callable[[], Sprite]
    height: float


def _standing(sheet: Sheet, x: float, rx: float, ry: float) -> Sprite:
    """An empty sheet with a contact shadow and a wider, weaker one to the right."""
    sprite = with_shadow(blank(sheet), sheet.ellipse(x + rx * 0.25, -0.01, rx * 1.15, ry), 0.34, 0.035)
    return with_shadow(sprite, sheet.ellipse(x, 0.0, rx * 0.85, ry * 0.5), 0.5, 0.012)


def chair() -> Sprite:
    sheet = Sheet(-0.55, -1.08, 0.65, 0.15)
    brown, dark = (150, 92, 48), (112, 66, 32)
    sprite = _standing(sheet, 0.02, 0.34, 0.06)
    for x in (-0.23, 0.23):
        sprite = paint(sprite, sheet.stroke([(x, -0.45), (x * 1.02, -0.09)], 0.05), dark, _WOOD)
        sprite = paint(sprite, sheet.stroke([(x * 1.05, -0.98), (x, -0.5)], 0.055), brown, _WOOD)
    for x in (-0.115, 0.0, 0.115):
        sprite = paint(sprite, sheet.stroke([(x, -0.86), (x, -0.58)], 0.038), brown, _WOOD)
    rail = smooth_curve([(-0.25, -0.92), (0.0, -0.95), (0.25, -0.92)])
    sprite = paint(sprite, sheet.stroke(rail, 0.11), (164, 102, 54), Finish(0.04, hair=0.05))
    sprite = paint(sprite, sheet.stroke([(-0.22, -0.57), (0.22, -0.57)], 0.045), brown, _WOOD)
    sprite = paint(sprite, sheet.stroke([(-0.27, -0.16), (0.27, -0.16)], 0.03), dark, _WOOD)
    for x in (-0.29, 0.29):
        sprite = paint(sprite, sheet.stroke([(x, -0.38), (x * 1.06, -0.02)], 0.06), brown, _WOOD)
    apron = sheet.polygon([(-0.32, -0.38), (0.32, -0.38), (0.31, -0.29), (-0.31, -0.29)])
    sprite = paint(sprite, apron, dark, _WOOD)
    seat = sheet.polygon([(-0.26, -0.5), (0.26, -0.5), (0.35, -0.36), (-0.35, -0.36)])
    sprite = paint(sprite, seat, (176, 112, 60), Finish(0.02, hair=0.05))
    cushion = sheet.blob(
        [(-0.23, -0.51), (0.0, -0.52), (0.23, -0.51), (0.3, -0.4), (0.0, -0.38), (-0.3, -0.4)]
    )
    return paint(sprite, cushion, (34, 96, 148), Finish(bevel=0.06))


def red_ball() -> Sprite:
    sheet = Sheet(-0.65, -1.05, 0.85, 0.18)
    sprite = _standing(sheet, 0.05, 0.36, 0.07)
    sprite = paint(sprite, sheet.ellipse(0, -0.5, 0.5, 0.5), (214, 24, 28), Finish(bevel=0.5, gloss=0.2))
    return paint(
        sprite, sheet.ellipse(-0.19, -0.73, 0.1, 0.06, turn=-35), (255, 236, 232), Finish(0.0, opacity=0.8)
    )


def plant() -> Sprite:
    sheet = Sheet(-0.6, -1.08, 0.62, 0.14)
    sprite = _standing(sheet, 0.02, 0.2, 0.05)
    for turn, length, green in _FOLIAGE:
        sprite = _leaf(sprite, sheet, turn, length, green)
    pot = sheet.blob([(-0.21, -0.36), (0.21, -0.36), (0.19, -0.2), (0.14, -0.02), (0.0, 0.01), (-0.14, -0.02),
                      (-0.19, -0.2)])  # fmt: skip
    sprite = paint(sprite, pot, (186, 92, 54), Finish(0.12))
    rim = sheet.lozenge(0, -0.36, 0.235, 0.055)
    return paint(sprite, rim, (204, 106, 64), Finish(0.04))


_FOLIAGE: Sequence[tuple[float, float, Colour]] = (
    (-80, 0.46, (30, 92, 40)), (78, 0.47, (34, 98, 42)), (-52, 0.58, (40, 116, 48)), (54, 0.6, (36, 108, 46)),
    (-14, 0.66, (32, 100, 44)), (20, 0.66, (44, 124, 52)), (-66, 0.4, (62, 148, 62)), (64, 0.42,
    (66, 152, 66)),
    (-32, 0.56, (58, 142, 58)), (36, 0.54, (62, 148, 62)), (2, 0.6, (76, 166, 74)),
)  # fmt: skip


def _leaf(sprite: Sprite, sheet: Sheet, turn: float, length: float, green: Colour) -> Sprite:
    angle = np.deg2rad(turn)
    ahead, aside = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    root = np.array([0.0, -0.37])

    def at(along: float, across: float) -> Point:
        x, y = root + length * (along * ahead + across * aside)
        return float(x), float(y)

    outline = [at(0, 0), at(0.4, 0.13), at(0.7, 0.14), at(1.0, 0.0), at(0.7, -0.14), at(0.4, -0.13)]
    rib = sheet.stroke([at(0.05, 0), at(0.92, 0)], 0.008)
    light = (green[0] + 50, green[1] + 45, green[2] + 40)
    sprite = paint(sprite, sheet.blob(outline), green, Finish(0.05))
    return paint(sprite, rib, light, FLAT)


def coffee_cup() -> Sprite:
    sheet = Sheet(-0.85, -1.05, 0.95, 0.2)
    blue = (36, 88, 158)
    sprite = _standing(sheet, 0.03, 0.62, 0.08)
    sprite = paint(sprite, sheet.ellipse(0, -0.07, 0.72, 0.14), (226, 230, 234), Finish(0.06, gloss=0.2))
    sprite = paint(sprite, sheet.ellipse(0, -0.1, 0.42, 0.07), (176, 184, 194), FLAT)
    handle = smooth_curve([(0.4, -0.74), (0.62, -0.76), (0.68, -0.55), (0.55, -0.36), (0.34, -0.34)])
    sprite = paint(sprite, sheet.stroke(handle, 0.09), blue, Finish(0.045, gloss=0.4))
    body = sheet.blob([(-0.48, -0.9), (-0.46, -0.6), (-0.36, -0.28), (-0.22, -0.1), (0.0, -0.07),
                       (0.22, -0.1),
                       (0.36, -0.28), (0.46, -0.6), (0.48, -0.9), (0.0, -0.84)])  # fmt: skip
    sprite = paint(sprite, body, blue, Finish(bevel=0.3, gloss=0.35))
    sprite = paint(sprite, sheet.ellipse(0, -0.89, 0.48, 0.125), (236, 238, 240), Finish(0.03))
    sprite = paint(sprite, sheet.ellipse(0, -0.875, 0.425, 0.097), (70, 38, 20), FLAT)
    return paint(sprite, sheet.ellipse(-0.08, -0.865, 0.24, 0.045), (128, 80, 46), Finish(0.03))


def book() -> Sprite:
    sheet = Sheet(-0.6, -1.08, 0.7, 0.15)
    sprite = _standing(sheet, 0.04, 0.42, 0.05)
    pages = sheet.polygon(
        [(-0.3, -0.97), (0.36, -0.93), (0.42, -0.9), (0.42, -0.06), (0.36, -0.02), (-0.3, 0.0)]
    )
    sprite = paint(sprite, pages, (238, 230, 208), Finish(0.01))
    for x in (0.375, 0.39, 0.405):
        sprite = paint(sprite, sheet.stroke([(x, -0.91), (x, -0.05)], 0.005), (176, 166, 140), FLAT)
    spine = sheet.polygon([(-0.46, -0.93), (-0.3, -1.0), (-0.3, 0.02), (-0.46, -0.05)])
    sprite = paint(sprite, spine, (20, 74, 58), Finish(0.06))
    cover = sheet.polygon([(-0.3, -1.0), (0.36, -0.95), (0.36, 0.0), (-0.3, 0.02)])
    sprite = paint(sprite, cover, (28, 104, 80), Finish(0.02))
    gold = (226, 188, 92)
    frame = sheet.polygon([(-0.23, -0.9), (0.3, -0.86), (0.3, -0.09), (-0.23, -0.08)])
    inner = sheet.polygon([(-0.2, -0.87), (0.27, -0.83), (0.27, -0.12), (-0.2, -0.11)])
    sprite = paint(sprite, frame * (1 - inner), gold, FLAT)
    for y, half in ((-0.7, 0.16), (-0.6, 0.16), (-0.5, 0.09)):
        sprite = paint(sprite, sheet.stroke([(0.035 - half, y), (0.035 + half, y + 0.01)], 0.04), gold, FLAT)
    return paint(sprite, sheet.ellipse(0.035, -0.27, 0.08, 0.08), gold, Finish(0.02))


def flower_vase() -> Sprite:
    sheet = Sheet(-0.55, -1.08, 0.6, 0.14)
    sprite = _standing(sheet, 0.02, 0.18, 0.045)
    for x, y, _ in _BLOOMS:
        stem = smooth_curve([(x * 0.15, -0.42), (x * 0.45, (y - 0.42) / 2), (x, y)])
        sprite = paint(sprite, sheet.stroke(stem, 0.02), (52, 122, 54), Finish(0.01))
    for x, y, colour in _BLOOMS:
        for turn in range(0, 360, 60):
            angle = np.deg2rad(turn + 40 * x)
            petal = sheet.ellipse(
                x + 0.075 * float(np.cos(angle)), y + 0.075 * float(np.sin(angle)), 0.07, 0.045, turn
            )
            sprite = paint(sprite, petal, colour, Finish(0.04))
        sprite = paint(sprite, sheet.ellipse(x, y, 0.042, 0.042), (246, 196, 48), Finish(0.04))
    vase = sheet.blob([(-0.1, -0.5), (-0.085, -0.4), (-0.2, -0.24), (-0.17, -0.08), (-0.1, 0.0),
                       (0.1, 0.0), (0.17, -0.08),
                       (0.2, -0.24), (0.085, -0.4), (0.1, -0.5), (0.0, -0.48)])  # fmt: skip
    sprite = paint(sprite, vase, (228, 232, 240), _GLAZED)
    for y in (-0.31, -0.13):
        ring = (
            sheet.stroke(smooth_curve([(-0.25, y - 0.02), (0.0, y + 0.02), (0.25, y - 0.02)]), 0.035) * vase
        )
        sprite = paint(sprite, ring, (44, 74, 164), Finish(bevel=0.0, opacity=0.9))
    return sprite


_BLOOMS: Sequence[tuple[float, float, Colour]] = (
    (-0.3, -0.68, (226, 84, 140)), (0.3, -0.7, (240, 120, 60)), (-0.13, -0.92, (240, 120, 60)),
    (0.15, -0.92, (226, 84, 140)), (0.0, -0.68, (214, 52, 72)),
)  # fmt: skip


def umbrella() -> Sprite:
    sheet = Sheet(-0.72, -1.1, 0.75, 0.14)
    sprite = _standing(sheet, 0.04, 0.2, 0.035)
    hook = smooth_curve([(0.0, -0.35), (0.0, -0.1), (0.03, -0.03), (0.09, -0.02), (0.12, -0.09)])
    sprite = paint(
        sprite, sheet.stroke([(0.0, -1.02), (0.0, -0.15)], 0.024), (206, 206, 212), Finish(0.012, gloss=0.4)
    )
    sprite = paint(sprite, sheet.stroke(hook[9:], 0.045), (104, 58, 28), Finish(0.022, gloss=0.2))
    sprite = paint(sprite, sheet.stroke([(0.0, -1.06), (0.0, -0.98)], 0.022), (70, 70, 76), Finish(0.012))
    edges = (-0.64, -0.4, -0.14, 0.14, 0.4, 0.64)
    for number, (start, end) in enumerate(pairwise(edges)):
        panel = [(start, -0.52), ((start + end) / 2, -0.57), (end, -0.52)]
        right = [(end, -0.52), (end * 0.9, -0.74), (end * 0.5, -0.94), (0.0, -1.0)]
        left = [(0.0, -1.0), (start * 0.5, -0.94), (start * 0.9, -0.74), (start, -0.52)]
        outline = [*smooth_curve(panel), *smooth_curve(right), *smooth_curve(left)]
        colour = (248, 196, 40) if number % 2 else (30, 76, 170)
        sprite = paint(sprite, sheet.polygon(outline), colour, Finish(0.05))
    return sprite


OBJECTS: dict[str, SceneObject] = {
    "chair": SceneObject(cache(chair), 0.36),
    "red ball": SceneObject(cache(red_ball), 0.2),
    "plant": SceneObject(cache(plant), 0.34),
    "coffee cup": SceneObject(cache(coffee_cup), 0.2),
    "book": SceneObject(cache(book), 0.25),
    "cat": SceneObject(cache(cat), 0.32),
    "dog": SceneObject(cache(dog), 0.34),
    "flower vase": SceneObject(cache(flower_vase), 0.34),
    "umbrella": SceneObject(cache(umbrella), 0.36),
}
