"""Face detection with OpenCV's cascades."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.sprites import Field, Point, Pose
from convergebench.types import Pixels, Refused

_CASCADES = Path(cv2.__file__).parent / "data"
_DETECTION_SIDE = 256
_EYE_SIDE = 128
_EYE_LINE = 0.39
"""The position of eyes that are not detected, as a share of the face box's height."""


class _Attempt(NamedTuple):
    cascade: str
    ratio: float
    """The ratio between the sizes of face that are tried."""
    agreement: int
    """The number of windows that must detect the same face."""


_CERTAIN = (
    _Attempt("frontalface_alt2", 1.2, 3),
    _Attempt("frontalface_default", 1.15, 5),
    _Attempt("frontalface_alt", 1.15, 3),
)
_GUESSES = (_Attempt("frontalface_alt2", 1.12, 1), _Attempt("frontalface_default", 1.15, 2))


class _Cascades(threading.local):
    """One per thread, because a cascade must not be used by two threads at once."""

    def __init__(self) -> None:
        self._loaded: dict[str, cv2.CascadeClassifier] = {}

    def __getitem__(self, name: str) -> cv2.CascadeClassifier:
        if name not in self._loaded:
            self._loaded[name] = cv2.CascadeClassifier(str(_CASCADES / f"haarcascade_{name}.xml"))
        return self._loaded[name]


_cascades = _Cascades()


def find_face(pixels: Pixels) -> Pose:
    """The clearest face: the point between its eyes, its width and its tilt. Raises `Refused` without a
    face."""
    grey = _grey(pixels)
    for x, y, width in _boxes(grey, _CERTAIN):
        return _between_eyes(grey, x, y, width)
    raise Refused("no face found")


def faces_perhaps(pixels: Pixels) -> Iterator[Pose]:
    """Possible positions of a partly covered face, the likeliest first; its tilt is unknown."""
    grey = _grey(pixels)
    seen: list[Pose] = []
    for x, y, width in _boxes(grey, (*_CERTAIN, *_GUESSES)):
        pose = Pose(x + width / 2, y + _EYE_LINE * width, width)
        if not any(abs(pose.x - other.x) + abs(pose.y - other.y) < 0.2 * width for other in seen):
            seen.append(pose)
            yield pose


def _grey(pixels: Pixels) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)


def _boxes(grey: NDArray[np.uint8], attempts: Sequence[_Attempt]) -> Iterator[tuple[float, float, float]]:
    """Left, top and width of detected faces; each attempt is made only if the previous one found none."""
    factor = _DETECTION_SIDE / max(grey.shape)
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    for cascade, ratio, agreement in attempts:
        boxes, votes = _cascades[cascade].detectMultiScale2(small, ratio, agreement, minSize=(28, 28))
        for index in np.argsort(-np.asarray(votes), kind="stable"):
            x, y, width, _ = (float(v) / factor for v in boxes[index])
            yield x, y, width


def _between_eyes(grey: NDArray[np.uint8], x: float, y: float, width: float) -> Pose:
    eyes = _eyes(grey, x, y, width)
    for first, second in ((a, b) for a in eyes for b in eyes if a[0] < b[0]):
        across, down = second[0] - first[0], second[1] - first[1]
        middle = (first[0] + across / 2, first[1] + down / 2)
        is_centred = abs(middle[0] - x - width / 2) < 0.12 * width
        is_level = abs(middle[1] - y - _EYE_LINE * width) < 0.09 * width
        if 0.28 < across / width < 0.55 and abs(down) < 0.3 * across and is_centred and is_level:
            return Pose(middle[0], middle[1], width, float(np.rad2deg(np.arctan2(down, across))))
    return Pose(x + width / 2, y + _EYE_LINE * width, width)


def _eyes(grey: NDArray[np.uint8], x: float, y: float, width: float) -> list[Point]:
    """Centres of possible eyes in the upper part of a face."""
    left, top = max(0, round(x)), max(0, round(y + 0.18 * width))
    upper = grey[top : round(y + 0.62 * width), left : round(x + width)]
    factor = _EYE_SIDE / width
    large = cv2.resize(upper, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    eyes = _cascades["eye_tree_eyeglasses"]
    found = eyes.detectMultiScale(large, 1.15, 3, minSize=(18, 18), maxSize=(52, 52))
    return [(float(left + (u + w / 2) / factor), float(top + (v + h / 2) / factor)) for u, v, w, h in found]


def is_skin(colours: Field) -> NDArray[np.bool_]:
    """Which of these colours are skin colours, light or dark: between red and yellow, neither grey nor
    vivid."""
    red, green, blue = colours[..., 0], colours[..., 1], colours[..., 2]
    warmth = red - blue
    is_warm = (warmth > 0.08 * red) & (warmth < 0.72 * red) & (green - blue < 0.85 * warmth)
    return is_warm & (red > green) & (red > 45)
