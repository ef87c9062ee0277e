"""Text recognition: the lines of text in a picture, with position and content.

The networks are PaddleOCR's PP-OCRv6 (Apache-2.0), from the PyPI package rapidocr.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics.ocr._weights import WEIGHT_FILES
from convergebench.metrics.ocr.line_detector import LineDetector
from convergebench.metrics.ocr.line_reader import LineReader
from convergebench.types import Pixels

if TYPE_CHECKING:
    from convergebench.metrics.ocr.line_detector import Quad

__all__ = ["WEIGHT_FILES", "LineDetector", "LineReader", "TextLine", "TextReader"]


_UNSEEN_BLUR = 0.7
_UNSEEN_SHIFT = np.float32(1)
"""In pixels."""


class TextLine(NamedTuple):
    quad: Quad
    text: str
    confidence: float


class TextReader:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._detector = LineDetector()
        self._reader = LineReader()

    def lines(self, picture: Pixels) -> list[TextLine]:
        """All candidates for lines of text."""
        return [TextLine(quad, *self._reader.read(picture, quad)) for quad in self._detector.quads(picture)]

    def reread(self, picture: Pixels, lines: Sequence[TextLine]) -> list[tuple[str, ...]]:
        """Each line read again from variants of the picture that look the same to a person."""
        import cv2

        if not lines:
            return []
        blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), _UNSEEN_BLUR), np.uint8)
        return [
            (
                self._reader.read(blurred, line.quad)[0],
                self._reader.read(picture, line.quad + _UNSEEN_SHIFT)[0],
            )
            for line in lines
        ]
