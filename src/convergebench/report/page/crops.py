"""Where a return differs most, magnified: the source's region and the return's beside each other."""

from __future__ import annotations

import io

import numpy as np

from convergebench.errors import WrongUse
from convergebench.metrics.flip import WorstBox
from convergebench.picture import resized_to
from convergebench.types import Digest, Pixels

SIDE = 160
"""Of each of the two crops, in pixels."""
GAP = 4


def crop_name(source: Digest, result: Digest, box: WorstBox) -> str:
    """The box is in the name: another version of the metric may find another one."""
    return f"{result[:2]}/{source}-{result}-{'-'.join(map(str, box))}.jpg"


def crop_pair(source: Pixels, result: Pixels, box: WorstBox) -> bytes:
    """A JPEG file: left the source, right the result in the source's size."""
    from PIL import Image

    height, width = source.shape[:2]
    gap = np.full((SIDE, GAP, 3), 255, np.uint8)
    parts = (_crop(source, box), gap, _crop(resized_to(result, width, height), box))
    file = io.BytesIO()
    Image.fromarray(np.concatenate(parts, axis=1)).save(file, "JPEG", quality=88)
    return file.getvalue()


def _crop(pixels: Pixels, box: WorstBox) -> Pixels:
    import cv2

    part = pixels[box.top : box.top + box.height, box.left : box.left + box.width]
    if min(box) < 0 or not part.size:
        raise WrongUse(f"there is no region {tuple(box)} in a picture")
    way = cv2.INTER_AREA if min(part.shape[:2]) > SIDE else cv2.INTER_NEAREST
    return np.asarray(cv2.resize(part, (SIDE, SIDE), interpolation=way), np.uint8)
