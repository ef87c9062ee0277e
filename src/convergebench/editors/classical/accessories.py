"""Accessories, drawn in units of the face: its width is 1, the point between the eyes is (0, 0)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from convergebench.editors.classical.painting import Finish, paint
from convergebench.editors.classical.sprites import (
    Field,
    Point,
    Sheet,
    Sprite,
    blank,
    smooth_curve,
    with_shadow,
)

_METAL = Finish(bevel=0.02, gloss=0.5)
_HAIR = Finish(bevel=0.10, hair=0.28, opacity=0.94)


@dataclass(frozen=True)
class Accessory:
    """The drawing of an accessory, and how it is worn."""

    draw: Callable[[], Sprite]
    leans: bool
    """Whether it turns with the head; otherwise it hangs straight."""
    hides_face: bool
    """Whether it covers so much that a detector may no longer find the face."""


def _lenses(sheet: Sheet, rx: float, ry: float) -> tuple[Field, Field]:
    return sheet.lozenge(-0.205, 0.03, rx, ry), sheet.lozenge(0.205, 0.03, rx, ry)


def _spectacles(rx: float, ry: float, rim: float, lens: Callable[[Sprite, Field], Sprite]) -> Sprite:
    sheet = Sheet(-0.6, -0.25, 0.6, 0.3)
    sprite = blank(sheet)
    frame = sheet.stroke(smooth_curve([(-0.05, 0.0), (0.0, -0.02), (0.05, 0.0)]), rim)
    for side in (-1, 1):
        temple = [(side * 0.37, -0.025), (side * 0.44, -0.025), (side * 0.49, -0.01)]
        frame = np.maximum(frame, sheet.stroke(smooth_curve(temple), rim))
    for outer, inner in zip(_lenses(sheet, rx, ry), _lenses(sheet, rx - rim, ry - rim), strict=True):
        sprite = lens(sprite, inner)
        frame = np.maximum(frame, outer * (1 - inner))
    shaded = with_shadow(sprite, sheet.stroke([(-0.36, 0.1), (0.36, 0.1)], 0.05), 0.14, 0.03)
    # Tortoiseshell: black rims would hide the face from detectors.
    return paint(shaded, frame, (120, 44, 24), Finish(bevel=0.02, gloss=0.3))


def glasses() -> Sprite:
    def clear(sprite: Sprite, lens: Field) -> Sprite:
        return paint(sprite, lens, (225, 238, 250), Finish(bevel=0.0, opacity=0.1))

    return _spectacles(0.175, 0.135, 0.036, clear)


def sunglasses() -> Sprite:
    def tinted(sprite: Sprite, lens: Field) -> Sprite:
        return paint(sprite, lens, (34, 22, 16), Finish(bevel=0.0, opacity=0.74))

    return _spectacles(0.185, 0.145, 0.032, tinted)


def hat() -> Sprite:
    sheet = Sheet(-0.95, -1.25, 0.95, -0.05)
    crown = sheet.blob([(-0.5, -0.42), (-0.47, -0.8), (-0.33, -1.08), (0.0, -1.04), (0.33, -1.1),
                        (0.47, -0.8),
                        (0.5, -0.42), (0.0, -0.36)])  # fmt: skip
    brim = sheet.blob([(-0.86, -0.42), (-0.5, -0.5), (0.0, -0.54), (0.5, -0.5), (0.86, -0.42), (0.5, -0.31),
                       (0.0, -0.27), (-0.5, -0.31)])  # fmt: skip
    band = sheet.polygon([(-0.6, -0.62), (0.6, -0.62), (0.6, -0.44), (-0.6, -0.44)]) * crown
    sprite = with_shadow(blank(sheet), sheet.ellipse(0, -0.26, 0.42, 0.06), 0.4, 0.04)
    sprite = paint(sprite, crown, (196, 158, 104), Finish(bevel=0.22, hair=0.02))
    dent = sheet.stroke([(0.0, -1.02), (0.02, -0.78)], 0.05)
    sprite = paint(sprite, dent, (150, 115, 70), Finish(0.03, opacity=0.45))
    sprite = paint(sprite, brim, (206, 168, 112), Finish(bevel=0.09, hair=0.02))
    sprite = paint(sprite, band * (1 - brim), (96, 28, 34), Finish(bevel=0.12))
    return replace(sprite, spared=sheet.ellipse(0, -0.26, 0.38, 0.14))


def earrings() -> Sprite:
    sheet = Sheet(-0.65, 0.1, 0.65, 0.65)
    sprite = blank(sheet)
    for x in (-0.47, 0.47):
        sprite = paint(sprite, sheet.stroke([(x, 0.26), (x, 0.36)], 0.02), (214, 172, 60), _METAL)
        sprite = paint(sprite, sheet.ellipse(x, 0.25, 0.032, 0.032), (232, 190, 72), Finish(0.03, gloss=0.6))
        drop = sheet.blob([(x, 0.33), (x + 0.06, 0.44), (x, 0.51), (x - 0.06, 0.44)])
        sprite = paint(sprite, drop, (232, 186, 62), Finish(0.04, gloss=0.4))
        stone = sheet.ellipse(x, 0.44, 0.036, 0.045)
        sprite = paint(sprite, stone, (12, 120, 92), Finish(0.035, gloss=0.7))
    return sprite


def necklace() -> Sprite:
    sheet = Sheet(-0.6, 0.5, 0.6, 1.4)
    sprite = with_shadow(blank(sheet), sheet.stroke(_necklace_curve(0.03), 0.05), 0.3, 0.02)
    curve = np.array(_necklace_curve(0.0))
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(curve, axis=0).T))])
    for at in np.linspace(0, along[-1], 23):
        x, y = (float(np.interp(at, along, curve[:, axis])) for axis in (0, 1))
        sprite = paint(sprite, sheet.ellipse(x, y, 0.037, 0.037), (226, 216, 205), Finish(0.037, gloss=0.5))
    setting = sheet.blob([(0, 1.06), (0.075, 1.16), (0, 1.27), (-0.075, 1.16)])
    sprite = paint(sprite, setting, (224, 178, 66), _METAL)
    return paint(sprite, sheet.ellipse(0, 1.165, 0.045, 0.065), (176, 16, 42), Finish(0.045, gloss=0.7))


def _necklace_curve(drop: float) -> list[Point]:
    half = [(0.36, 0.72), (0.31, 0.86), (0.17, 0.99)]
    points = [(-x, y) for x, y in half] + [(0.0, 1.03)] + half[::-1]
    return smooth_curve([(x, y + drop) for x, y in points])


def scarf() -> Sprite:
    sheet = Sheet(-0.85, 0.4, 0.85, 1.75)
    tail = sheet.polygon([(0.12, 0.95), (0.42, 0.92), (0.5, 1.55), (0.2, 1.6)])
    wrap = sheet.blob([(-0.52, 0.66), (-0.25, 0.76), (0.0, 0.79), (0.25, 0.76), (0.52, 0.66), (0.6, 0.86),
                       (0.35, 1.05), (0.0, 1.12), (-0.35, 1.05), (-0.6, 0.86)])  # fmt: skip
    sprite = with_shadow(blank(sheet), np.maximum(wrap, tail), 0.35, 0.05)
    knitted = Finish(bevel=0.08, hair=0.07)
    sprite = paint(sprite, tail, (172, 28, 44), knitted)
    for x in np.linspace(0.225, 0.475, 7):
        fringe = sheet.stroke([(float(x), 1.57), (float(x) + 0.01, 1.68)], 0.022)
        sprite = paint(sprite, fringe, (236, 222, 196), Finish(0.015))
    for y in (1.2, 1.3, 1.4):
        stripe = sheet.stroke([(0.1, y), (0.52, y - 0.02)], 0.04) * tail
        sprite = paint(sprite, stripe, (236, 222, 196), knitted)
    sprite = paint(sprite, wrap, (186, 32, 48), Finish(bevel=0.14, hair=0.07))
    for sag in (0.07, 0.2):
        fold = sheet.stroke(smooth_curve([(-0.55, 0.7 + sag), (0.0, 0.82 + sag), (0.55, 0.7 + sag)]), 0.05)
        sprite = paint(sprite, fold * wrap, (236, 222, 196), knitted)
    knot = sheet.ellipse(0.27, 0.95, 0.15, 0.13, turn=15)
    return paint(sprite, knot, (192, 34, 50), Finish(bevel=0.1, hair=0.07))


def beard() -> Sprite:
    sheet = Sheet(-0.65, -0.1, 0.65, 1.0)
    jaw: list[Point] = [(-0.43, 0.08), (-0.42, 0.34), (-0.35, 0.58), (-0.2, 0.76), (0.0, 0.82)]
    cheek: list[Point] = [(0.0, 0.27), (-0.1, 0.27), (-0.21, 0.36), (-0.31, 0.34), (-0.385, 0.2)]
    outline = [*jaw, *((-x, y) for x, y in jaw[-2::-1]), *((-x, y) for x, y in cheek[:0:-1]), *cheek]
    mouth = sheet.ellipse(0, 0.43, 0.145, 0.055)
    hair = _wispy(sheet.blob(outline) * (1 - mouth))
    sprite = with_shadow(blank(sheet), sheet.ellipse(0, 0.82, 0.22, 0.05), 0.3, 0.04)
    return replace(paint(sprite, hair, (70, 44, 28), _HAIR), spared=mouth)


def mustache() -> Sprite:
    sheet = Sheet(-0.45, 0.1, 0.45, 0.6)
    half: list[Point] = [(0.0, 0.275), (0.1, 0.26), (0.2, 0.33), (0.29, 0.33), (0.33, 0.26), (0.34, 0.35),
               (0.25, 0.41),
                         (0.12, 0.395)]  # fmt: skip
    outline = [*half, (0.0, 0.35), *((-x, y) for x, y in half[:0:-1])]
    hair = _wispy(sheet.blob(outline))
    sprite = paint(blank(sheet), hair, (66, 40, 24), Finish(0.05, hair=0.3, opacity=0.97))
    return replace(sprite, spared=sheet.ellipse(0, 0.44, 0.17, 0.07))


def _wispy(mask: Field) -> Field:
    """The mask with an edge of single hairs instead of a line."""
    wide = np.asarray(cv2.GaussianBlur(mask, (0, 0), 4.0), np.float32)
    noise = np.random.default_rng(11).standard_normal(mask.shape).astype(np.float32)
    strands = np.asarray(cv2.GaussianBlur(noise, (0, 0), sigmaX=1.5, sigmaY=6.0), np.float32)
    near = np.clip(wide * 8, 0, 1) * np.clip((1 - wide) * 8, 0, 1)
    edge = wide - 0.5 + 0.14 * near * strands / strands.std()
    return np.asarray(np.clip(edge * 3 + 0.5, 0, 1), np.float32)


ACCESSORIES: dict[str, Accessory] = {
    "glasses": Accessory(cache(glasses), leans=True, hides_face=True),
    "sunglasses": Accessory(cache(sunglasses), leans=True, hides_face=True),
    "hat": Accessory(cache(hat), leans=True, hides_face=False),
    "earrings": Accessory(cache(earrings), leans=False, hides_face=False),
    "necklace": Accessory(cache(necklace), leans=False, hides_face=False),
    "scarf": Accessory(cache(scarf), leans=False, hides_face=False),
    "beard": Accessory(cache(beard), leans=True, hides_face=True),
    "mustache": Accessory(cache(mustache), leans=True, hides_face=True),
}
