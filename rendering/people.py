"""Portraits of people who do not exist."""

from __future__ import annotations

import bpy
import hairstyles
import materials as m
import nature
import shapes
import studio
import trees
import vessels
from album import picture
from bodies import Pose
from mathutils import Vector
from nature_views import SPRING, SUMMER
from places import Room, Window
from rooms import DARK_OAK, shelf_of_books
from sitters import TURNED, Colours, Sitter, Top, expression, figure

FAIR, ROSY = (0.55, 0.33, 0.235), (0.6, 0.36, 0.28)


def _key_light(eye: Vector, watts: float = 30, side: float = -1, fill: float = 0.15, rim: float = 22) -> None:
    """A large window on one side of the face, and a smaller light from behind on the other."""
    studio.overcast(fill)
    studio.area_light(eye + Vector((side * 1.4, -1.2, 0.7)), eye, watts, 1.1, (1, 0.96, 0.91))
    studio.area_light(eye + Vector((-side * 1.3, 1.0, 0.5)), eye, rim, 0.6, (0.95, 0.97, 1))


def _bright_window(y: float = 4.6) -> None:
    """An overcast day outside."""
    shapes.plane(m.glow((0.8, 0.9, 1.0), 1.6), (0, y, 1.5), (9, 5), (90, 0, 0))


def _fine(samples: int = 80) -> None:
    """Hair needs more light paths than furniture, and faces a little more light."""
    cycles = bpy.context.scene.cycles
    studio.expose(0.45)
    cycles.samples, cycles.adaptive_threshold = samples, 0.012
    cycles.denoising_prefilter, cycles.denoising_quality = "ACCURATE", "HIGH"


@picture("man_in_blue", 501)
def _(seed: int) -> None:
    colours = Colours(FAIR, (0.42, 0.15, 0.13), (0.1, 0.05, 0.02), (0.8, 0.45))
    sitter = Sitter(figure("caucasian", "male") | expression(0.2, 0.55), colours)
    stand = sitter.beside(14, 1.35)
    sitter.appear(Top(m.fabric((0.07, 0.11, 0.22), 900)), stand, seed)
    hairstyles.crop(sitter.head, sitter.hair, seed)
    shapes.plane(m.plaster((0.36, 0.4, 0.4)), (0, 2.2, 1.5), (9, 7), (90, 0, 0))
    _key_light(sitter.eye)
    studio.camera(stand, sitter.eye + Vector((0.02, 0, -0.045)), 105, 5.6)
    _fine()


@picture("woman_with_curls", 502)
def _(seed: int) -> None:
    colours = Colours((0.15, 0.07, 0.042), (0.2, 0.06, 0.055), (0.03, 0.015, 0.01), (1.0, 0.1))
    sitter = Sitter(figure("african", "female") | expression(0.3, 0.45), colours)
    stand = sitter.beside(-12, 1.35)
    sitter.appear(Top(m.fabric((0.55, 0.3, 0.05), 900), folds=0.008), stand, seed, 0.8)
    hairstyles.curls(sitter.head, sitter.hair, seed)
    kinds = [trees.bush(seed + kind, colours, 1.4) for kind, colours in enumerate((SUMMER, SPRING))]
    for number in range(26):
        x, y = -7 + number % 13 * 1.15, 4.2 + number // 13 * 2.2
        nature.stand(kinds[number % 2], (x, y, -0.1 + number // 13 * 0.7), 1.6, number)
    studio.clouded_sky(40, 130, 0.075, 0.5)
    studio.area_light(sitter.eye + Vector((-1.2, -1.6, 0.5)), sitter.eye, 16, 1.4)
    studio.camera(stand, sitter.eye + Vector((-0.01, 0, -0.035)), 120, 3.2)
    _fine()


@picture("woman_with_long_hair", 503, (512, 768))
def _(seed: int) -> None:
    colours = Colours(ROSY, (0.5, 0.19, 0.18), (0.1, 0.16, 0.2), (0.5, 0.75))
    sitter = Sitter(figure("caucasian", "female") | expression(0.3, 0.45), colours)
    stand = sitter.beside(16, 1.6)
    sitter.appear(Top(m.fabric((0.09, 0.2, 0.16), 900), folds=0.008), stand, seed, 0.75)
    hairstyles.long(sitter.head, sitter.hair, seed, 0.21)
    shapes.plane(m.plaster((0.62, 0.5, 0.4)), (0, 2.4, 1.5), (9, 7), (90, 0, 0))
    shapes.framed_picture(
        ((0.1, 0.2, 0.3), (0.5, 0.5, 0.45), (0.6, 0.3, 0.15)), (-0.75, 2.37, 1.62), (0.6, 0.8), 0, 1
    )
    _key_light(sitter.eye, 30, 1, 0.3)
    studio.camera(stand, sitter.eye + Vector((0.0, 0, -0.07)), 110, 4)
    _fine()


@picture("old_man_with_books", 504)
def _(seed: int) -> None:
    colours = Colours((0.55, 0.33, 0.25), (0.4, 0.17, 0.15), (0.1, 0.14, 0.18), (0.045, 0.0))
    sitter = Sitter(figure("caucasian", "male", "old") | expression(0.15, 0.5), colours)
    stand = sitter.beside(-16, 1.4)
    sitter.appear(Top(m.fabric((0.12, 0.05, 0.04), 900), neckline=0.03), stand, seed, 1.2)
    hairstyles.swept_back(sitter.head, sitter.hair, seed, 0.05)
    hairstyles.beard(sitter.head, sitter.hair, seed, 0.009)
    shapes.plane(m.plaster((0.3, 0.32, 0.28)), (0, 2.4, 1.5), (9, 7), (90, 0, 0))
    for row in range(4):
        for column in (-1, 0, 1):
            shelf_of_books(column * 1.25, 2.38, (0.7 + row * 0.36,), seed + row * 3 + column, 1.2)
    _key_light(sitter.eye, 38, 1, 0.2)
    studio.camera(stand, sitter.eye + Vector((0, 0, -0.045)), 100, 3.5)
    _fine()


@picture("woman_by_the_window", 505, (768, 512))
def _(seed: int) -> None:
    colours = Colours((0.46, 0.28, 0.18), (0.4, 0.12, 0.11), (0.05, 0.025, 0.01), (0.97, 0.2))
    sitter = Sitter(figure("asian", "female") | expression(0.35, 0.4), colours, TURNED)
    stand = sitter.beside(-22, 1.3)
    sitter.appear(Top(m.fabric((0.5, 0.48, 0.44), 900), folds=0.007), stand, seed, 0.42)
    hairstyles.long(sitter.head, sitter.hair, seed, 0.09, 0.012, 0.001)
    Room(walls=(0.55, 0.6, 0.62), floor=m.planks(DARK_OAK), windows=(Window(-0.9), Window(1.0))).build()
    studio.sky(35, 200, 0.25)
    studio.area_light(sitter.eye + Vector((1.5, -0.5, 0.6)), sitter.eye, 18, 0.9)
    studio.area_light((0, -1.0, 2.4), (0, 2, 1), 24, 1.5)
    studio.camera(stand, sitter.eye + Vector((0.09, 0, -0.04)), 80, 2.8)
    _fine()


_LEANING = Pose(
    {"clavicle.L": (0, 4, 0), "clavicle.R": (0, -4, 0)},
    {
        "upperarm01.L": (0.2, -0.35, -0.9, 0), "upperarm01.R": (-0.2, -0.35, -0.9, 0),
        "lowerarm01.L": (-0.4, -0.9, -0.06, 45), "lowerarm01.R": (0.4, -0.9, -0.06, -45),
        "wrist.L": (-0.4, -0.9, -0.12, 65), "wrist.R": (0.4, -0.9, -0.12, -65),
    },
)  # fmt: skip
"""Both forearms on a table."""


@picture("man_at_table", 506, (512, 768))
def _(seed: int) -> None:
    colours = Colours((0.3, 0.165, 0.1), (0.3, 0.12, 0.1), (0.05, 0.025, 0.01), (0.95, 0.2))
    sitter = Sitter(figure("asian", "male") | expression(0.3, 0.5), colours, _LEANING)
    stand = sitter.beside(8, 1.6, 0.05)
    sitter.appear(Top(m.fabric((0.4, 0.42, 0.42), 900), 0.68, folds=0.008), stand, seed)
    hairstyles.crop(sitter.head, sitter.hair, seed, 0.035, 0.008)
    table = sitter.body.centre("joint-l-hand")[2] - 0.045
    shapes.box(m.wood((0.3, 0.16, 0.08)), (0, -0.16 - 0.6, table - 0.04), (4, 1.2, 0.04), 0, 0.006)
    vessels.cup(m.ceramic((0.7, 0.68, 0.62)), (0.25, -0.27, table), (0.2, 0.07, 0.02))
    Room(walls=(0.4, 0.46, 0.44), floor=m.planks(DARK_OAK), windows=(Window(-1.0),)).build()
    _bright_window()
    _key_light(sitter.eye, 34, -1)
    studio.camera(stand, sitter.eye + Vector((0.0, 0, -0.23)), 64, 5.6)
    _fine()


@picture("hands_on_table", 507)
def _(seed: int) -> None:
    colours = Colours(FAIR, (0.42, 0.15, 0.13), (0.1, 0.05, 0.02), (0.8, 0.45))
    sitter = Sitter(figure("caucasian", "female") | expression(0.2, 0.5), colours, _LEANING)
    hand = Vector(sitter.body.centre("joint-l-hand"))
    table = hand.z - 0.036
    sitter.appear(Top(m.fabric((0.06, 0.09, 0.16), 900), 1.15), hand, seed)
    shapes.box(m.wood((0.46, 0.29, 0.15)), (0, -0.16 - 0.6, table - 0.04), (4, 1.2, 0.04), 0, 0.006)
    shapes.book((0.45, 0.1, 0.06), (0.3, -0.33, table), turn=20)
    shapes.plane(m.plaster((0.5, 0.5, 0.46)), (0, 2.2, 1.5), (9, 7), (90, 0, 0))
    _key_light(hand, 22, 1)
    studio.camera(hand + Vector((0.25, -0.7, 0.42)), hand + Vector((-0.075, -0.01, 0.0)), 74, 8)
    _fine(64)


@picture("woman_at_cafe", 508, (768, 768))
def _(seed: int) -> None:
    colours = Colours((0.22, 0.105, 0.06), (0.26, 0.08, 0.075), (0.04, 0.02, 0.01), (0.97, 0.2))
    sitter = Sitter(figure("african", "female") | expression(0.45, 0.35), colours, _LEANING)
    stand = sitter.beside(-14, 1.75, 0.06)
    sitter.appear(Top(m.fabric((0.5, 0.07, 0.06), 900), 0.66, folds=0.008), stand, seed, 0.7)
    hairstyles.long(sitter.head, sitter.hair, seed, 0.2, -0.012, 0.008)
    table = sitter.body.centre("joint-l-hand")[2] - 0.036
    shapes.box(m.marble(), (0, -0.16 - 0.6, table - 0.03), (4, 1.2, 0.03), 0, 0.006)
    vessels.cup(m.ceramic((0.1, 0.25, 0.28)), (-0.27, -0.3, table), (0.2, 0.07, 0.02))
    shapes.plane(m.bricks(), (0, 3.0, 1.5), (9, 5), (90, 0, 0))
    _key_light(sitter.eye, 40, 1, 0.35, 30)
    studio.area_light((0, 1.5, 3), (0, 3, 1.4), 60, 1.5, (1, 0.9, 0.75))
    studio.camera(stand, sitter.eye + Vector((0.02, 0, -0.225)), 74, 4)
    _fine()


@picture("old_woman_at_table", 509)
def _(seed: int) -> None:
    colours = Colours(ROSY, (0.5, 0.2, 0.18), (0.1, 0.16, 0.2), (0.05, 0.0))
    sitter = Sitter(figure("caucasian", "female", "old") | expression(0.35, 0.45), colours, _LEANING)
    stand = sitter.beside(10, 1.7, 0.06)
    sitter.appear(Top(m.fabric((0.1, 0.16, 0.3), 900), 0.66, folds=0.008), stand, seed, 0.8)
    hairstyles.long(sitter.head, sitter.hair, seed, 0.09, 0.012, 0.001)
    table = sitter.body.centre("joint-l-hand")[2] - 0.036
    shapes.box(m.wood((0.42, 0.26, 0.14)), (0, -0.16 - 0.6, table - 0.03), (4, 1.2, 0.03), 0, 0.006)
    shapes.book((0.1, 0.22, 0.2), (0.3, -0.33, table), turn=-15)
    Room(walls=(0.62, 0.58, 0.5), floor=m.planks(DARK_OAK), windows=(Window(1.0),)).build()
    _bright_window()
    _key_light(sitter.eye, 38, -1, 0.3)
    studio.camera(stand, sitter.eye + Vector((0.0, 0, -0.22)), 70, 5.6)
    _fine()
