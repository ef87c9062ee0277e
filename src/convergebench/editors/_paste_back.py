"""An edit laid over the picture it was made of: outside its footprint the input stays as it is.

Product teams do this by hand to keep what was not edited. The footprint is found from the two pictures alone,
without the measures that judge the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.types import Pixels

SMOOTHING = 1 / 256
"""Of the longer side: noise and re-encoding below this scale are no edit."""
RISE = 24.0
"""Levels by which an edited place differs more than the picture's median place."""
MOST_WEAR = 10.0
"""The largest median difference, in levels, that is taken for wear; above it the whole picture changed."""
LEAST_AREA = 0.0005
"""A smaller share of the picture is no edit."""
MOST_AREA = 0.5
"""Where more was changed, the edit is one of the whole picture, and there is nothing to paste back."""
MARGIN = 1 / 48
"""Of the longer side: how far the footprint reaches beyond the edit. Half of it belongs to the edit."""
FEATHER = MARGIN / 4
"""The width of the soft edge: with this the edit itself stays whole, and the edge ends with the footprint."""


def pasted_back(source: Pixels, result: Pixels) -> Pixels:
    """The result inside its footprint, the source outside, with a soft edge. The result as it is, in its own
    size, where it changes most of the picture: a flip, a turn, another light."""
    from convergebench.picture import resized_to

    height, width = source.shape[:2]
    if is_turned((width, height), (result.shape[1], result.shape[0])):
        return result
    fitted = result if result.shape == source.shape else resized_to(result, width, height)
    change = _change(source, fitted)
    mask = _raised(change)
    if float(np.median(change)) > MOST_WEAR or mask.mean() > MOST_AREA:
        return result
    if not mask.any():
        return source.copy()
    weight = _feathered(mask)[..., None]
    return np.clip(np.rint(source * (1 - weight) + fitted * weight), 0, 255).astype(np.uint8)


def is_turned(sent: tuple[int, int], made: tuple[int, int]) -> bool:
    """Whether a result lies where its input stood, or stands where it lay; a square does neither.

    >>> is_turned((768, 512), (1024, 1536)), is_turned((768, 512), (1024, 1024))
    (True, False)
    """
    (sent_width, sent_height), (width, height) = sent, made
    return (sent_width - sent_height) * (width - height) < 0


def footprint(source: Pixels, result: Pixels) -> NDArray[np.bool_]:
    """Where a result of the same size was edited, with a margin."""
    return _raised(_change(source, result))


def _change(source: Pixels, result: Pixels) -> NDArray[np.float32]:
    """The difference of the smoothed pictures in levels, the largest of the channels."""
    import cv2

    sigma = max(1.0, SMOOTHING * max(source.shape[:2]))
    one, two = (cv2.GaussianBlur(pixels.astype(np.float32), (0, 0), sigma) for pixels in (source, result))
    return np.asarray(np.abs(one - two).max(axis=2))


def _raised(change: NDArray[np.float32]) -> NDArray[np.bool_]:
    import cv2

    longer = max(change.shape)
    raised = change > float(np.median(change)) + RISE
    count, labels, facts, _ = cv2.connectedComponentsWithStats(raised.astype(np.uint8))
    areas = facts[:, cv2.CC_STAT_AREA]
    large = [label for label in range(1, count) if areas[label] >= LEAST_AREA * raised.size]
    size = 2 * max(1, round(MARGIN * longer)) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return np.asarray(cv2.dilate(np.isin(labels, large).astype(np.uint8), disc) > 0)


def _feathered(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """1 inside, falling to 0 outside the mask."""
    import cv2

    sigma = max(1.0, FEATHER * max(mask.shape))
    size = 2 * round(2 * sigma) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    inner = cv2.erode(mask.astype(np.float32), disc)
    soft = cv2.GaussianBlur(inner, (0, 0), sigma)
    return np.asarray(np.where(mask, soft, 0.0), dtype=np.float32)
