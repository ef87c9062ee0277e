"""Small pictures for strips and grids, named by digest."""

from __future__ import annotations

from convergebench.types import Digest, Pixels

SIDE = 224


def thumbnail(pixels: Pixels) -> bytes:
    """A JPEG file whose longer side has at most SIDE pixels."""
    import cv2

    height, width = pixels.shape[:2]
    share = SIDE / max(height, width)
    if share < 1:
        size = (max(1, round(width * share)), max(1, round(height * share)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    # Ten times as fast as WebP, which makes files of this size no smaller.
    _, file = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 82])
    return file.tobytes()


def thumbnail_name(digest: Digest) -> str:
    """Its path among the thumbnails."""
    return f"{digest[:2]}/{digest}.jpg"
