"""Recognition of a text line: a convolutional network with greedy decoding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._onnx_graph import cpu_session
from convergebench.metrics._weights import path_of
from convergebench.metrics.ocr._weights import LINE_READER, PULL
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.metrics.ocr.line_detector import Quad

_HEIGHT, _LEAST_WIDTH = 48, 320
_UPRIGHT = 1.5
"""A line with at least this ratio of height to width is read downwards and upwards; the more confident
reading is used."""
_BLANK = 0


class LineReader:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._session = cpu_session(path_of(LINE_READER, PULL))
        known = self._session.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._characters = ["", *known, " "]

    def read(self, picture: Pixels, quad: Quad) -> tuple[str, float]:
        """The text within these corners, and the mean confidence in its characters."""
        line = _straightened(picture, quad)
        height, width, _ = line.shape
        if height < _UPRIGHT * width:
            return self._read(line)
        downwards, upwards = (self._read(np.rot90(line, turns)) for turns in (1, -1))
        return max(downwards, upwards, key=lambda reading: reading[1])

    def _read(self, line: Pixels) -> tuple[str, float]:
        (likelihoods,) = self._session.run(None, {"x": _network_input(line)})
        steps = likelihoods[0].argmax(axis=1)
        chosen = np.flatnonzero((steps != _BLANK) & (np.diff(steps, prepend=_BLANK) != 0))
        if chosen.size == 0:
            return "", 0.0
        text = "".join(self._characters[steps[place]] for place in chosen)
        return text, float(likelihoods[0][chosen, steps[chosen]].mean())


def _straightened(picture: Pixels, quad: Quad) -> Pixels:
    import cv2

    width = max(1, round(max(math.dist(quad[0], quad[1]), math.dist(quad[3], quad[2]))))
    height = max(1, round(max(math.dist(quad[0], quad[3]), math.dist(quad[1], quad[2]))))
    upright = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    transform = cv2.getPerspectiveTransform(quad, upright)
    line = cv2.warpPerspective(
        picture, transform, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(line, np.uint8)


def _network_input(line: Pixels) -> NDArray[np.float32]:
    """Blue, green and red from −1 to 1, at the network's height, with grey behind short lines."""
    import cv2

    height, width, _ = line.shape
    wide = max(1, math.ceil(_HEIGHT * width / height))
    resized = cv2.resize(np.ascontiguousarray(line), (wide, _HEIGHT))
    levels = np.zeros((1, 3, _HEIGHT, max(wide, _LEAST_WIDTH)), np.float32)
    levels[0, :, :, :wide] = resized[..., ::-1].transpose(2, 0, 1) / np.float32(127.5) - 1
    return levels
