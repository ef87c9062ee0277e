"""A smile: the corners of the mouth are moved outwards and up, and back again."""

from __future__ import annotations

import cv2
import numpy as np

from convergebench.editors.classical.faces import find_face
from convergebench.editors.classical.sprites import Field, Pose
from convergebench.types import Pixels

_PULLS: tuple[tuple[float, float, float, float, float], ...] = (
    (-0.165, 0.43, -0.030, -0.052, 0.085),
    (0.165, 0.43, 0.030, -0.052, 0.085),
    (0.0, 0.47, 0.0, 0.022, 0.09),
    (-0.27, 0.22, -0.006, -0.016, 0.09),
    (0.27, 0.22, 0.006, -0.016, 0.09),
)
"""x, y, pull right, pull down, reach, in widths of the face: corners of the mouth, lower lip, cheeks."""
_STEPS = 4
_LEAST_MOVE = 0.05


def smiling(pixels: Pixels) -> Pixels:
    """Raises `Refused` without a face."""
    face = find_face(pixels)
    x, y = _across_face(pixels, face)
    right, below = _pull(x, y)
    return _taken_from(pixels, face, x - right, y - below)


def neutral(pixels: Pixels) -> Pixels:
    """Undoes a smile: every point is sampled from the position to which smiling would have moved it."""
    face = find_face(pixels)
    x, y = _across_face(pixels, face)
    right, below = _pull(x, y)
    for _ in range(_STEPS):
        right, below = _pull(x + right, y + below)
    return _taken_from(pixels, face, x + right, y + below)


def _across_face(pixels: Pixels, face: Pose) -> tuple[Field, Field]:
    """Each pixel's position in widths of the face, relative to the point between the eyes."""
    height, width = pixels.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    cos, sin = _lean(face)
    right, down = (x - np.float32(face.x)) / face.size, (y - np.float32(face.y)) / face.size
    return np.asarray(right * cos + down * sin, np.float32), np.asarray(down * cos - right * sin, np.float32)


def _taken_from(pixels: Pixels, face: Pose, across: Field, down: Field) -> Pixels:
    """Every pixel is sampled from its position in the face; pixels that hardly move are unchanged."""
    cos, sin = _lean(face)
    x = np.asarray(face.x + face.size * (across * cos - down * sin), np.float32)
    y = np.asarray(face.y + face.size * (across * sin + down * cos), np.float32)
    moved = cv2.remap(pixels, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    rows, columns = np.indices(pixels.shape[:2], np.float32)
    still = np.hypot(x - columns, y - rows) < _LEAST_MOVE
    return np.where(still[..., None], pixels, moved).astype(np.uint8)


def _pull(across: Field, down: Field) -> tuple[Field, Field]:
    """The displacement of each point by a smile, in widths of the face."""
    right, below = np.zeros_like(across), np.zeros_like(down)
    for x, y, pull_right, pull_down, reach in _PULLS:
        near = np.exp(-((across - x) ** 2 + (down - y) ** 2) / np.float32(2 * reach**2))
        right += np.float32(pull_right) * near
        below += np.float32(pull_down) * near
    return right, below


def _lean(face: Pose) -> tuple[np.float32, np.float32]:
    angle = np.deg2rad(face.turn)
    return np.float32(np.cos(angle)), np.float32(np.sin(angle))
