"""Paint for sprites: colour with light from the upper left, gloss and fur."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from convergebench.editors.classical.sprites import PIXELS_PER_UNIT, Colour, Field, Sprite

_LIGHT = np.array([-0.45, -0.65, 0.62], np.float32)


@dataclass(frozen=True)
class Finish:
    """The material of a surface: roundness of its edges, gloss and hairiness."""

    bevel: float = 0.03
    gloss: float = 0.0
    hair: float = 0.0
    opacity: float = 1.0


MATTE = Finish()
FLAT = Finish(bevel=0.0)


def paint(sprite: Sprite, mask: Field, colour: Colour, finish: Finish = MATTE) -> Sprite:
    """The sprite with paint added inside the mask."""
    coat = np.empty_like(sprite.colours)
    coat[:] = colour
    if finish.bevel > 0:
        diffuse, shine = _lighting(mask, finish.bevel)
        coat = coat * diffuse[..., None] + (finish.gloss * 255) * shine[..., None]
    if finish.hair > 0:
        coat = coat * (1 + finish.hair * _hair(mask.shape[0], mask.shape[1]))[..., None]
    over = mask * np.float32(finish.opacity)
    alpha = over + sprite.alpha * (1 - over)
    mixed = coat * over[..., None] + sprite.colours * (sprite.alpha * (1 - over))[..., None]
    colours = np.clip(mixed / np.maximum(alpha, np.float32(1e-4))[..., None], 0, 255)
    return replace(sprite, colours=colours.astype(np.float32), alpha=alpha)


def _lighting(mask: Field, bevel: float) -> tuple[Field, Field]:
    """Diffuse and specular light on the mask, shaped like a cushion whose edges are rounded by `bevel`."""
    radius = bevel * PIXELS_PER_UNIT
    inside = np.pad((mask > 0.5).astype(np.uint8), 1)
    depth = np.asarray(cv2.distanceTransform(inside, cv2.DIST_L2, 5), np.float32)[1:-1, 1:-1]
    rise = np.clip(depth / radius, 0, 1)
    height = cv2.GaussianBlur(np.sqrt(1 - (1 - rise) ** 2) * radius, (0, 0), max(1.0, radius * 0.12))
    across = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=1 / 8)
    down = cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=1 / 8)
    length = np.sqrt(across**2 + down**2 + 1)
    facing = np.clip((-across * _LIGHT[0] - down * _LIGHT[1] + _LIGHT[2]) / length, 0, 1)
    diffuse = np.asarray(0.42 + 0.86 * facing, np.float32)
    return diffuse, np.asarray(facing**24, np.float32)


@cache
def _hair(height: int, width: int) -> Field:
    """Strands: noise that is smooth along the vertical, with standard deviation 1."""
    noise = np.random.default_rng(7).standard_normal((height, width)).astype(np.float32)
    strands = cv2.GaussianBlur(noise, (0, 0), sigmaX=2.0, sigmaY=10.0)
    return np.asarray(strands / strands.std(), np.float32)
