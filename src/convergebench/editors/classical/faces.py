"""Where the face is, by OpenCV's cascades."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.sprites import Field, Pose
from convergebench.types import Pixels, Refused

_DETECTION_SIDE = 256
_EYE_SIDE = 128
_FACE_ATTEMPTS = (("frontalface_alt2", 1.2, 3), ("frontalface_default", 1.15, 5), ("frontalface_alt", 1.15, 3))
"""Cascades, the ratio between the sizes they try, and how many of their windows have to agree."""
_GUESSES = (("frontalface_alt2", 1.12, 1), ("frontalface_default", 1.15, 2))
_EYE_LINE = 0.39
"""Eyes lie at this share of a face box's height, where they cannot be seen themselves."""


class _Cascades(threading.local):
    """Each thread has its own: a cascade may not be used by two at once."""

    def __init__(self) -> None:
        self._loaded: dict[str, cv2.CascadeClassifier] = {}

    def __getitem__(self, name: str) -> cv2.CascadeClassifier:
        if name not in self._loaded:
            self._loaded[name] = cv2.CascadeClassifier(f"{cv2.data.haarcascades}haarcascade_{name}.xml")
        return self._loaded[name]


_cascades = _Cascades()


def find_face(pixels: Pixels) -> Pose:
    """The clearest face: the point between its eyes, the width of its box, its lean. Raises `Refused` for none."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    for x, y, width in _boxes(grey, _FACE_ATTEMPTS):
        return _between_eyes(grey, x, y, width)
    raise Refused("no face found")


def faces_perhaps(pixels: Pixels) -> Iterator[Pose]:
    """Places where a face may be, the likeliest first, for one that something covers; lean is not looked for."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    seen: list[Pose] = []
    for x, y, width in _boxes(grey, (*_FACE_ATTEMPTS, *_GUESSES)):
        pose = Pose(x + width / 2, y + _EYE_LINE * width, width)
        if not any(abs(pose.x - other.x) + abs(pose.y - other.y) < 0.2 * width for other in seen):
            seen.append(pose)
            yield pose


def _boxes(grey: NDArray[np.uint8], attempts: Sequence[tuple[str, float, int]]) -> Iterator[tuple[float, float, float]]:
    """Left, top and width of what the detectors take for faces; each attempt is only made when asked for more."""
    factor = _DETECTION_SIDE / max(grey.shape)
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    for cascade, ratio, agreement in attempts:
        boxes, votes = _cascades[cascade].detectMultiScale2(small, ratio, agreement, minSize=(28, 28))
        for index in np.argsort(-np.asarray(votes), kind="stable"):
            x, y, width, _ = (float(v) / factor for v in boxes[index])
            yield x, y, width


def _between_eyes(grey: NDArray[np.uint8], x: float, y: float, width: float) -> Pose:
    factor = _EYE_SIDE / width
    top, left = round(y + 0.18 * width), max(0, round(x))
    upper = grey[max(0, top) : round(y + 0.62 * width), left : round(x + width)]
    upper = cv2.resize(upper, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    found = _cascades["eye_tree_eyeglasses"].detectMultiScale(upper, 1.15, 3, minSize=(18, 18), maxSize=(52, 52))
    centres = [(left + (ex + ew / 2) / factor, max(0, top) + (ey + eh / 2) / factor) for ex, ey, ew, eh in found]
    for first, second in ((a, b) for a in centres for b in centres if a[0] < b[0]):
        across, down = second[0] - first[0], second[1] - first[1]
        middle = (first[0] + across / 2, first[1] + down / 2)
        is_centred = abs(middle[0] - x - width / 2) < 0.12 * width
        is_level = abs(middle[1] - y - _EYE_LINE * width) < 0.09 * width
        if 0.28 < across / width < 0.55 and abs(down) < 0.3 * across and is_centred and is_level:
            return Pose(middle[0], middle[1], width, float(np.rad2deg(np.arctan2(down, across))))
    return Pose(x + width / 2, y + _EYE_LINE * width, width)


def is_skin(colours: Field) -> NDArray[np.bool_]:
    """Which of these colours skin has, light or dark: between red and yellow, neither grey nor vivid."""
    red, green, blue = colours[..., 0], colours[..., 1], colours[..., 2]
    warmth = red - blue
    bright = red > 45
    return bright & (red > green) & (warmth > 0.08 * red) & (warmth < 0.72 * red) & (green - blue < 0.85 * warmth)
