from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from convergebench.editors.classical.patches import patched
from convergebench.editors.classical.removal import inpainted
from convergebench.types import Pixels


def grainy(height: int, width: int) -> Pixels:
    """Light ground to the left and dark to the right of a slanting edge, with grain."""
    y, x = np.mgrid[0:height, 0:width]
    ground = np.where(x > 0.4 * width + 0.2 * y, 60, 190)[..., None] + np.array([12, 0, -20])
    grain = np.random.default_rng(1).normal(0, 3, (height, width, 1))
    return np.clip(ground + grain, 0, 255).astype(np.uint8)


def hole_in(picture: Pixels, top: int, left: int, height: int, width: int) -> NDArray[np.uint8]:
    hole = np.zeros(picture.shape[:2], np.uint8)
    hole[top : top + height, left : left + width] = 1
    return hole


def error_in(hole: NDArray[np.uint8], picture: Pixels, filled: Pixels) -> float:
    return float(np.abs(picture.astype(int) - filled)[hole > 0].mean())


def test_an_edge_is_continued_through_the_hole_better_than_by_opencv() -> None:
    picture = grainy(160, 200)
    hole = hole_in(picture, 50, 70, 45, 55)
    covered = np.where(hole[..., None] > 0, 0, picture).astype(np.uint8)
    filled = patched(covered, hole)
    assert error_in(hole, picture, filled) < 0.5 * error_in(hole, picture, inpainted(covered, hole))


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 90), st.integers(3, 90), st.randoms(use_true_random=False))
def test_any_hole_is_filled_and_what_is_around_it_stays(height: int, width: int, random: object) -> None:
    draw = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    picture = draw.integers(0, 256, (height, width, 3), dtype=np.uint8)
    top, left = int(draw.integers(0, height)), int(draw.integers(0, width))
    hole = hole_in(picture, top, left, int(draw.integers(1, height + 1)), int(draw.integers(1, width + 1)))
    filled = patched(picture, hole)
    assert filled.shape == picture.shape
    assert np.array_equal(filled[hole == 0], picture[hole == 0])


def test_a_hole_as_thin_as_a_line_is_filled(scene: Pixels) -> None:
    hole = hole_in(scene, 0, 333, scene.shape[0], 1)
    covered = np.where(hole[..., None] > 0, 0, scene).astype(np.uint8)
    assert error_in(hole, scene, patched(covered, hole)) < 4


def test_a_picture_that_is_all_hole_comes_back_as_opencv_leaves_it() -> None:
    picture = grainy(40, 50)
    hole = np.ones((40, 50), np.uint8)
    assert np.array_equal(patched(picture, hole), inpainted(picture, hole))


def test_without_a_hole_the_picture_itself_comes_back() -> None:
    picture = grainy(40, 50)
    assert patched(picture, np.zeros((40, 50), np.uint8)) is picture


FILL = """
import hashlib
import numpy as np
from convergebench.editors.classical.patches import patched
picture = np.random.default_rng(4).integers(0, 256, (12, 15, 3), dtype=np.uint8).repeat(12, 0).repeat(12, 1)
hole = np.zeros(picture.shape[:2], np.uint8)
hole[30:120, 40:120] = 1
print(hashlib.sha256(patched(picture, hole).tobytes()).hexdigest())
"""


def test_the_fill_does_not_depend_on_the_number_of_threads() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", FILL],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(digests) == 1
