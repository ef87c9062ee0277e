"""Detection of text lines: differentiable binarisation (Liao and others 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from convergebench.metrics._onnx_graph import cpu_session
from convergebench.metrics._weights import path_of
from convergebench.metrics.ocr._weights import LINE_DETECTOR, PULL
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Quad: TypeAlias = NDArray[np.float32]
    """The corners of a line in pixels, 4 × 2: top left, top right, bottom right, bottom left."""

SHORTER_SIDE, LONGER_SIDE = 736, 1472
"""Pictures are enlarged until the shorter side reaches the first, unless the longer one exceeds the
second."""
_MULTIPLE = 32
_INK, _LINE = 0.3, 0.5
"""The minimum probability of a text pixel, and the minimum mean probability of a line."""
_GROWTH = 1.6
"""The network marks the core of a line; it is grown on each side by this share of area over perimeter."""
_LEAST_SIDE = 3


class LineDetector:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._session = cpu_session(path_of(LINE_DETECTOR, PULL))

    def quads(self, picture: Pixels) -> list[Quad]:
        """In no particular order."""
        import cv2

        height, width, _ = picture.shape
        fitted = _fitted(picture)
        levels = fitted[..., ::-1].transpose(2, 0, 1)[None]
        (marked,) = self._session.run(None, {"x": levels.astype(np.float32) / 127.5 - 1})
        probability = marked[0, 0]
        ink = cv2.dilate((probability > _INK).astype(np.uint8), np.ones((2, 2), np.uint8))
        regions, _ = cv2.findContours(ink, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        scale = np.array([width / fitted.shape[1], height / fitted.shape[0]])
        rectangles = (cv2.minAreaRect(region) for region in regions)
        return [
            _ordered(cv2.boxPoints(_grown(rectangle)) * scale)
            for rectangle in rectangles
            if min(rectangle[1]) >= _LEAST_SIDE and _mean_within(probability, rectangle) >= _LINE
        ]


def _fitted(picture: Pixels) -> Pixels:
    """The picture at the network's input size, in multiples of 32."""
    import cv2

    height, width, _ = picture.shape
    scale = max(1.0, SHORTER_SIDE / min(height, width))
    scale = min(scale, LONGER_SIDE / max(height, width))
    sides = (max(_MULTIPLE, round(side * scale / _MULTIPLE) * _MULTIPLE) for side in (width, height))
    return np.asarray(cv2.resize(picture, tuple(sides), interpolation=cv2.INTER_LINEAR), np.uint8)


def _mean_within(probability: NDArray[np.float32], rectangle: Any) -> float:
    import cv2

    corners = cv2.boxPoints(rectangle)
    height, width = probability.shape
    left, top = np.clip(np.floor(corners.min(axis=0)), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(axis=0)), 0, (width - 1, height - 1)).astype(int)
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, [(corners - (left, top)).astype(np.int32)], (1,))
    return float(cv2.mean(probability[top : bottom + 1, left : right + 1], mask)[0])


def _grown(rectangle: Any) -> Any:
    centre, (width, height), angle = rectangle
    margin = _GROWTH * width * height / (2 * (width + height))
    return centre, (width + 2 * margin, height + 2 * margin), angle


def _ordered(corners: NDArray[np.float64]) -> Quad:
    by_column = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = (pair[np.argsort(pair[:, 1], kind="stable")] for pair in (by_column[:2], by_column[2:]))
    return np.array([left[0], right[0], right[1], left[1]], np.float32)
