"""Finds a sprite in a picture that has been degraded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.sprites import Field, Layer, Point, Pose, Sprite, stamp
from convergebench.types import Pixels

IsGround: TypeAlias = Callable[[Field], NDArray[np.bool_]]

_LEAST_VISIBLE = 0.45
_LEAST_PIXELS = 16
_SHARE_OUTSIDE = 0.6
_WORTH_A_LOOK = 0.3
_LEAST_CONTRAST = np.float32(300)
_FINE_SIDE = 76
_STEPS = (-1.0, 0.0, 1.0)


class GlyphBox(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Search:
    """The search range: possible positions, sizes and rotations of a sprite, and the initial resolution."""

    box: GlyphBox
    sizes: Sequence[float]
    turns: Sequence[float]
    factor: float
    """The scale of the reduced picture."""
    is_ground: IsGround | None = None
    """The colours that may surround the origin; by default all."""


@dataclass(frozen=True)
class GlyphFit:
    """How well a sprite at a pose explains the picture."""

    pose: Pose
    error: float
    """Root mean square difference of colours, 0 to 255."""
    explained: float
    """1 if the sprite matches exactly; 0 if the surroundings predict these pixels equally well."""


def around(x: float, y: float, reach: float) -> GlyphBox:
    return GlyphBox(x - reach, y - reach, x + reach, y + reach)


def find(pixels: Pixels, sprite: Sprite, search: Search) -> GlyphFit | None:
    """The best fit, or None without any candidate; the caller decides how good it must be."""
    coarse = max(_fits(pixels, sprite, search), key=lambda fit: fit.explained, default=None)
    if coarse is None or coarse.explained < _WORTH_A_LOOK:
        return None
    return _refined(pixels, sprite, coarse, search)


def _refined(pixels: Pixels, sprite: Sprite, fit: GlyphFit, search: Search) -> GlyphFit:
    """Adjust the size and then the rotation, at a resolution that is sufficient for them."""
    factor = min(1.0, _FINE_SIDE / (sprite.longest_side * fit.pose.size))
    may_turn = len(search.turns) > 1
    fit = _adjusted(pixels, sprite, fit, factor, 1.5 / search.factor, sizes=[1 + 0.04 * s for s in _STEPS])
    if may_turn:
        fit = _adjusted(pixels, sprite, fit, factor, 2 / factor, turns=[3 * s for s in _STEPS])
    fit = _adjusted(pixels, sprite, fit, factor, 2 / factor, sizes=[1 + 0.015 * s for s in _STEPS])
    if may_turn:
        fit = _adjusted(pixels, sprite, fit, factor, 2 / factor, turns=[1.2 * s for s in _STEPS])
    return fit


def _adjusted(
    pixels: Pixels,
    sprite: Sprite,
    fit: GlyphFit,
    factor: float,
    reach: float,
    sizes: Sequence[float] = (1.0,),
    turns: Sequence[float] = (0.0,),
) -> GlyphFit:
    pose = fit.pose
    sizes, turns = [pose.size * step for step in sizes], [pose.turn + step for step in turns]
    near = Search(around(pose.x, pose.y, reach), sizes, turns, factor)
    return max(_fits(pixels, sprite, near), key=lambda fit: fit.explained, default=fit)


@dataclass(frozen=True)
class _View:
    """A reduced part of the picture, with an empty border."""

    colours: Field
    energy: Field
    visible: Field
    left: float
    top: float
    factor: float


def _fits(pixels: Pixels, sprite: Sprite, search: Search) -> Iterator[GlyphFit]:
    """The best position for each size and rotation."""
    sizes = [size * search.factor for size in search.sizes]
    radius = _radius(sprite) * max(sizes)
    view = _view(pixels, search, radius)
    for size in sizes:
        for turn in search.turns:
            fit = _fit(view, sprite, size, turn, search)
            if fit is not None:
                yield fit


def _radius(sprite: Sprite) -> float:
    sheet = sprite.sheet
    return max(abs(sheet.left), abs(sheet.top), abs(sheet.right), abs(sheet.bottom)) * 1.1


def _view(pixels: Pixels, search: Search, radius: float) -> _View:
    reach = radius / search.factor
    left, top = max(0, int(search.box.left - reach)), max(0, int(search.box.top - reach))
    part = pixels[top : int(search.box.bottom + reach) + 1, left : int(search.box.right + reach) + 1]
    small = cv2.resize(part, None, fx=search.factor, fy=search.factor, interpolation=cv2.INTER_AREA)
    border = int(_SHARE_OUTSIDE * radius) + 2
    colours = np.pad(small.astype(np.float32) - 128, ((border, border), (border, border), (0, 0)))
    visible = np.pad(np.ones(small.shape[:2], np.float32), border)
    offset = border / search.factor
    return _View(colours, _energy(colours), visible, left - offset, top - offset, search.factor)


def _fit(view: _View, sprite: Sprite, size: float, turn: float, search: Search) -> GlyphFit | None:
    layer, (x, y) = stamp(sprite, size, turn)
    weight = _weight(layer)
    (height, width), (rows, columns) = layer.alpha.shape, view.visible.shape
    box = _in_view(search.box, view)
    across = _span(box.left - x, box.right - x, width, columns)
    down = _span(box.top - y, box.bottom - y, height, rows)
    if weight.sum() < _LEAST_PIXELS or across is None or down is None:
        return None
    doubts = _doubts(view, (down, across), layer.colours - 128, weight, _ring(layer, size))
    if search.is_ground is not None:
        colours = view.colours[down, across]
        doubts[~_grounds(colours, size, search.is_ground, doubts.shape, (x, y))] = np.inf
    _, _, (column, row), _ = cv2.minMaxLoc(doubts)
    if not np.isfinite(doubts[row, column]):
        return None
    row, column = row + down.start, column + across.start
    pose = Pose((column + x) / view.factor + view.left, (row + y) / view.factor + view.top,
                size / view.factor, turn)  # fmt: skip
    spot = (slice(row, row + height), slice(column, column + width))
    return _judged(pose, layer, weight, view.colours[spot] + 128, view.visible[spot], view.factor)


def _in_view(box: GlyphBox, view: _View) -> GlyphBox:
    left, right = ((x - view.left) * view.factor for x in (box.left, box.right))
    top, bottom = ((y - view.top) * view.factor for y in (box.top, box.bottom))
    return GlyphBox(left, top, right, bottom)


def _span(first: float, last: float, length: int, limit: int) -> slice | None:
    """The range of the view for a patch that begins between first and last, if it fits."""
    start, stop = max(0, math.floor(first)), min(limit, math.ceil(last) + length + 1)
    return slice(start, stop) if stop - start >= length else None


def _grounds(
    colours: Field, size: float, is_ground: IsGround, shape: tuple[int, ...], origin: Point
) -> NDArray[np.bool_]:
    """The possible positions of a patch: its origin must be in surroundings of the right colour."""
    reach = 2 * int(0.3 * size) + 1
    right = is_ground(_blurred(colours, reach) + 128)
    column, row = (round(v) for v in origin)
    return right[row : row + shape[0], column : column + shape[1]]


def _weight(layer: Layer) -> Field:
    """The weight of each pixel of the patch: zero where the sprite is nearly transparent."""
    return np.asarray(np.clip((layer.alpha - 0.5) * 2, 0, 1), np.float32)


def _doubts(view: _View, area: tuple[slice, slice], expected: Field, weight: Field, ring: Field) -> Field:
    """At every position, the error of the patch relative to the error of a prediction from the ring around
    it.

    The ring predicts brightness only: this selects candidates, which are evaluated afterwards.
    """
    colours, visible = view.colours[area], view.visible[area]
    seen, own = _over(visible, weight), _over(visible, weight * _energy(expected))
    cross = cv2.matchTemplate(colours, weight[..., None] * expected, cv2.TM_CCORR)
    theirs = cv2.matchTemplate(view.energy[area], weight, cv2.TM_CCORR)
    grey = colours @ np.full(3, 1 / 3, np.float32)
    around = cv2.matchTemplate(grey, ring, cv2.TM_CCORR) / np.maximum(_over(visible, ring), np.float32(1e-3))
    inside = cv2.matchTemplate(grey, weight, cv2.TM_CCORR)
    squared = cv2.matchTemplate(grey**2, weight, cv2.TM_CCORR)
    open_question = squared - 2 * around * inside + around**2 * seen
    doubts = (own - 2 * cross + theirs) / (3 * open_question + _LEAST_CONTRAST * seen + np.float32(1e-3))
    hidden = np.broadcast_to(seen < _LEAST_VISIBLE * weight.sum(), doubts.shape)
    return np.where(hidden, np.float32(np.inf), doubts).astype(np.float32)


def _over(visible: Field, amounts: Field) -> Field:
    """The sum of the amounts inside the picture, at every position; one number if all are always inside."""
    if visible.all():
        return np.asarray(amounts.sum(), np.float32)
    return np.asarray(cv2.matchTemplate(visible, amounts, cv2.TM_CCORR), np.float32)


def _ring(layer: Layer, size: float) -> Field:
    reach = 2 * int(0.07 * size + 1) + 1
    covered = (layer.alpha > 0.15).astype(np.float32)
    return np.asarray(cv2.dilate(covered, np.ones((reach, reach), np.uint8)) - covered, np.float32)


def _energy(colours: Field) -> Field:
    return colours[..., 0] ** 2 + colours[..., 1] ** 2 + colours[..., 2] ** 2


def _judged(pose: Pose, layer: Layer, weight: Field, seen: Field, visible: Field, factor: float) -> GlyphFit:
    weight = weight * visible
    without = _surroundings(seen, visible * (layer.alpha < 0.15), 0.07 * pose.size * factor + 1)
    alpha = layer.alpha[..., None]
    expected = layer.colours * alpha + without * (1 - alpha)
    own = float((weight * _energy(seen - expected)).sum())
    blank = float((weight * _energy(seen - without)).sum())
    total = max(float(weight.sum()), 1e-6)
    return GlyphFit(pose, float(np.sqrt(own / (3 * total))), 1 - own / max(blank, 1e-6))


def _surroundings(seen: Field, outside: Field, reach: float) -> Field:
    """The expected values inside, predicted from the surroundings."""
    side = 2 * int(1.5 * reach) + 1
    known = _blurred(_blurred(seen * outside[..., None], side), side)
    share = _blurred(_blurred(outside, side), side)
    everywhere = seen[outside > 0].mean(axis=0) if outside.any() else np.full(3, 128, np.float32)
    trust = np.float32(0.02)
    return np.asarray((known + trust * everywhere) / (share + trust)[..., None], np.float32)


def _blurred(field: Field, side: int) -> Field:
    return np.asarray(cv2.blur(field, (side, side)), np.float32)
