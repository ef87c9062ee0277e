"""Carrying out a command on pixels."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np

from convergebench.editors.classical.accessories import ACCESSORIES
from convergebench.editors.classical.faces import faces_perhaps, find_face, is_skin
from convergebench.editors.classical.instructions import Command
from convergebench.editors.classical.matching import Search, find
from convergebench.editors.classical.objects import OBJECTS
from convergebench.editors.classical.placement import calm_ground
from convergebench.editors.classical.removal import erase
from convergebench.editors.classical.sprites import Layer, Pose, Sprite, lay
from convergebench.types import Pixels, Refused

SMALLEST_SIDE = 64
_WORN_SIDE, _STANDING_SIDE, _PICTURE_SIDE = 56, 34, 160
"""Pixels to which a thing, or a whole picture, is reduced for a first look."""
_MOST_FACES = 3
_LEANS = (-6.0, 0.0, 6.0)
_NEAR_SIZES = (0.84, 0.92, 1.0, 1.08, 1.17)
_MANY_SIZES = (0.82, 0.88, 0.94, 1.0, 1.06, 1.13, 1.2)
_SAME_SIZES = (0.92, 1.0, 1.08)
_FACE_SIZES = tuple(0.15 * 1.12**step for step in range(15))
"""Widths of faces as shares of a picture's shorter side."""


def carry_out(pixels: Pixels, command: Command) -> Pixels:
    """A new picture; raises `Refused` where the command cannot be carried out on this one."""
    match command.action:
        case "flip":
            return np.ascontiguousarray(np.flip(pixels, axis=1))
        case "rotate clockwise":
            return np.ascontiguousarray(np.rot90(pixels, k=-1))
        case "rotate counter-clockwise":
            return np.ascontiguousarray(np.rot90(pixels, k=1))
    if min(pixels.shape[:2]) < SMALLEST_SIDE:
        raise Refused(f"the picture is smaller than {SMALLEST_SIDE} pixels")
    if command.thing == "watch":
        raise Refused("no wrist is visible")
    return _add(pixels, command.thing) if command.action == "add" else _remove(pixels, command.thing)


def _add(pixels: Pixels, thing: str) -> Pixels:
    if thing in ACCESSORIES:
        accessory = ACCESSORIES[thing]
        sprite, pose = accessory.draw(), find_face(pixels)
        pose = pose if accessory.leans else Pose(pose.x, pose.y, pose.size)
    else:
        sprite = OBJECTS[thing].draw()
        half_width = max(-sprite.sheet.left, sprite.sheet.right)
        pose = calm_ground(pixels, _object_size(pixels, thing), half_width)
    layer = lay(sprite, pose, *pixels.shape[:2])
    if layer is None or layer.alpha.sum() < 0.5 * _area(sprite, pose):
        raise Refused(f"there is no room for the {thing}")
    return _composited(pixels, layer)


def _remove(pixels: Pixels, thing: str) -> Pixels:
    pose = _worn(pixels, thing) if thing in ACCESSORIES else _standing(pixels, thing)
    if pose is None:
        raise Refused(f"found no {thing} to remove")
    sprite = ACCESSORIES[thing].draw() if thing in ACCESSORIES else OBJECTS[thing].draw()
    layer = lay(sprite, pose, *pixels.shape[:2])
    assert layer is not None
    return erase(pixels, layer)


def _worn(pixels: Pixels, thing: str) -> Pose | None:
    """Near a face; or on skin anywhere, if the thing may hide the face from the detector."""
    accessory = ACCESSORIES[thing]
    sprite = accessory.draw()
    steps, turns = (_NEAR_SIZES, _LEANS) if accessory.leans else (_MANY_SIZES, (0.0,))
    for face in islice(faces_perhaps(pixels), _MOST_FACES):
        reach = 0.17 * face.size
        near = Search(face.x - reach, face.y - reach, face.x + reach, face.y + reach,
                      [face.size * step for step in steps], turns,
                      min(1.0, _WORN_SIDE / (sprite.longest_side * face.size)))  # fmt: skip
        fit = find(pixels, sprite, near)
        if fit is not None and fit.explained > 0.75 and fit.error < 40:
            return fit.pose
    if not accessory.hides_face:
        return None
    height, width = pixels.shape[:2]
    sizes = [min(height, width) * step for step in _FACE_SIZES]
    anywhere = Search(0, 0, width, height, sizes, turns,
                      min(1.0, _PICTURE_SIDE / max(height, width)), is_skin)  # fmt: skip
    fit = find(pixels, sprite, anywhere)
    return fit.pose if fit is not None and fit.explained > 0.93 and fit.error < 24 else None


def _standing(pixels: Pixels, thing: str) -> Pose | None:
    height, width = pixels.shape[:2]
    sprite, size = OBJECTS[thing].draw(), _object_size(pixels, thing)
    anywhere = Search(0, 0, width, height, [size * step for step in _SAME_SIZES], (0.0,),
                      min(1.0, _STANDING_SIDE / (sprite.longest_side * size)))  # fmt: skip
    fit = find(pixels, sprite, anywhere)
    return fit.pose if fit is not None and fit.explained > 0.6 and fit.error < 40 else None


def _object_size(pixels: Pixels, thing: str) -> float:
    return OBJECTS[thing].height * min(pixels.shape[:2])


def _area(sprite: Sprite, pose: Pose) -> float:
    rows, columns = sprite.sheet.shape
    units = (sprite.sheet.right - sprite.sheet.left) * (sprite.sheet.bottom - sprite.sheet.top)
    return float(sprite.alpha.sum()) / (rows * columns) * units * pose.size**2


def _composited(pixels: Pixels, layer: Layer) -> Pixels:
    """The layer over the picture, with the picture's own noise on it."""
    ground = pixels[layer.window].astype(np.float32)
    noise = np.random.default_rng(5).standard_normal(layer.alpha.shape).astype(np.float32)
    thing = layer.colours + 0.7 * _noise_of(pixels) * noise[..., None]
    alpha = layer.alpha[..., None]
    mixed = ground * (1 - layer.shadow[..., None]) * (1 - alpha) + thing * alpha
    result = pixels.copy()
    result[layer.window] = np.clip(mixed.round(), 0, 255).astype(np.uint8)
    return result


def _noise_of(pixels: Pixels) -> float:
    """Standard deviation of the noise, by the median of a filter that is blind to smooth ground and edges."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    return min(6.0, 1.4826 * float(np.median(np.abs(cv2.filter2D(grey, -1, kernel)))))
