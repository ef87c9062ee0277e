"""Removes a thing from a picture: restores what is visible through its shadow and glass, inpaints the
rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.editors.classical.sprites import Field, Layer
from convergebench.types import Pixels

Fill: TypeAlias = Callable[[Pixels, "NDArray[np.uint8]"], Pixels]
"""Inpaints a picture where the mask is 1; the result elsewhere is not used."""

_CONTEXT = 14
_LARGEST_HOLE = 2500
_TRANSLUCENT = 0.87
_OPAQUE = 0.5


def erase(pixels: Pixels, layer: Layer, fill: Fill) -> Pixels:
    """The picture without the layer; pixels outside the layer are unchanged."""
    height, width = pixels.shape[:2]
    rows, columns = layer.window
    around = (slice(max(0, rows.start - _CONTEXT), min(height, rows.stop + _CONTEXT)),
              slice(max(0, columns.start - _CONTEXT), min(width, columns.stop + _CONTEXT)))  # fmt: skip
    inset = ((rows.start - around[0].start, around[0].stop - rows.stop),
             (columns.start - around[1].start, around[1].stop - columns.stop))  # fmt: skip
    alpha, shadow, spared = (np.pad(plane, inset) for plane in (layer.alpha, layer.shadow, layer.spared))
    colours = np.pad(layer.colours, (*inset, (0, 0)))

    glass = _is_glass(alpha)
    hole = _grown((alpha > 0.04) & ~glass, 1 + round(0.004 * max(layer.alpha.shape)))
    clear = _without_veil(pixels[around].astype(np.float32), colours, np.where(glass, alpha, 0), shadow)
    result = pixels.copy()
    result[around] = np.clip(clear.round(), 0, 255)
    unknown = np.zeros(pixels.shape[:2], np.uint8)
    unknown[around] = hole | _grown(spared > 0.3, 2)
    filled = fill(result, unknown)
    result[around] = np.where(hole[..., None] > 0, filled[around], result[around])
    return result


def erase_closely(pixels: Pixels, layer: Layer, fill: Fill) -> Pixels:
    """The same for a layer at the exact position of the thing: only nearly opaque parts are inpainted."""
    hole = (layer.alpha >= _OPAQUE).astype(np.uint8)
    veil = np.where(hole > 0, 0, layer.alpha)
    result = pixels.copy()
    clear = _without_veil(pixels[layer.window].astype(np.float32), layer.colours, veil, layer.shadow)
    result[layer.window] = np.clip(clear.round(), 0, 255)
    unknown = np.zeros(pixels.shape[:2], np.uint8)
    unknown[layer.window] = hole | _grown(layer.spared > 0.3, 2)
    filled = fill(result, unknown)[layer.window]
    result[layer.window] = np.where(hole[..., None] > 0, filled, result[layer.window])
    return result


def inpainted(pixels: Pixels, hole: NDArray[np.uint8]) -> Pixels:
    """Inpainted by OpenCV, with the grain of its surroundings."""
    rows, columns = (np.flatnonzero(hole.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return pixels
    near = tuple(slice(max(0, int(at[0]) - _CONTEXT), int(at[-1]) + _CONTEXT + 1) for at in (rows, columns))
    result = pixels.copy()
    result[near] = _with_grain(_filled(pixels[near], hole[near]), hole[near])
    return result


def _is_glass(alpha: Field) -> NDArray[np.bool_]:
    """Where the thing is evenly transparent, so that the background can be computed."""
    kernel = np.ones((3, 3), np.uint8)
    even = cv2.dilate(alpha, kernel) - cv2.erode(alpha, kernel) < 0.05
    return (alpha > 0.04) & (alpha < _TRANSLUCENT) & even


def _without_veil(picture: Field, colours: Field, glass: Field, shadow: Field) -> Field:
    behind = (picture - colours * glass[..., None]) / (1 - glass)[..., None]
    return np.asarray(behind / (1 - shadow)[..., None], np.float32)


def _grown(mask: NDArray[np.bool_], radius: int) -> NDArray[np.uint8]:
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), np.uint8)


def _filled(picture: Pixels, hole: NDArray[np.uint8]) -> Pixels:
    """Inpainted; a large hole at a lower resolution, which is as smooth and much faster."""
    area = int(hole.sum())
    if area <= _LARGEST_HOLE:
        return np.asarray(cv2.inpaint(picture, hole, 3, cv2.INPAINT_TELEA), np.uint8)
    height, width = hole.shape
    factor = float(np.sqrt(_LARGEST_HOLE / area))
    size = (max(8, round(width * factor)), max(8, round(height * factor)))
    # The contents of the hole must not bleed into its surroundings when they are averaged.
    outside = (1 - hole).astype(np.float32)
    share = cv2.resize(outside, size, interpolation=cv2.INTER_AREA)
    kept = cv2.resize(picture.astype(np.float32) * outside[..., None], size, interpolation=cv2.INTER_AREA)
    small = np.clip(kept / np.maximum(share, np.float32(1e-3))[..., None], 0, 255).astype(np.uint8)
    painted = cv2.inpaint(small, (share < 0.3).astype(np.uint8), 3, cv2.INPAINT_TELEA)
    large = cv2.resize(painted, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.where(hole[..., None] > 0, large, picture).astype(np.uint8)


def _with_grain(picture: Pixels, hole: NDArray[np.uint8]) -> Pixels:
    """Add the fine noise of the surroundings to the hole, so that it does not look artificial."""
    around = (_grown(hole > 0, 8) > 0) & (_grown(hole > 0, 2) == 0)
    if not around.any():
        return picture
    detail = picture.astype(np.float32) - cv2.GaussianBlur(picture, (0, 0), 1.2).astype(np.float32)
    # Less than all of it, because part of that detail is texture and not noise.
    strength = 0.9 * float(np.median(np.abs(detail[around])))
    noise = np.random.default_rng(3).standard_normal(hole.shape).astype(np.float32) * np.float32(strength)
    grainy = np.clip((picture.astype(np.float32) + noise[..., None]).round(), 0, 255).astype(np.uint8)
    return np.where(hole[..., None] > 0, grainy, picture).astype(np.uint8)
