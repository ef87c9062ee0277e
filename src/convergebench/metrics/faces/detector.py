"""Face detection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics.faces._graphs import DETECTOR_SIDE, detector_session
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_SCORE = 0.5
_SAME_FACE_OVERLAP = 0.5


@dataclass(frozen=True)
class FaceBox:
    """In pixels of the picture; the score is the detector's confidence, from 0 to 1."""

    left: float
    top: float
    width: float
    height: float
    score: float

    @property
    def area(self) -> float:
        return self.width * self.height

    def overlap(self, other: FaceBox) -> float:
        """The area of both over the area of either, from 0 to 1.

        >>> FaceBox(0, 0, 2, 2, 1.0).overlap(FaceBox(1, 0, 2, 2, 1.0)) == 1 / 3
        True
        """
        width = min(self.left + self.width, other.left + other.width) - max(self.left, other.left)
        height = min(self.top + self.height, other.top + other.height) - max(self.top, other.top)
        common = max(width, 0.0) * max(height, 0.0)
        either = self.area + other.area - common
        return common / either if either > 0 else 0.0


class FaceDetector:
    """A single-shot detector on MobileNet v1; safe to share between threads."""

    def __init__(self) -> None:
        self._session = detector_session()

    def boxes(self, picture: Pixels) -> list[FaceBox]:
        """The faces with a confidence of at least one half, most confident first."""
        height, width, _ = picture.shape
        longer = max(height, width)
        square = np.pad(picture, ((0, longer - height), (0, longer - width), (0, 0)))
        corners, scores = self._session.run(None, {"pictures": square[None]})
        # The program rounds the picture's share of the square to whole pixels of the network's input size.
        sides = np.array([height, width])
        scales = sides * DETECTOR_SIDE / np.floor(sides * DETECTOR_SIDE / longer + 0.5)
        found = [
            _box(corners[place], scales, float(scores[place]))
            for place in np.argsort(-scores, kind="stable")
            if scores[place] > LEAST_SCORE
        ]
        return _distinct(found)


def _box(corners: NDArray[np.float32], scales: NDArray[np.float64], score: float) -> FaceBox:
    top, left = (np.maximum(corners[:2], 0) * scales).tolist()
    bottom, right = (np.minimum(corners[2:], 1) * scales).tolist()
    return FaceBox(left, top, right - left, bottom - top, score)


def _distinct(boxes: list[FaceBox]) -> list[FaceBox]:
    """Non-maximum suppression: of boxes by score, those that overlap no earlier one by half."""
    chosen: list[FaceBox] = []
    for box in boxes:
        if all(box.overlap(other) <= _SAME_FACE_OVERLAP for other in chosen):
            chosen.append(box)
    return chosen


def has_face(picture: Pixels) -> bool:
    """Whether a face is found in the picture, so that it may count as a portrait.

    Faces of animals may be detected too. Raises MetricUnavailable if the weights have not been pulled.
    """
    return bool(_shared_detector().boxes(picture))


@cache
def _shared_detector() -> FaceDetector:
    return FaceDetector()
