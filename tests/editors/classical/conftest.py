from __future__ import annotations

from collections.abc import Callable

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
