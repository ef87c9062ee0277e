from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from convergebench.types import Pixels


def made_scene(height: int, width: int) -> Pixels:
    """A wall, a floor and a dark doorway, with a little noise."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    floor = y > 0.55 * height
    red = np.where(floor, 168 + 20 * x / width, 202 - 30 * y / height)
    green = np.where(floor, 152 + 10 * x / width, 208 - 25 * y / height)
    blue = np.where(floor, 130.0, 200 + 15 * x / width)
    scene = np.dstack([red, green, blue])
    scene[int(0.1 * height) : int(0.55 * height), int(0.1 * width) : int(0.3 * width)] = (70, 60, 66)
    noise = np.random.default_rng(0).normal(0, 2, (height, width, 1))
    return np.clip(scene + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="session")
def scene_of() -> Callable[[int, int], Pixels]:
    """Makes a scene of any height and width."""
    return made_scene


@pytest.fixture(scope="session")
def scene() -> Pixels:
    return made_scene(360, 480)


@pytest.fixture(scope="session")
def portrait() -> Pixels:
    """Eileen Collins, looking at the camera."""
    from skimage.data import astronaut

    return np.asarray(astronaut()[:384, 64:448], np.uint8)


@pytest.fixture(scope="session")
def landscape() -> Pixels:
    """Sky, hills, a meadow with tufts, and dark firs, 256 pixels wide and high."""
    y, x = np.mgrid[0:256, 0:256].astype(np.float32) / 256
    random = np.random.default_rng(2)
    tufts = cv2.GaussianBlur(random.standard_normal((256, 256)).astype(np.float32), (0, 0), 1.5)[..., None]
    sky = np.dstack([110 + 70 * y, 150 + 60 * y, 215 + 0 * y])
    hills = np.dstack([96 - 40 * x, 104 - 20 * x, 84 - 10 * x]) + 40 * tufts
    meadow = np.dstack([90 + 40 * x, 112 + 30 * x, 40 + 20 * y]) + 90 * tufts
    picture = np.where((y > 0.38 + 0.06 * np.sin(9 * x))[..., None], hills, sky)
    picture = np.where((y > 0.56)[..., None], meadow, picture)
    for middle, foot in ((0.15, 0.7), (0.3, 0.66), (0.8, 0.75)):
        is_fir = (y < foot) & (np.abs(x - middle) < 0.3 * (y - foot + 0.4))
        picture[is_fir & (y > foot - 0.4)] = (22, 44, 26)
    return np.clip(picture + random.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
