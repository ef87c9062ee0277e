"""Chains drawn in code whose truth is known: what was added where, what came back, what the rest became."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.metrics._lpips_map import lpips_with
from convergebench.metrics.base import MetricOptions
from convergebench.metrics.flip import flip_against
from convergebench.metrics.regions import (
    EditScope,
    Footprint,
    LocatedEdit,
    ReferencePicture,
    ReturnRegions,
    locate_edit,
    measure_return,
)
from convergebench.types import Pixels

HEIGHT, WIDTH = 120, 144
CENTRE, RADIUS = (50, 62), 18
"""Of the disc that is added: across and down."""
RED = (205, 35, 40)
LPIPS = lpips_with(MetricOptions(device="cpu"))


def room(height: int = HEIGHT, width: int = WIDTH, seed: int = 0) -> Pixels:
    """A wall above a floor of boards, with boxes before it and some grain."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width].astype(np.float32)
    wall = np.stack([200 - 30 * x / width, 190 - 25 * y / height, 175 + 0 * x], axis=-1)
    boards = np.stack([150 + 18 * np.sin(x / 5), 115 + 14 * np.sin(x / 5), 80 + 0 * x], axis=-1)
    scene = np.where((y > 0.6 * height)[..., None], boards, wall)
    for _ in range(7):
        left, top = random.integers(0, width - 28), random.integers(0, height - 28)
        right, bottom = left + random.integers(10, 28), top + random.integers(10, 28)
        scene[top:bottom, left:right] = random.integers(40, 220, 3)
    return levels(scene + random.normal(0, 3, scene.shape))


def levels(values: NDArray[np.floating]) -> Pixels:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


def disc_mask(
    centre: tuple[int, int] = CENTRE,
    radius: int = RADIUS,
    height: int = HEIGHT,
    width: int = WIDTH,
) -> NDArray[np.bool_]:
    y, x = np.mgrid[:height, :width]
    return (x - centre[0]) ** 2 + (y - centre[1]) ** 2 <= radius**2


def painted(pixels: Pixels, mask: NDArray[np.bool_], colour: tuple[int, int, int] = RED) -> Pixels:
    result = pixels.copy()
    result[mask] = colour
    return result


def noised(pixels: Pixels, sigma: float, seed: int = 1) -> Pixels:
    return levels(pixels + np.random.default_rng(seed).normal(0, sigma, pixels.shape))


def tinted(pixels: Pixels, amount: float) -> Pixels:
    return levels(pixels + np.array([0.0, amount, 0.0]))


def moved(pixels: Pixels, right: float, down: float, zoom: float = 1.0) -> Pixels:
    """As if more of the scene were seen at the border: mirrored there, since nothing else is known."""
    height, width, _ = pixels.shape
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), 0, zoom)
    matrix[:, 2] += right, down
    flags, border = cv2.INTER_CUBIC, cv2.BORDER_REFLECT
    return np.asarray(
        cv2.warpAffine(pixels, matrix, (width, height), flags=flags, borderMode=border), np.uint8
    )


@dataclass
class DrawnChain:
    """Measures rounds in order as a caller does: of earlier rounds only footprints are stored."""

    source: Pixels
    scope: EditScope = "local"
    stored: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reference = ReferencePicture(self.source, flip_against, LPIPS)
        self.input = self.reference

    def located(self, forward: Pixels) -> LocatedEdit:
        return locate_edit(self.input, forward, self.scope)

    def round(self, forward: Pixels, returned: Pixels) -> ReturnRegions:
        edit = self.located(forward)
        earlier = [Footprint.from_bytes(data) for data in self.stored]
        self.stored.append(edit.footprint.to_bytes())
        self.input = ReferencePicture(returned, flip_against, LPIPS)
        return measure_return(self.reference, edit, returned, earlier)
