"""Refines a pose to a fraction of a pixel, by the Gauss–Newton method."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.smoothing import spread
from convergebench.editors.classical.sprites import Field, Pose, Sprite, lay
from convergebench.types import Pixels

_PASSES = 6
_MARGIN = 3
_LEAST_STEPS, _MOST_STEPS = 0.02, 4.0


@dataclass(frozen=True)
class _View:
    """The part of a picture around a thing; only pixels where the thing is expected count."""

    left: int
    top: int
    seen: Field
    """One row of the colours that count."""
    ground: Field
    counts: NDArray[np.bool_]

    def expected(self, sprite: Sprite, pose: NDArray[np.float64]) -> Field:
        """The colours that count with the sprite at a pose (x, y, size, turn)."""
        x, y, size, turn = (float(value) for value in pose)
        picture = self.ground.copy()
        layer = lay(sprite, Pose(x - self.left, y - self.top, size, turn), *self.counts.shape)
        if layer is not None:
            ground = picture[layer.window]
            picture[layer.window] = ground + (layer.colours - ground) * layer.alpha[..., None]
        return picture[self.counts].ravel()


def aligned(pixels: Pixels, sprite: Sprite, pose: Pose, may_turn: bool) -> Pose:
    """The pose near this one at which the sprite on its surroundings differs least from the picture."""
    view = _view(pixels, sprite, pose)
    steps = np.diag([0.5, 0.5, 0.004 * pose.size, 0.4])[: 4 if may_turn else 3]
    best = np.array(astuple(pose))
    expected = view.expected(sprite, best)
    for _ in range(_PASSES):
        missing = view.seen - expected
        slopes = np.stack([view.expected(sprite, best + step) - expected for step in steps])
        move, *_ = np.linalg.lstsq(_products(slopes, slopes), _products(slopes, missing[None]), rcond=None)
        moved = best + np.clip(move[:, 0], -_MOST_STEPS, _MOST_STEPS) @ steps
        expected = view.expected(sprite, moved)
        if np.square(view.seen - expected).sum() >= np.square(missing).sum():
            break
        best = moved
        if np.abs(move).max() < _LEAST_STEPS:
            break
    return Pose(*(float(value) for value in best))


def _products(rows: Field, others: Field) -> Field:
    """The product of every row with every other; not by BLAS, whose sums depend on its number of threads."""
    return np.asarray(np.einsum("ik,jk->ij", rows, others), np.float32)


def _view(pixels: Pixels, sprite: Sprite, pose: Pose) -> _View:
    layer = lay(sprite, pose, *pixels.shape[:2])
    assert layer is not None
    rows, columns = layer.window
    top, left = max(0, rows.start - _MARGIN), max(0, columns.start - _MARGIN)
    picture = pixels[top : rows.stop + _MARGIN, left : columns.stop + _MARGIN].astype(np.float32)
    covered = np.zeros(pixels.shape[:2], np.uint8)
    covered[layer.window] = layer.alpha > 0.5
    near = covered[top : rows.stop + _MARGIN, left : columns.stop + _MARGIN]
    counts = cv2.dilate(near, np.ones((5, 5), np.uint8)) > 0
    ground = spread(picture, (~counts).astype(np.float32), 0.03 * pose.size + 1)
    return _View(left, top, picture[counts].ravel(), ground, counts)
