"""Maps of change: CIEDE2000 of each pixel as a small picture, with one colour scale for all maps.

A map is a PNG with a palette. The index of a pixel encodes its ΔE, linear in log(1 + ΔE), so that the numbers
can be read back from the file. The palette defines how they look.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.metrics.drift import change_map
from convergebench.picture import resized_to
from convergebench.report.page.palette_png import palette_png
from convergebench.types import Digest, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Changes = NDArray[np.float32]

SIDE = 256
"""The longer side of a small map, in pixels."""
MEAN_SIDE = 96
_NOTICED, _MOST = 1.0, 100.0
_LEVELS = 255
_HEAT = np.array([(0, 0, 0), (80, 18, 123), (182, 54, 121), (251, 136, 97), (252, 253, 191)], np.float64)


def map_name(source: Digest, result: Digest) -> str:
    return f"{result[:2]}/{source}-{result}.png"


def thinned(pixels: Pixels) -> Pixels:
    """Every n-th pixel, so that SIDE is not exceeded: averaging pixels would hide noise."""
    step = -(-max(pixels.shape[:2]) // SIDE)
    return np.ascontiguousarray(pixels[::step, ::step])


def full_map(source: Pixels, result: Pixels) -> bytes:
    """The map at the source's size. The result is resized to it, as for the metrics."""
    height, width = source.shape[:2]
    return drawn(change_map(source, resized_to(result, width, height)))


def small_maps(small_source: Pixels, size: tuple[int, int], results: Sequence[Pixels]) -> list[bytes]:
    """The map of each result at every n-th pixel; `size` is the source's own width and height.

    All are computed at once: for small pictures, most of the time is that of the calls.
    """
    small = [thinned(resized_to(one, *size)) for one in results]
    changes = change_map(np.concatenate([small_source] * len(small)), np.concatenate(small))
    return [drawn(one) for one in np.split(changes, len(small))]


def drawn(changes: Changes) -> bytes:
    levels = np.rint(np.log1p(np.minimum(changes, _MOST)) * (_LEVELS / np.log1p(_MOST)))
    return palette_png(levels.astype(np.uint8), _palette())


def read_back(png: bytes) -> Changes:
    """The ΔE that a map shows, to about one part in a hundred."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        levels = np.asarray(picture, np.float32)
    return np.asarray(np.expm1(levels * np.float32(np.log1p(_MOST) / _LEVELS)), np.float32)


def mean_map(maps: Iterable[bytes]) -> bytes | None:
    """The mean over maps of any size, each stretched to one square; None if there is no map."""
    import cv2

    total, count = np.zeros((MEAN_SIDE, MEAN_SIDE), np.float64), 0
    for png in maps:
        total += cv2.resize(read_back(png), (MEAN_SIDE, MEAN_SIDE), interpolation=cv2.INTER_AREA)
        count += 1
    return drawn((total / count).astype(np.float32)) if count else None


def colours_of(changes: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Black up to ΔE 1, which is not noticeable; logarithmic above."""
    place = np.log(np.clip(changes, _NOTICED, _MOST)) / np.log(_MOST) * (len(_HEAT) - 1)
    channels = [np.interp(place, np.arange(len(_HEAT)), _HEAT[:, channel]) for channel in range(3)]
    return np.asarray(np.rint(np.stack(channels, axis=-1)), np.uint8)


@cache
def _palette() -> bytes:
    return colours_of(np.expm1(np.arange(_LEVELS + 1) * np.log1p(_MOST) / _LEVELS)).tobytes()


def scale() -> list[dict[str, Any]]:
    """The legend: colours from ΔE 1 to 100 on a logarithmic scale."""
    changes = np.geomspace(_NOTICED, _MOST, 33)
    return [
        {"delta": float(change), "colour": f"rgb({red} {green} {blue})"}
        for change, (red, green, blue) in zip(changes, colours_of(changes).tolist(), strict=True)
    ]
