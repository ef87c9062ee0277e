"""Sprites: things drawn once in their own units, and composited onto pictures at a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Field: TypeAlias = NDArray[np.float32]
"""Values in float: a mask from 0 to 1, or colours from 0 to 255."""
Colour: TypeAlias = tuple[float, float, float]
Point: TypeAlias = tuple[float, float]

PIXELS_PER_UNIT = 256


@dataclass(frozen=True)
class Sheet:
    """An area to draw shapes on, in units of the thing; shapes are masks with smooth edges."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def shape(self) -> tuple[int, int]:
        height, width = self.bottom - self.top, self.right - self.left
        return round(height * PIXELS_PER_UNIT), round(width * PIXELS_PER_UNIT)

    def polygon(self, points: Sequence[Point]) -> Field:
        canvas = np.zeros(self.shape, np.uint8)
        cv2.fillPoly(canvas, [self._fixed_point(points)], 255, cv2.LINE_AA, shift=4)
        return self._soft(canvas)

    def ellipse(self, x: float, y: float, rx: float, ry: float, turn: float = 0.0) -> Field:
        return self.polygon(_oval(x, y, rx, ry, turn, power=2.0))

    def lozenge(self, x: float, y: float, rx: float, ry: float) -> Field:
        """Between an ellipse and a rectangle, as lenses are."""
        return self.polygon(_oval(x, y, rx, ry, 0.0, power=3.0))

    def blob(self, points: Sequence[Point]) -> Field:
        """The inside of a smooth closed curve through the points."""
        return self.polygon(smooth_curve([*points, points[0]], closed=True))

    def stroke(self, points: Sequence[Point], width: float) -> Field:
        """A line with round ends; bend it by giving it `smooth_curve` of the points."""
        canvas = np.zeros(self.shape, np.uint8)
        thickness = max(1, round(width * PIXELS_PER_UNIT))
        cv2.polylines(canvas, [self._fixed_point(points)], False, 255, thickness, cv2.LINE_AA, shift=4)
        return self._soft(canvas)

    def ramp(self, top: float, bottom: float) -> Field:
        """0 above `top`, 1 below `bottom`, and evenly between them."""
        height, width = self.shape
        y = self.top + np.arange(height, dtype=np.float32) / PIXELS_PER_UNIT
        column = np.clip((y - top) / (bottom - top), 0, 1).astype(np.float32)
        return np.repeat(column[:, None], width, axis=1)

    def _fixed_point(self, points: Sequence[Point]) -> NDArray[np.int32]:
        moved = (np.array(points, np.float64) - (self.left, self.top)) * PIXELS_PER_UNIT
        return np.round(moved * 16).astype(np.int32)

    def _soft(self, canvas: NDArray[np.uint8]) -> Field:
        blurred = cv2.GaussianBlur(canvas, (0, 0), 1.2)
        return np.asarray(blurred, np.float32) / np.float32(255)


@dataclass(frozen=True)
class Sprite:
    """A finished drawing: colours, opacity and shadow."""

    sheet: Sheet
    colours: Field
    alpha: Field
    shadow: Field
    spared: Field
    """Visible parts that do not predict the hidden ones: the lips in a beard, the forehead under a hat."""

    @property
    def longest_side(self) -> float:
        return max(self.sheet.right - self.sheet.left, self.sheet.bottom - self.sheet.top)

    @cached_property
    def levels(self) -> tuple[tuple[Field, Field], ...]:
        """(colours times alpha with alpha, shadow with spared) at full, half, quarter … resolution."""
        painted = np.dstack([self.colours * self.alpha[..., None], self.alpha])
        levels = [(painted, np.dstack([self.shadow, self.spared]))]
        while min(levels[-1][1].shape[:2]) >= 16:
            levels.append((_halved(levels[-1][0]), _halved(levels[-1][1])))
        return tuple(levels)


@dataclass(frozen=True)
class Pose:
    """The position of a sprite's origin in a picture, its unit in pixels, and its rotation in degrees."""

    x: float
    y: float
    size: float
    turn: float = 0.0


@dataclass(frozen=True)
class Layer:
    """A sprite in a picture's pixels; only this rectangle of the picture changes."""

    left: int
    top: int
    colours: Field
    alpha: Field
    shadow: Field
    spared: Field

    @property
    def window(self) -> tuple[slice, slice]:
        height, width = self.alpha.shape
        return slice(self.top, self.top + height), slice(self.left, self.left + width)


def blank(sheet: Sheet) -> Sprite:
    height, width = sheet.shape
    nothing = np.zeros((height, width), np.float32)
    return Sprite(sheet, np.zeros((height, width, 3), np.float32), nothing, nothing, nothing)


def with_shadow(sprite: Sprite, mask: Field, strength: float, softness: float) -> Sprite:
    blurred = cv2.GaussianBlur(mask, (0, 0), softness * PIXELS_PER_UNIT)
    darker = np.maximum(sprite.shadow, np.asarray(blurred, np.float32) * np.float32(strength))
    return replace(sprite, shadow=darker)


def lay(sprite: Sprite, pose: Pose, height: int, width: int) -> Layer | None:
    """The part of the posed sprite inside the picture, or None if it is outside."""
    corners = _corners(sprite.sheet, pose)
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
    right, bottom = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, (width, height))
    if right <= left or bottom <= top:
        return None
    place = (int(left), int(top), int(right - left), int(bottom - top))
    painted, other = _warped(sprite, pose, *place)
    alpha = painted[..., 3]
    colours = painted[..., :3] / np.maximum(alpha, np.float32(1e-3))[..., None]
    return Layer(int(left), int(top), np.clip(colours, 0, 255), alpha, other[..., 0], other[..., 1])


def stamp(sprite: Sprite, size: float, turn: float) -> tuple[Layer, Point]:
    """The whole sprite on a separate patch, and the position of its origin in that patch."""
    corners = _corners(sprite.sheet, Pose(0, 0, size, turn))
    x, y = (float(v) for v in np.ceil(-corners.min(axis=0)) + 1)
    right, bottom = (float(v) for v in np.ceil(corners.max(axis=0)) + 1)
    width, height = int(x + right), int(y + bottom)
    layer = lay(sprite, Pose(x, y, size, turn), height, width)
    assert layer is not None
    return layer, (x - layer.left, y - layer.top)


def _warped(sprite: Sprite, pose: Pose, left: int, top: int, width: int, height: int) -> tuple[Field, Field]:
    # An affine warp skips pixels when it reduces the size much, so it starts from the next larger level.
    level = int(np.clip(np.floor(np.log2(PIXELS_PER_UNIT / pose.size)), 0, len(sprite.levels) - 1))
    painted, other = sprite.levels[level]
    per_pixel = np.array(sprite.sheet.shape[::-1]) / other.shape[1::-1] / PIXELS_PER_UNIT
    turn = _rotation(pose.turn)
    first = np.array([sprite.sheet.left, sprite.sheet.top]) + per_pixel / 2
    shift = turn @ first * pose.size + (pose.x - left - 0.5, pose.y - top - 0.5)
    matrix = np.hstack([turn * pose.size * per_pixel, shift[:, None]])
    first_planes, last_planes = (
        cv2.warpAffine(planes, matrix, (width, height)) for planes in (painted, other)
    )
    return np.asarray(first_planes, np.float32), np.asarray(last_planes, np.float32)


def _halved(plane: Field) -> Field:
    height, width = plane.shape[:2]
    size = (max(1, width // 2), max(1, height // 2))
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def _rotation(degrees: float) -> NDArray[np.float64]:
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return np.array([[cos, -sin], [sin, cos]])


def _corners(sheet: Sheet, pose: Pose) -> NDArray[np.float64]:
    box = [(x, y) for x in (sheet.left, sheet.right) for y in (sheet.top, sheet.bottom)]
    return np.asarray(np.array(box) @ _rotation(pose.turn).T * pose.size + (pose.x, pose.y))


def smooth_curve(points: Sequence[Point], closed: bool = False) -> list[Point]:
    """A Catmull-Rom curve through the points, as many short lines."""
    knots = np.array(points, np.float64)
    before = knots[-2] if closed else 2 * knots[0] - knots[1]
    after = knots[1] if closed else 2 * knots[-1] - knots[-2]
    padded = np.vstack([before, knots, after])
    t = np.linspace(0, 1, 12, endpoint=False)[:, None]
    pieces = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        pieces.append(b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))))
    curve = np.vstack([*pieces, knots[-1:]])
    return [(float(x), float(y)) for x, y in curve]


def _oval(x: float, y: float, rx: float, ry: float, turn: float, power: float) -> list[Point]:
    angle = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    across = rx * np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** (2 / power)
    down = ry * np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** (2 / power)
    cos, sin = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    turned = np.stack([x + cos * across - sin * down, y + sin * across + cos * down], axis=1)
    return [(float(x), float(y)) for x, y in turned]
