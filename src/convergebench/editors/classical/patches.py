"""Filling a hole with patches of what is around it, from coarse to fine.

In a coarse picture every patch that touches the hole is matched with the most similar known patch; where
patches overlap they are averaged (Wexler, Shechtman and Irani, 2007). Finer pictures take the matches over
and improve them among neighbours (Barnes and others, 2009).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.removal import inpainted
from convergebench.editors.classical.smoothing import spread
from convergebench.editors.classical.sprites import Field
from convergebench.types import Pixels

_Indices: TypeAlias = NDArray[np.intp]

_RADIUS = 2
_SPAN = range(-_RADIUS, _RADIUS + 1)
_TAPS = tuple(product(_SPAN, _SPAN))
_SPARSE_TAPS = tuple(product(_SPAN[::_RADIUS], _SPAN[::_RADIUS]))
_COARSE_AREA = 500
"""Pixels of the hole and its edge in the coarsest picture."""
_COARSE_PASSES = 3
_MOST_CANDIDATES = 1500
_MEMBRANE_SIDES = (*[9] * 12, *[5] * 12, *[3] * 12)
_REACH, _LEAST_REACH = 0.9, 24
"""The maximum distance of source patches from the hole: in sides of the hole, and a minimum in pixels."""
_NEARNESS = 3
"""The weight of a pixel of distance, in levels of colour of one pixel."""
_TRUST_DECAY = np.float32(1.3)


@dataclass(frozen=True)
class _Canvas:
    """A picture with a border as wide as a patch's radius, all in one row, so that a shift is an addition."""

    height: int
    width: int
    colours: Field
    is_hidden: NDArray[np.bool_]
    is_known: NDArray[np.bool_]
    """Whether the whole patch around a pixel is known."""
    centres: _Indices
    """The centres of the patches that touch the hole."""
    depths: Field
    """The distances of these centres from the edge of the hole."""

    @property
    def stride(self) -> int:
        return self.width + 2 * _RADIUS

    @property
    def hidden(self) -> NDArray[np.bool_]:
        return self.is_hidden.reshape(-1, self.stride)[_RADIUS:-_RADIUS, _RADIUS:-_RADIUS]

    @property
    def picture(self) -> Field:
        return self.colours.reshape(-1, self.stride, 3)[_RADIUS:-_RADIUS, _RADIUS:-_RADIUS]

    def patches(self, centres: _Indices, taps: Sequence[tuple[int, int]]) -> Field:
        """A row of colours for each centre."""
        patches = np.empty((len(centres), len(taps), 3), np.float32)
        for tap, (down, right) in enumerate(taps):
            patches[:, tap] = self.colours.take(centres + (down * self.stride + right), axis=0)
        return patches.reshape(len(centres), 3 * len(taps))

    def filled(self, picture: Field) -> _Canvas:
        """With this picture's colours in the hole."""
        colours = self.colours.copy()
        colours[self.is_hidden] = picture[self.hidden]
        return replace(self, colours=colours)


class _Matched(NamedTuple):
    """A canvas that is filled, and the centre of the known patch that each of its centres was filled from."""

    canvas: _Canvas
    sources: _Indices


def patched(pixels: Pixels, hole: NDArray[np.uint8]) -> Pixels:
    """Fill the hole with patches from nearby; with OpenCV's method if no nearby patch is known."""
    if not hole.any():
        return pixels
    window = _surroundings(hole)
    picture, inside = pixels[window], hole[window]
    canvases = [_canvas(picture, inside, factor) for factor in _factors(inside)]
    if not all(canvas.is_known.any() for canvas in canvases):
        return inpainted(pixels, hole)
    # A thin hole may vanish in a small picture.
    coarsest, *finer = (canvas for canvas in canvases if canvas.centres.size)
    matched = _first_match(coarsest)
    for canvas in finer:
        matched = _finer_match(canvas, matched)
    result = pixels.copy()
    filled = np.clip(matched.canvas.picture.round(), 0, 255)
    result[window] = np.where(inside[..., None] > 0, filled, picture)
    return result


def _surroundings(hole: NDArray[np.uint8]) -> tuple[slice, slice]:
    rows, columns = (np.flatnonzero(hole.any(axis=axis)) for axis in (1, 0))
    side = max(int(rows[-1] - rows[0]), int(columns[-1] - columns[0]))
    reach = max(_LEAST_REACH, round(_REACH * side))
    return (slice(max(0, int(rows[0]) - reach), int(rows[-1]) + reach + 1),
            slice(max(0, int(columns[0]) - reach), int(columns[-1]) + reach + 1))  # fmt: skip


def _factors(hole: NDArray[np.uint8]) -> list[float]:
    """Sizes of the canvases relative to the picture; each about twice the previous one."""
    around = np.ones((2 * _RADIUS + 1, 2 * _RADIUS + 1), np.uint8)
    coarsest = min(1.0, math.sqrt(_COARSE_AREA / int(cv2.dilate(hole, around).sum())))
    steps = max(0, math.ceil(-math.log2(coarsest) - 0.25))
    return [coarsest ** (1 - step / steps) for step in range(steps)] + [1.0]


def _canvas(picture: Pixels, hole: NDArray[np.uint8], factor: float) -> _Canvas:
    colours, hidden = picture.astype(np.float32), hole > 0
    if factor < 1:
        colours, hidden = _reduced(colours, hidden, factor)
    height, width = hidden.shape
    hidden = np.pad(hidden, _RADIUS)
    is_inside = np.pad(np.ones((height, width), np.bool_), _RADIUS)
    side = 2 * _RADIUS + 1
    touches = cv2.dilate(hidden.astype(np.uint8), np.ones((side, side), np.uint8)) > 0
    depths = np.asarray(cv2.distanceTransform(hidden.astype(np.uint8), cv2.DIST_L2, 3), np.float32)
    centres = np.flatnonzero(touches & is_inside)
    return _Canvas(height, width, _bordered(colours).reshape(-1, 3), hidden.ravel(),
                   (is_inside & ~touches).ravel(), centres, depths.ravel()[centres])  # fmt: skip


def _reduced(colours: Field, hidden: NDArray[np.bool_], factor: float) -> tuple[Field, NDArray[np.bool_]]:
    """Reduced, without bleeding of the hole's colours into its surroundings."""
    height, width = hidden.shape
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    shown = (~hidden).astype(np.float32)
    share = np.asarray(cv2.resize(shown, size, interpolation=cv2.INTER_AREA), np.float32)
    sums = cv2.resize(colours * shown[..., None], size, interpolation=cv2.INTER_AREA)
    return np.asarray(sums / np.maximum(share, np.float32(1e-3))[..., None], np.float32), share < 0.5


def _bordered(picture: Field) -> Field:
    return np.pad(picture, ((_RADIUS, _RADIUS), (_RADIUS, _RADIUS), (0, 0)), mode="edge")


def _first_match(canvas: _Canvas) -> _Matched:
    """The most similar of all candidates for every patch of a smooth fill, improved a few times."""
    canvas = canvas.filled(_membrane(canvas))
    sources, errors = _most_similar(canvas)
    canvas = _averaged(canvas, sources, errors)
    for _ in range(_COARSE_PASSES):
        sources, errors = _improved(canvas, sources)
        canvas = _averaged(canvas, sources, errors)
    return _Matched(canvas, sources)


def _membrane(canvas: _Canvas) -> Field:
    """The hole filled as smoothly as its edge allows."""
    hidden = canvas.hidden[..., None]
    shown = (~canvas.hidden).astype(np.float32)
    smooth = spread(canvas.picture, shown, 0.5 * math.sqrt(float(canvas.hidden.sum())))
    for side in _MEMBRANE_SIDES:
        smooth = np.where(hidden, cv2.blur(smooth, (side, side)), canvas.picture)
    return smooth


def _most_similar(canvas: _Canvas) -> tuple[_Indices, Field]:
    """For every centre, the most similar known patch, and the squared difference."""
    candidates = np.flatnonzero(canvas.is_known)
    if candidates.size > _MOST_CANDIDATES:
        candidates = candidates[np.linspace(0, candidates.size - 1, _MOST_CANDIDATES).astype(np.intp)]
    wanted, known = _placed_patches(canvas, canvas.centres), _placed_patches(canvas, candidates)
    differences = _squared(known) - 2 * (wanted @ known.T)
    best = differences.argmin(axis=1)
    return candidates[best], np.maximum(differences[np.arange(best.size), best] + _squared(wanted), 0)


def _placed_patches(canvas: _Canvas, centres: _Indices) -> Field:
    """Patches with their positions as two additional numbers, which favours near ones; rows count double.

    Whole numbers: the sums of their products are exact, so the best match does not depend on how many threads
    add them up.
    """
    colours = np.rint(canvas.patches(centres, _TAPS)) - 128
    place = _NEARNESS * np.stack([2 * (centres // canvas.stride), centres % canvas.stride], axis=1)
    return np.hstack([colours, place.astype(np.float32)])


def _squared(rows: Field) -> Field:
    return np.asarray(np.einsum("ij,ij->i", rows, rows), np.float32)


def _averaged(canvas: _Canvas, sources: _Indices, errors: Field) -> _Canvas:
    """Every pixel of the hole as the weighted mean of its patches; good matches and the edge count more."""
    tolerance = 2 * float(np.percentile(errors, 75)) + 1e-3
    weights = np.zeros(len(canvas.colours), np.float32)
    weights[canvas.centres] = np.exp(-errors / tolerance) * _TRUST_DECAY**-canvas.depths + 1e-9
    source_of = np.zeros(len(canvas.colours), np.intp)
    source_of[canvas.centres] = sources
    hidden = np.flatnonzero(canvas.is_hidden)
    total, weight = np.zeros((hidden.size, 3), np.float32), np.zeros(hidden.size, np.float32)
    for down, right in _TAPS:
        shift = down * canvas.stride + right
        share = weights.take(hidden - shift)
        total += share[:, None] * canvas.colours.take(source_of.take(hidden - shift) + shift, axis=0)
        weight += share
    colours = canvas.colours.copy()
    colours[hidden] = total / weight[:, None]
    return replace(canvas, colours=colours)


def _finer_match(canvas: _Canvas, coarse: _Matched) -> _Matched:
    """Improve the coarser matches; coarse structure is kept, and the patches add fine detail."""
    size = (canvas.width, canvas.height)
    enlarged = np.asarray(cv2.resize(coarse.canvas.picture, size, interpolation=cv2.INTER_CUBIC), np.float32)
    canvas = canvas.filled(enlarged)
    sources, errors = _improved(canvas, _carried_over(canvas, coarse))
    canvas = _averaged(canvas, sources, errors)
    # Outside the hole, both differ only in detail, which must not leak into it.
    lost = np.where(canvas.hidden[..., None], enlarged - canvas.picture, 0)
    coarse_lost = cv2.GaussianBlur(lost, (0, 0), canvas.width / coarse.canvas.width)
    return _Matched(canvas.filled(canvas.picture + coarse_lost), sources)


def _carried_over(canvas: _Canvas, coarse: _Matched) -> _Indices:
    """The positions of the coarser matches for each centre; the centre itself without a match."""
    before, sources = coarse
    rows, columns = canvas.centres // canvas.stride - _RADIUS, canvas.centres % canvas.stride - _RADIUS
    down, right = np.zeros((2, len(before.colours)))
    down[before.centres] = sources // before.stride - before.centres // before.stride
    right[before.centres] = sources % before.stride - before.centres % before.stride
    at = (rows * before.height // canvas.height + _RADIUS) * before.stride
    at += columns * before.width // canvas.width + _RADIUS
    rows = rows + np.rint(down[at] * canvas.height / before.height).astype(np.intp)
    columns = columns + np.rint(right[at] * canvas.width / before.width).astype(np.intp)
    rows, columns = rows.clip(0, canvas.height - 1), columns.clip(0, canvas.width - 1)
    return np.asarray((rows + _RADIUS) * canvas.stride + columns + _RADIUS, np.intp)


def _improved(canvas: _Canvas, sources: _Indices) -> tuple[_Indices, Field]:
    """For each patch, the best of its own match and of those next to its neighbours' matches, with the
    errors."""
    wanted = canvas.patches(canvas.centres, _SPARSE_TAPS)
    number = np.full(len(canvas.colours), -1)
    number[canvas.centres] = np.arange(canvas.centres.size)
    sources = sources.copy()
    errors = _squared(canvas.patches(sources, _SPARSE_TAPS) - wanted)
    errors[~canvas.is_known[sources]] = np.inf
    for step in (1, canvas.stride, -1, -canvas.stride):
        neighbour = number[canvas.centres + step]
        beside = np.clip(sources[neighbour] - step, 0, len(canvas.colours) - 1)
        # Most neighbours were matched with neighbours, and have nothing new to offer.
        which = np.flatnonzero((neighbour >= 0) & canvas.is_known[beside] & (beside != sources))
        theirs = _squared(canvas.patches(beside[which], _SPARSE_TAPS) - wanted[which])
        is_better = theirs < errors[which]
        sources[which[is_better]] = beside[which[is_better]]
        errors[which[is_better]] = theirs[is_better]
    worst = errors[np.isfinite(errors)].max(initial=0)
    return _made_known(canvas, sources), np.minimum(errors, worst)


def _made_known(canvas: _Canvas, sources: _Indices) -> _Indices:
    """Unknown patches replaced by the nearest known ones."""
    known = np.flatnonzero(canvas.is_known)
    following = known[np.searchsorted(known, sources).clip(max=known.size - 1)]
    return np.where(canvas.is_known[sources], sources, following)
