"""Small scenes for the mini-suites: a ball, a house and a tree before a sky, each in other colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convergebench.types import Pixels

WIDTH, HEIGHT = 96, 72


def mini_scene(number: int) -> bytes:
    """The scene of this number as a PNG file, the same on every machine."""
    from convergebench.picture.stable_png import stable_png

    return stable_png(_drawn(number))


def _drawn(number: int) -> Pixels:
    import numpy as np

    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    hue = np.array([(number * 53) % 200, (number * 97 + 60) % 200, (number * 151 + 120) % 200])
    pixels = np.empty((HEIGHT, WIDTH, 3), np.int64)
    pixels[:] = [120, 170, 220]
    pixels -= (y // 2)[..., None]
    pixels[y > 50] = [90, 130, 70]
    pixels[(y > 26) & (y <= 54) & (abs(x - 66) < 16)] = 255 - hue
    pixels[(y > 12) & (y <= 26) & (abs(x - 66) < (y - 10))] = [130, 60, 50]
    left = 12 + number * 7 % 30
    pixels[(x - left) ** 2 + (y - 54) ** 2 < 64] = hue
    return pixels.clip(0, 255).astype(np.uint8)
