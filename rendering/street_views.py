"""Houses, gardens and streets."""

from __future__ import annotations

import bpy
import materials as m
import models
import natural_materials as natural
import nature
import shapes
import studio
import trees
from album import picture
from nature_views import GRASS, SPRING, SUMMER

ROOF = (0.2, 0.07, 0.045)


def house(
    at: tuple[float, float],
    size: tuple[float, float, float] = (7, 6, 3),
    walls: bpy.types.Material | None = None,
    roof: m.Colour = ROOF,
    door: str = "exterior-door-01",
    columns: tuple[float, ...] = (-2.3, 2.3),
) -> None:
    """A house with a saddle roof whose front looks to -y: a door in the middle, windows beside it."""
    x, y = at
    wide, deep, high = size
    wall = walls or m.plaster((0.72, 0.68, 0.58))
    shapes.box(wall, (x, y + deep / 2, 0), (wide, deep, high), 0, 0)
    front = shapes.plane(wall, (x, y - 0.01, high / 2), (wide, high), (90, 0, 0))
    front.name = "front"
    _roof(x, y, wide, deep, high, roof, wall)
    entrance = models.place(door, (x, y - 0.06, 0.12), 0, 2.1)
    entrance.name = "door"
    shapes.box(m.concrete(), (x, y - 0.5, 0), (1.6, 0.9, 0.12))
    trim, dark = m.plain((0.85, 0.85, 0.83), 0.4), m.plain((0.04, 0.05, 0.07), 0.05)
    for along in columns:
        shapes.box(dark, (x + along, y - 0.02, 1.0), (1.1, 0.04, 1.25))
        for offset in (-0.55, 0, 0.55):
            shapes.box(trim, (x + along + offset, y - 0.06, 1.0), (0.07, 0.06, 1.25))
        for height in (0.96, 1.6, 2.22):
            shapes.box(trim, (x + along, y - 0.06, height), (1.24, 0.08, 0.07))


def _roof(
    x: float, y: float, wide: float, deep: float, high: float, colour: m.Colour, gable: bpy.types.Material
) -> None:
    over, peak = 0.45, high + deep * 0.36
    left, right, front, back, middle = x - wide / 2, x + wide / 2, y, y + deep, y + deep / 2
    drop = over * 0.72
    points = [
        (left - over, front - over, high - drop), (right + over, front - over, high - drop),
        (right + over, middle, peak), (left - over, middle, peak),
        (left - over, back + over, high - drop), (right + over, back + over, high - drop),
    ]  # fmt: skip
    cover = nature.mesh_of(
        "roof", points, [(0, 1, 2, 3), (3, 2, 5, 4)], m.tiles(colour, m.scaled(colour, 0.4), 0.3, 0.1)
    )
    shell = cover.modifiers.new("thick", "SOLIDIFY")
    shell.thickness = 0.12
    bpy.context.collection.objects.link(cover)
    ends = [
        (side, place, rise)
        for side in (left, right)
        for place, rise in ((front, high), (back, high), (middle, peak - 0.1))
    ]
    sides = nature.mesh_of("gable", ends, [(0, 1, 2), (3, 5, 4)], gable)
    bpy.context.collection.objects.link(sides)


def _lawn(seed: int, x: tuple[float, float] = (-30, 30), y: tuple[float, float] = (-3, 60)) -> nature.Height:
    height = nature.hills(0.04, 6, seed)
    nature.land(height, natural.ground((0.04, 0.1, 0.02), (0.07, 0.14, 0.03), scale=1.2), x, y)
    return height


@picture("house_with_garden", 401, (768, 512))
def _(seed: int) -> None:
    height = _lawn(seed)
    house((0.5, 9), walls=m.plaster((0.75, 0.66, 0.45)))
    shapes.box(m.tiles((0.4, 0.37, 0.33), (0.2, 0.19, 0.17), 0.4, 0.0), (0.5, 4.5, 0.02), (1.3, 9, 0.05))
    tree = trees.tree(seed, SUMMER, 7)
    nature.stand(tree, (-4.6, 8.5, 0), 1, 1)
    nature.stand(tree, (7.5, 15, 0), 1.2, 3)
    nature.stand(tree, (-7.5, 18, 0), 1.3, 2)
    hedge = trees.bush(seed, SPRING, 1.0)
    for x in (-2.6, -1.6, 2.6, 3.5, 4.4):
        nature.stand(hedge, (x, 8.2, 0), 0.8, x)
    flowers = [
        nature.flower(seed + kind, colour, 0.3)
        for kind, colour in enumerate(((0.7, 0.08, 0.1), (0.8, 0.6, 0.1), (0.7, 0.4, 0.7)))
    ]
    nature.strew(flowers, 160, (-3, 4), (6.6, 7.7), height, seed, allowed=lambda x, y: abs(x - 0.5) > 0.9)
    tufts = [nature.grass_tuft(seed + kind, GRASS, 0.07) for kind in range(3)]
    nature.strew(
        tufts, 3000, (-6, 7), (0.3, 9), height, seed, allowed=lambda x, y: abs(x - 0.5) > 0.75, thinning=1.5
    )
    studio.clouded_sky(42, 130, 0.08, 0.4)
    studio.camera((-1.6, -1.6, 1.7), (0.3, 8, 1.9), 31)


@picture("brick_house_evening", 402)
def _(seed: int) -> None:
    height = _lawn(seed)
    house((0, 8), (6.4, 6, 3), m.bricks(), (0.09, 0.09, 0.1), "exterior-door-05", (-2.1, 2.1))
    tree = trees.tree(seed, SPRING, 6)
    nature.stand(tree, (4.6, 7.5, 0), 1, 1)
    nature.stand(tree, (-6.0, 13, 0), 1.3, 4)
    models.place("mofx_mailbox", (-1.9, 3.6, 0), 20)
    hedge = trees.bush(seed, SUMMER, 1.0)
    for x in (-2.9, -1.9, 1.9, 2.9):
        nature.stand(hedge, (x, 7.3, 0), 0.75, x)
    tufts = [nature.grass_tuft(seed + kind, GRASS, 0.08) for kind in range(3)]
    nature.strew(tufts, 2600, (-5, 5), (0.3, 7.6), height, seed, thinning=1.4)
    studio.sky(12, 150, 0.16, 1.5)
    studio.camera((-1.2, -1.4, 1.6), (0.1, 8, 1.9), 33)


@picture("parked_car", 405, (768, 512))
def _(seed: int) -> None:
    shapes.plane(m.concrete((0.12, 0.12, 0.125)), (0, 20, 0), (120, 60))
    shapes.box(m.concrete((0.45, 0.44, 0.42)), (0, 8.6, 0), (80, 2.2, 0.14))
    models.place("concept-sedan-01v2", (0, 5.6, 0), 90)
    house((-4.5, 10.5), (8.6, 7, 3.2), m.bricks(), (0.1, 0.1, 0.11), "exterior-door-05", (-2.6, 2.6))
    house((4.8, 10.5), (8.6, 7, 3.2), m.plaster((0.72, 0.7, 0.62)), ROOF, "exterior-door-01", (-2.6, 2.6))
    models.place("classic-lamppost", (-2.9, 8.2, 0.14), 0)
    tree = trees.tree(seed, SUMMER, 6)
    nature.stand(tree, (3.4, 8.8, 0.14), 1, 2)
    studio.clouded_sky(38, 135, 0.08, 0.4)
    studio.camera((-1.5, -1.8, 1.5), (0.1, 5.8, 0.95), 36)


@picture("terrace_with_chairs", 406)
def _(seed: int) -> None:
    height = _lawn(seed)
    shapes.box(m.planks((0.36, 0.2, 0.11), 0.12, 0.1), (0, 2.6, 0), (6, 5.2, 0.1))
    models.place("cafe-table", (0.2, 3.4, 0.1), 0)
    for x, y, turn in ((-0.6, 3.5, 70), (1.0, 3.45, -75)):
        models.place("cafe-chair", (x, y, 0.1), turn)
    models.place("tulip", (0.2, 3.4, 0.82), 0, 0.26)
    models.place("flowerBox", (-1.9, 4.9, 0.1), 0)
    models.place("flowerBox", (1.9, 4.9, 0.1), 0)
    tree = trees.tree(seed, SPRING, 6)
    for x, y in ((-4, 10), (0.5, 13), (5, 11)):
        nature.stand(tree, (x, y, 0), 1, x)
    hedge = trees.bush(seed, SUMMER, 1.4)
    for x in range(-6, 7):
        nature.stand(hedge, (x * 1.0, 8.0, 0), 1, x)
    tufts = [nature.grass_tuft(seed + kind, GRASS, 0.07) for kind in range(3)]
    nature.strew(tufts, 1400, (-5, 5), (5.3, 8), height, seed)
    studio.clouded_sky(40, 120, 0.07, 0.35)
    studio.camera((-0.5, -0.9, 1.75), (0.15, 4, 0.9), 35, 8)
