"""Finding a sprite again in a picture that has been through something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.sprites import Field, Layer, Point, Pose, Sprite, stamp
from convergebench.types import Pixels

_LEAST_VISIBLE = 0.45
_LEAST_PIXELS = 16
_SHARE_OUTSIDE = 0.6
_WORTH_A_LOOK = 0.3
_LEAST_CONTRAST = np.float32(300)
_FINE_SIDE = 76
_STEPS = (-1.0, 0.0, 1.0)


@dataclass(frozen=True)
class Search:
    """Where the origin of a sprite may lie, at which sizes and turns, and how coarsely to look first."""

    left: float
    top: float
    right: float
    bottom: float
    sizes: Sequence[float]
    turns: Sequence[float]
    factor: float
    """Pixels of the reduced picture for one of the picture."""
    is_ground: Callable[[Field], NDArray[np.bool_]] | None = None
    """Which colours may lie around the origin; all, if nothing is said."""


@dataclass(frozen=True)
class Fit:
    """How well a sprite at a pose accounts for what the picture shows."""

    pose: Pose
    error: float
    """Root mean square difference of colours, 0 to 255."""
    explained: float
    """1 when the sprite is exactly there; 0 when the surroundings would say as much about these pixels."""


def find(pixels: Pixels, sprite: Sprite, search: Search) -> Fit | None:
    """The best fit, or None where nothing is like it; how good it has to be is for the caller to say."""
    coarse = max(_fits(pixels, sprite, search), key=lambda fit: fit.explained, default=None)
    if coarse is None or coarse.explained < _WORTH_A_LOOK:
        return None
    return _refined(pixels, sprite, coarse, search)


def _refined(pixels: Pixels, sprite: Sprite, fit: Fit, search: Search) -> Fit:
    """The size and then the turn adjusted, at a resolution that shows them."""
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
    fit: Fit,
    factor: float,
    reach: float,
    sizes: Sequence[float] = (1.0,),
    turns: Sequence[float] = (0.0,),
) -> Fit:
    pose = fit.pose
    near = Search(pose.x - reach, pose.y - reach, pose.x + reach, pose.y + reach,
                  [pose.size * step for step in sizes], [pose.turn + step for step in turns], factor)  # fmt: skip
    return max(_fits(pixels, sprite, near), key=lambda fit: fit.explained, default=fit)


@dataclass(frozen=True)
class _View:
    """A reduced part of the picture, with a border of nothing around it."""

    colours: Field
    energy: Field
    visible: Field
    left: float
    top: float
    factor: float


def _fits(pixels: Pixels, sprite: Sprite, search: Search) -> Iterator[Fit]:
    """The best place for each size and turn."""
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
    height, width = pixels.shape[:2]
    reach = radius / search.factor
    left, top = max(0, int(search.left - reach)), max(0, int(search.top - reach))
    part = pixels[top : int(search.bottom + reach) + 1, left : int(search.right + reach) + 1]
    small = cv2.resize(part, None, fx=search.factor, fy=search.factor, interpolation=cv2.INTER_AREA)
    border = int(_SHARE_OUTSIDE * radius) + 2
    colours = np.pad(small.astype(np.float32) - 128, ((border, border), (border, border), (0, 0)))
    visible = np.pad(np.ones(small.shape[:2], np.float32), border)
    offset = border / search.factor
    return _View(colours, _energy(colours), visible, left - offset, top - offset, search.factor)


def _fit(view: _View, sprite: Sprite, size: float, turn: float, search: Search) -> Fit | None:
    layer, (origin_x, origin_y) = stamp(sprite, size, turn)
    weight = _weight(layer)
    if weight.sum() < _LEAST_PIXELS:
        return None
    window_x = _span(search.left, search.right, view.left, view.factor, origin_x, layer.alpha.shape[1], view.visible.shape[1])
    window_y = _span(search.top, search.bottom, view.top, view.factor, origin_y, layer.alpha.shape[0], view.visible.shape[0])
    if window_x is None or window_y is None:
        return None
    area = (slice(*window_y), slice(*window_x))
    doubts = _doubts(view.colours[area], view.energy[area], view.visible[area], layer.colours - 128, weight,
                     _ring(layer, size))  # fmt: skip
    if search.is_ground is not None:
        doubts[~_grounds(view.colours[area], size, search.is_ground, doubts.shape, (origin_x, origin_y))] = np.inf
    _, _, (column, row), _ = cv2.minMaxLoc(doubts)
    if not np.isfinite(doubts[row, column]):
        return None
    row, column = row + window_y[0], column + window_x[0]
    pose = Pose((column + origin_x) / view.factor + view.left, (row + origin_y) / view.factor + view.top,
                size / view.factor, turn)  # fmt: skip
    height, width = layer.alpha.shape
    spot = (slice(row, row + height), slice(column, column + width))
    return _judged(pose, layer, weight, view.colours[spot] + 128, view.visible[spot], view.factor)


def _span(
    first: float, last: float, offset: float, factor: float, origin: float, length: int, limit: int
) -> tuple[int, int] | None:
    """The stretch of the view in which the patch has to lie for its origin to be between first and last."""
    start = max(0, int(np.floor((first - offset) * factor - origin)))
    stop = min(limit, int(np.ceil((last - offset) * factor - origin)) + length + 1)
    return (start, stop) if stop - start >= length else None


def _grounds(
    colours: Field, size: float, is_ground: Callable[[Field], NDArray[np.bool_]], shape: tuple[int, ...], origin: Point
) -> NDArray[np.bool_]:
    """Where a patch may lie, because its origin is in surroundings of the right colour."""
    reach = 2 * int(0.3 * size) + 1
    right = is_ground(np.asarray(cv2.blur(colours, (reach, reach)) + 128, np.float32))
    column, row = (round(v) for v in origin)
    return right[row : row + shape[0], column : column + shape[1]]


def _weight(layer: Layer) -> Field:
    """How much a pixel of the patch says about the sprite: nothing where it is hardly opaque."""
    return np.clip((layer.alpha - np.float32(0.5)) * 2, 0, 1)


def _doubts(colours: Field, energy: Field, visible: Field, expected: Field, weight: Field, ring: Field) -> Field:
    """At every place, how badly the patch accounts for what is seen, as a share of what the ring around it leaves open.

    The ring's share is taken from brightness alone: it only has to single out a place, which is judged afterwards.
    """
    seen, own = _over(visible, weight), _over(visible, weight * _energy(expected))
    cross = cv2.matchTemplate(colours, weight[..., None] * expected, cv2.TM_CCORR)
    theirs = cv2.matchTemplate(energy, weight, cv2.TM_CCORR)
    grey = colours @ np.full(3, 1 / 3, np.float32)
    around = cv2.matchTemplate(grey, ring, cv2.TM_CCORR) / np.maximum(_over(visible, ring), np.float32(1e-3))
    inside = cv2.matchTemplate(grey, weight, cv2.TM_CCORR)
    squared = cv2.matchTemplate(grey**2, weight, cv2.TM_CCORR)
    open_question = squared - 2 * around * inside + around**2 * seen
    doubts = (own - 2 * cross + theirs) / (3 * open_question + _LEAST_CONTRAST * seen + np.float32(1e-3))
    hidden = np.broadcast_to(seen < _LEAST_VISIBLE * weight.sum(), doubts.shape)
    return np.where(hidden, np.float32(np.inf), doubts).astype(np.float32)


def _over(visible: Field, amounts: Field) -> Field:
    """The sum of the amounts that fall into the picture, at every place; one number where all always do."""
    if visible.all():
        return np.asarray(amounts.sum(), np.float32)
    return np.asarray(cv2.matchTemplate(visible, amounts, cv2.TM_CCORR), np.float32)


def _ring(layer: Layer, size: float) -> Field:
    reach = 2 * int(0.07 * size + 1) + 1
    covered = (layer.alpha > 0.15).astype(np.float32)
    return np.asarray(cv2.dilate(covered, np.ones((reach, reach), np.uint8)) - covered, np.float32)


def _energy(colours: Field) -> Field:
    return colours[..., 0] ** 2 + colours[..., 1] ** 2 + colours[..., 2] ** 2


def _judged(pose: Pose, layer: Layer, weight: Field, seen: Field, visible: Field, factor: float) -> Fit:
    weight = weight * visible
    without = _surroundings(seen, visible * (layer.alpha < 0.15), 0.07 * pose.size * factor + 1)
    alpha = layer.alpha[..., None]
    expected = layer.colours * alpha + without * (1 - alpha)
    own = float((weight * _energy(seen - expected)).sum())
    blank = float((weight * _energy(seen - without)).sum())
    total = max(float(weight.sum()), 1e-6)
    return Fit(pose, float(np.sqrt(own / (3 * total))), 1 - own / max(blank, 1e-6))


def _surroundings(seen: Field, outside: Field, reach: float) -> Field:
    """What one would expect inside, knowing only what is outside near by."""
    kernel = (2 * int(1.5 * reach) + 1,) * 2
    known, share = seen * outside[..., None], outside
    for _ in range(2):
        known, share = cv2.blur(known, kernel), cv2.blur(share, kernel)
    everywhere = seen[outside > 0].mean(axis=0) if outside.any() else np.full(3, 128, np.float32)
    trust = np.float32(0.02)
    return np.asarray((known + trust * everywhere) / (share + trust)[..., None], np.float32)
