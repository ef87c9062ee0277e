"""Flips and rotations: pixels change their positions only."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from convergebench.editors.classical.instructions import Action
from convergebench.types import Pixels

TURNS: Mapping[Action, Callable[[Pixels], Pixels]] = {
    "flip": lambda pixels: np.ascontiguousarray(np.flip(pixels, axis=1)),
    "flip vertically": lambda pixels: np.ascontiguousarray(np.flip(pixels, axis=0)),
    "rotate clockwise": lambda pixels: np.ascontiguousarray(np.rot90(pixels, k=-1)),
    "rotate counter-clockwise": lambda pixels: np.ascontiguousarray(np.rot90(pixels, k=1)),
    "rotate halfway": lambda pixels: np.ascontiguousarray(np.rot90(pixels, k=2)),
}
