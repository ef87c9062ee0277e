"""Segmentation of the subject of a picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.faces import find_face
from convergebench.editors.classical.smoothing import brightness, guided
from convergebench.editors.classical.sprites import Field, Pose
from convergebench.types import Pixels, Refused

_SIDE = 128
_ROUNDS = 5
_LEAST, _MOST = 0.03, 0.75
"""The minimum and maximum share of a picture that a subject may fill."""


def subject_of(pixels: Pixels) -> Field:
    """A mask from 0 to 1 with soft edges: a person, or what differs from the borders; otherwise the near
    ground."""
    face = _face(pixels)
    cut = _cut(pixels, _around_person(pixels, face) if face else _around_middle(pixels))
    return cut if _LEAST < cut.mean() < _MOST else _near_ground(pixels)


def near_person(pixels: Pixels) -> Field:
    """The person whose face is visible, 0 to 1; empty without one."""
    face = _face(pixels)
    if face is None:
        return np.zeros(pixels.shape[:2], np.float32)
    return _cut(pixels, _around_person(pixels, face))


def _face(pixels: Pixels) -> Pose | None:
    try:
        return find_face(pixels)
    except Refused:
        return None


def _cut(pixels: Pixels, guess: NDArray[np.uint8]) -> Field:
    """GrabCut from a first guess on a small copy, with the edges of the full picture."""
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, guess.shape[::-1], interpolation=cv2.INTER_AREA)
    labels, models = guess.copy(), (np.zeros((1, 65)), np.zeros((1, 65)))
    cv2.setRNGSeed(1)  # its clusters are initialised randomly
    cv2.grabCut(small, labels, (0, 0, 1, 1), *models, _ROUNDS, cv2.GC_INIT_WITH_MASK)
    inside = np.isin(labels, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.float32)
    whole = np.asarray(cv2.medianBlur(inside.astype(np.uint8), 5), np.float32)
    rough = cv2.resize(whole, (width, height), interpolation=cv2.INTER_LINEAR)
    guide = brightness(pixels.astype(np.float32))
    soft = guided(guide, np.asarray(rough, np.float32), max(3, min(height, width) // 50), 10.0)
    return np.asarray(np.clip((soft - 0.5) * 1.8 + 0.5, 0, 1), np.float32)


def _blank(pixels: Pixels, label: int) -> tuple[NDArray[np.uint8], float]:
    height, width = pixels.shape[:2]
    factor = min(1.0, _SIDE / max(height, width))
    shape = (max(8, round(height * factor)), max(8, round(width * factor)))
    return np.full(shape, label, np.uint8), factor


def _around_person(pixels: Pixels, face: Pose) -> NDArray[np.uint8]:
    """The outline of a head with hair, and shoulders down to the picture's edge."""
    guess, factor = _blank(pixels, cv2.GC_BGD)
    x, y, size = face.x * factor, face.y * factor, face.size * factor
    rows = len(guess)

    def body(half: float, top: float, label: int) -> None:
        outline = [(x - 0.3 * size, y + top * size), (x + 0.3 * size, y + top * size),
                   (x + half * size, y + (top + 0.7) * size), (x + 1.15 * half * size, rows),
                   (x - 1.15 * half * size, rows), (x - half * size, y + (top + 0.7) * size)]  # fmt: skip
        cv2.fillPoly(guess, [np.round(outline).astype(np.int32)], label)

    def head(rx: float, ry: float, label: int) -> None:
        middle, axes = (round(x), round(y + 0.05 * size)), (round(rx * size), round(ry * size))
        cv2.ellipse(guess, middle, axes, face.turn, 0, 360, label, -1)

    body(2.2, 0.3, cv2.GC_PR_BGD)
    head(1.05, 1.2, cv2.GC_PR_BGD)
    body(1.5, 0.55, cv2.GC_PR_FGD)
    head(0.62, 0.8, cv2.GC_PR_FGD)
    body(0.7, 0.9, cv2.GC_FGD)
    head(0.38, 0.48, cv2.GC_FGD)
    return guess


def _around_middle(pixels: Pixels) -> NDArray[np.uint8]:
    """A region in the centre that does not touch the sides or the top."""
    guess, _ = _blank(pixels, cv2.GC_BGD)
    rows, columns = guess.shape
    guess[rows // 16 :, columns // 16 : -columns // 16] = cv2.GC_PR_BGD
    middle = (columns // 2, round(0.55 * rows))
    for share, label in ((0.34, cv2.GC_PR_FGD), (0.1, cv2.GC_FGD)):
        axes = (round(share * columns), round(share * rows))
        cv2.ellipse(guess, middle, axes, 0, 0, 360, label, -1)
    return guess


def _near_ground(pixels: Pixels) -> Field:
    height, width = pixels.shape[:2]
    column = np.clip((np.linspace(0, 1, height, dtype=np.float32) - 0.68) / 0.14, 0, 1)
    return np.repeat(column[:, None], width, axis=1)
