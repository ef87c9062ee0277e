"""Adds drawn things to pictures, and removes them again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from convergebench.editors.classical.accessories import ACCESSORIES
from convergebench.editors.classical.alignment import aligned
from convergebench.editors.classical.compositing import composited
from convergebench.editors.classical.faces import faces_perhaps, find_face, is_skin
from convergebench.editors.classical.matching import GlyphBox, Search, around, find
from convergebench.editors.classical.objects import OBJECTS
from convergebench.editors.classical.placement import calm_ground
from convergebench.editors.classical.removal import erase, erase_closely
from convergebench.editors.classical.sprites import PIXELS_PER_UNIT, Pose, Sprite, lay
from convergebench.editors.classical.technique import Technique
from convergebench.types import Pixels, Refused

_WORN_SIDE, _STANDING_SIDE = 56, 34
"""The size in pixels to which a thing is reduced for the first search."""
_MOST_FACES = 3
_LEANS = (-6.0, 0.0, 6.0)
_NEAR_SIZES = (0.84, 0.92, 1.0, 1.08, 1.17)
_MANY_SIZES = (0.82, 0.88, 0.94, 1.0, 1.06, 1.13, 1.2)
_SAME_SIZES = (0.92, 1.0, 1.08)
_FACE_SIZES = tuple([0.15 * 1.12**step for step in range(low, low + 5)] for low in (0, 5, 10))
"""Widths of faces as shares of a picture's shorter side, in bands."""


def added(pixels: Pixels, thing: str) -> Pixels:
    """The picture with the thing, on the detected face or on calm ground."""
    sprite = _sprite(thing)
    if thing in ACCESSORIES:
        face = find_face(pixels)
        pose = face if ACCESSORIES[thing].leans else Pose(face.x, face.y, face.size)
    else:
        half_width = max(-sprite.sheet.left, sprite.sheet.right)
        pose = calm_ground(pixels, _object_size(pixels, thing), half_width)
    layer = lay(sprite, pose, *pixels.shape[:2])
    if layer is None or layer.alpha.sum() < 0.5 * _area(sprite, pose):
        raise Refused(f"there is no room for the {thing}")
    return composited(pixels, layer)


def removed(pixels: Pixels, thing: str, technique: Technique) -> Pixels:
    """The picture without the thing, which must be found first; the technique fills the hole."""
    pose = _worn(pixels, thing) if thing in ACCESSORIES else _standing(pixels, thing)
    if pose is None:
        raise Refused(f"found no {thing} to remove")
    sprite = _sprite(thing)
    if technique.careful:
        leans = thing in ACCESSORIES and ACCESSORIES[thing].leans
        pose = aligned(pixels, sprite, pose, may_turn=leans)
    layer = lay(sprite, pose, *pixels.shape[:2])
    assert layer is not None
    return (erase_closely if technique.careful else erase)(pixels, layer, technique.fill)


def _worn(pixels: Pixels, thing: str) -> Pose | None:
    """Near a face; or on skin anywhere, if the thing may hide the face from the detector."""
    accessory, sprite = ACCESSORIES[thing], _sprite(thing)
    steps, turns = (_NEAR_SIZES, _LEANS) if accessory.leans else (_MANY_SIZES, (0.0,))
    for face in islice(faces_perhaps(pixels), _MOST_FACES):
        reach = 0.17 * face.size
        factor = min(1.0, _WORN_SIDE / (sprite.longest_side * face.size))
        near = Search(around(face.x, face.y, reach), [face.size * step for step in steps], turns, factor)
        fit = find(pixels, sprite, near)
        if fit is not None and fit.explained > 0.75 and fit.error < 40:
            return fit.pose
    return _worn_anywhere(pixels, sprite, turns) if accessory.hides_face else None


def _worn_anywhere(pixels: Pixels, sprite: Sprite, turns: Sequence[float]) -> Pose | None:
    """On skin, at any size that a face may have; small sizes need a higher resolution than large ones."""
    height, width = pixels.shape[:2]
    fits = []
    for band in _FACE_SIZES:
        sizes = [min(height, width) * share for share in band]
        factor = min(1.0, _WORN_SIDE / (sprite.longest_side * sizes[-1]))
        fits.append(
            find(pixels, sprite, Search(GlyphBox(0, 0, width, height), sizes, turns, factor, is_skin))
        )
    best = max((fit for fit in fits if fit is not None), key=lambda fit: fit.explained, default=None)
    return best.pose if best is not None and best.explained > 0.92 and best.error < 26 else None


def _standing(pixels: Pixels, thing: str) -> Pose | None:
    height, width = pixels.shape[:2]
    sprite, size = _sprite(thing), _object_size(pixels, thing)
    factor = min(1.0, _STANDING_SIDE / (sprite.longest_side * size))
    sizes = [size * step for step in _SAME_SIZES]
    fit = find(pixels, sprite, Search(GlyphBox(0, 0, width, height), sizes, (0.0,), factor))
    return fit.pose if fit is not None and fit.explained > 0.6 and fit.error < 40 else None


def _sprite(thing: str) -> Sprite:
    return ACCESSORIES[thing].draw() if thing in ACCESSORIES else OBJECTS[thing].draw()


def _object_size(pixels: Pixels, thing: str) -> float:
    return OBJECTS[thing].height * float(min(pixels.shape[:2]))


def _area(sprite: Sprite, pose: Pose) -> float:
    """Pixels that it would cover if the picture had no borders."""
    return float(sprite.alpha.sum()) * (pose.size / PIXELS_PER_UNIT) ** 2
