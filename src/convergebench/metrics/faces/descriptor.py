"""Face descriptors: 128 numbers that are similar for pictures of the same person."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics.faces._graphs import LANDMARK_SIDE, landmark_session, recognition_session
from convergebench.metrics.faces.detector import FaceBox
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEFT_EYE, _RIGHT_EYE, _MOUTH = slice(36, 42), slice(42, 48), slice(48, 68)
# How dlib places its square: by the centres of eyes and mouth and their distance, as shares of the side.
_MIDDLE_X, _MIDDLE_Y, _EYES_TO_MOUTH = 0.5, 0.43, 0.45


class FaceDescriber:
    """dlib's residual network, on a square placed by 68 landmarks; safe to share between threads."""

    def __init__(self) -> None:
        self._landmarks = landmark_session()
        self._recognition = recognition_session()

    def descriptor(self, picture: Pixels, box: FaceBox) -> NDArray[np.float32] | None:
        """The descriptor of the face in this box; None if the landmarks are outside the picture."""
        face = _cut(picture, box.left, box.top, box.width, box.height)
        if face.size == 0:
            return None
        landmarks = self._places(face) * (face.shape[1], face.shape[0]) + (box.left, box.top)
        aligned = _cut(picture, *_aligned_square(landmarks, face))
        if aligned.size == 0:
            return None
        (descriptor,) = self._recognition.run(None, {"pictures": _squared(aligned)[None]})
        row: NDArray[np.float32] = descriptor[0]
        return row

    def _places(self, face: Pixels) -> NDArray[np.float64]:
        """Landmarks as x and y, relative to the face's width and height."""
        (places,) = self._landmarks.run(None, {"pictures": _squared(face)[None]})
        height, width = (side * LANDMARK_SIDE / max(face.shape[:2]) for side in face.shape[:2])
        margin = (max(height - width, 0) / 2, max(width - height, 0) / 2)
        found: NDArray[np.float64] = (places.reshape(68, 2) * LANDMARK_SIDE - margin) / (width, height)
        return found


def _aligned_square(landmarks: NDArray[np.float64], face: Pixels) -> tuple[int, int, int, int]:
    """Left, top, width and height, in whole pixels."""
    eyes_and_mouth = np.array([landmarks[part].mean(axis=0) for part in (_LEFT_EYE, _RIGHT_EYE, _MOUTH)])
    left_eye, right_eye, mouth = eyes_and_mouth
    distance = (math.dist(left_eye, mouth) + math.dist(right_eye, mouth)) / 2
    side = math.floor(distance / _EYES_TO_MOUTH)
    middle_x, middle_y = eyes_and_mouth.mean(axis=0)
    left = math.floor(max(0.0, middle_x - _MIDDLE_X * side))
    top = math.floor(max(0.0, middle_y - _MIDDLE_Y * side))
    return left, top, min(side, face.shape[1] + left), min(side, face.shape[0] + top)


def _cut(picture: Pixels, left: float, top: float, width: float, height: float) -> Pixels:
    """The part inside the picture, in whole pixels."""
    right, bottom = left + width, top + height
    left, top = max(left, 0.0), max(top, 0.0)
    wide = math.floor(min(right - left, picture.shape[1] - left))
    high = math.floor(min(bottom - top, picture.shape[0] - top))
    first_row, first_column = math.floor(top), math.floor(left)
    return picture[first_row : first_row + max(high, 0), first_column : first_column + max(wide, 0)]


def _squared(pixels: Pixels) -> Pixels:
    """Pad the shorter side with black on both ends; an odd pixel is added at the end."""
    height, width, _ = pixels.shape
    rows, columns = max(width - height, 0), max(height - width, 0)
    return np.pad(pixels, ((rows // 2, rows - rows // 2), (columns // 2, columns - columns // 2), (0, 0)))
