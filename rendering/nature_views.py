"""Lakes, meadows, woods and beaches."""

from __future__ import annotations

import random

import bpy
import materials as m
import models
import natural_materials as natural
import nature
import shapes
import studio
import trees
from album import picture
from mathutils import Vector

SPRING = ((0.10, 0.20, 0.03), (0.20, 0.30, 0.05))
SUMMER = ((0.03, 0.09, 0.02), (0.09, 0.17, 0.03))
AUTUMN = ((0.42, 0.10, 0.02), (0.55, 0.30, 0.03))
GRASS = ((0.05, 0.13, 0.02), (0.14, 0.22, 0.04))


def _turf(*colours: m.Colour) -> bpy.types.Material:
    return natural.ground(*(colours or ((0.04, 0.09, 0.02), (0.08, 0.14, 0.03), (0.1, 0.1, 0.04))), scale=0.6)


def _meadow(
    height: nature.Height, seed: int, colours: tuple[m.Colour, m.Colour] = GRASS, tall: float = 0.16
) -> None:
    """Grass where the camera can see its blades; the turf does for the rest."""
    tufts = [nature.grass_tuft(seed + kind, colours, tall) for kind in range(3)]
    nature.strew(tufts, 2600, (-6, 6), (0.4, 16), height, seed, thinning=1.6)


@picture("lake_with_rowboat", 301, (768, 512))
def _(seed: int) -> None:
    shore = nature.hills(0.25, 4, seed)

    def height(x: float, y: float) -> float:
        return 0.35 - 0.14 * y + shore(x, y) if y < 8 else -1.0 + max(0.0, y - 90) * 0.06

    nature.land(height, _turf(), (-60, 60), (-2, 30))
    mountains = nature.hills(75, 130, seed, 0.4)
    nature.land(
        lambda x, y: max(-2.0, mountains(x, y) + (y - 150) * 0.34),
        natural.ground((0.05, 0.08, 0.04), (0.12, 0.13, 0.08), (0.2, 0.19, 0.17), scale=0.02, bump=0.2),
        (-450, 450),
        (110, 600),
    )
    shapes.plane(natural.water((0.015, 0.05, 0.06), 0.12, 0.9), (0, 150, 0), (900, 310))
    models.place("rowboat", (1.6, 7.5, -0.08), 70)
    firs = [trees.fir(seed + kind, 9) for kind in range(2)]
    nature.strew(
        firs,
        260,
        (-220, 220),
        (112, 150),
        lambda x, y: max(-0.5, mountains(x, y) + (y - 150) * 0.34),
        seed,
        (0.8, 1.6),
    )
    _meadow(height, seed)
    studio.clouded_sky(38, 120, 0.075, 0.45)
    nature.haze((0.42, 0.52, 0.62), 80, 1100)
    studio.camera((-1.2, -1.2, 1.75), (0.6, 12, 0.9), 30)


@picture("beach_chair", 302, (768, 512))
def _(seed: int) -> None:
    dunes = nature.hills(0.12, 2.5, seed)
    nature.land(
        lambda x, y: 0.55 - 0.055 * y + dunes(x, y) * max(0.0, 1 - y / 14),
        natural.ground((0.42, 0.31, 0.19), (0.52, 0.4, 0.26), scale=3, bump=0.35),
        (-40, 40),
        (-3, 30),
    )
    shapes.plane(natural.water((0.01, 0.1, 0.12), 0.4, 0.8), (0, 200, 0), (900, 380))
    models.place("deckChair", (-0.7, 4.2, 0.33), 150)
    models.place("umbrella", (0.35, 4.8, 0.28), 0)
    models.place("ballonFoot", (1.1, 3.4, 0.36), 20)
    studio.clouded_sky(42, 140, 0.08, 0.38)
    studio.camera((0.5, -0.8, 1.65), (-0.1, 6, 0.95), 32)


@picture("horse_in_meadow", 303, (768, 512))
def _(seed: int) -> None:
    height = nature.hills(0.5, 14, seed)
    nature.land(lambda x, y: height(x, y) + max(0.0, y - 30) * 0.05, _turf(), (-80, 80), (-3, 140))
    models.place("horse2", (0.3, 7.0, height(0.3, 7.0) - 0.03), 60)
    kinds = [trees.tree(seed + kind, SUMMER, 8) for kind in range(2)]
    nature.strew(
        kinds, 26, (-40, 40), (34, 60), lambda x, y: height(x, y) + max(0.0, y - 30) * 0.05, seed, (0.8, 1.4)
    )
    _meadow(height, seed, GRASS, 0.2)
    nature.strew(
        [nature.flower(seed, (0.8, 0.75, 0.1)), nature.flower(seed + 1, (0.75, 0.7, 0.72))],
        260,
        (-4, 4),
        (1, 10),
        height,
        seed,
    )
    studio.clouded_sky(40, 110, 0.075, 0.4)
    nature.haze((0.4, 0.48, 0.5), 40, 300)
    studio.camera((-0.6, -0.8, 1.5), (0.3, 7, 1.05), 42)


@picture("autumn_bench", 304)
def _(seed: int) -> None:
    height = nature.hills(0.2, 10, seed)
    nature.land(
        height,
        natural.ground((0.1, 0.1, 0.03), (0.2, 0.12, 0.04), (0.3, 0.14, 0.04), scale=1.2),
        (-40, 40),
        (-3, 60),
    )
    models.place("concrete-bench", (0.1, 5.0, height(0.1, 5.0)), 190)
    kinds = [trees.tree(seed + kind, AUTUMN, 8) for kind in range(2)]
    for x, y in ((-2.6, 7.5), (2.9, 8.8), (-6, 13), (0.8, 15), (6.5, 14), (-2.4, 20), (4, 22)):
        nature.stand(kinds[int(x) % 2], (x, y, height(x, y)), 1, x)
    litter = trees.foliage(
        random.Random(seed),
        [Vector((x * 0.5 - 4, y * 0.6 + 0.5, 0.06)) for x in range(17) for y in range(22)],
        AUTUMN,
        6,
    )
    litter.scale = (1, 1, 0.08)
    bpy.context.collection.objects.link(litter)
    _meadow(height, seed, ((0.1, 0.14, 0.02), (0.24, 0.2, 0.05)), 0.1)
    studio.clouded_sky(24, 130, 0.12, 0.3)
    nature.haze((0.75, 0.66, 0.5), 12, 90)
    studio.camera((-0.7, -0.6, 1.5), (0.1, 5.4, 0.95), 38)


@picture("forest_path", 305, (512, 768))
def _(seed: int) -> None:
    height = nature.hills(0.3, 8, seed)
    nature.land(
        height,
        natural.ground((0.09, 0.06, 0.03), (0.14, 0.09, 0.04), (0.06, 0.08, 0.02), scale=1.5),
        (-30, 30),
        (-3, 60),
    )
    kinds = [trees.tree(seed + kind, SPRING, 10, spread=0.7) for kind in range(3)]
    chance = random.Random(seed)
    for row in range(11):
        for side in (-1, 1):
            x, y = side * chance.uniform(1.7, 4.0 + row * 0.5), 2.5 + row * 2.6 + chance.uniform(-0.8, 0.8)
            nature.stand(
                chance.choice(kinds), (x, y, height(x, y)), chance.uniform(0.9, 1.3), chance.uniform(0, 6)
            )
    tufts = [nature.grass_tuft(seed + kind, GRASS, 0.2) for kind in range(3)]
    nature.strew(
        tufts, 2200, (-6, 6), (0.5, 20), height, seed, allowed=lambda x, y: abs(x) > 0.75, thinning=1.5
    )
    studio.sky(34, 150, 0.17)
    nature.haze((0.66, 0.74, 0.6), 8, 60)
    studio.camera((0.1, -1.0, 1.6), (0.0, 8, 2.1), 30)


@picture("hen_in_yard", 307)
def _(seed: int) -> None:
    height = nature.hills(0.05, 3, seed)
    nature.land(
        height,
        natural.ground((0.24, 0.17, 0.1), (0.32, 0.24, 0.15), (0.14, 0.12, 0.05), scale=2),
        (-20, 20),
        (-3, 30),
    )
    models.place("chicken", (0, 1.6, height(0, 1.6) - 0.01), 60)
    models.place("barrel", (0.75, 2.9, 0), 0)
    models.place("crate", (-0.85, 3.0, 0), 20)
    shapes.plane(m.wood((0.2, 0.12, 0.07), 0.6, 0.0), (0, 3.7, 1.0), (14, 2.4), (90, 0, 0))
    tufts = [nature.grass_tuft(seed + kind, GRASS, 0.1) for kind in range(3)]
    nature.strew(tufts, 500, (-3, 3), (0.3, 3.6), height, seed, allowed=lambda x, y: abs(x) > 0.3 or y > 2.2)
    studio.clouded_sky(40, 140, 0.09, 0.5)
    studio.camera((-0.35, -0.1, 0.55), (0.02, 1.6, 0.28), 46, 4)


@picture("stone_lantern", 308, (512, 768))
def _(seed: int) -> None:
    height = nature.hills(0.15, 5, seed)
    nature.land(
        height, natural.ground((0.03, 0.08, 0.02), (0.06, 0.12, 0.03), scale=2, bump=0.9), (-20, 20), (-3, 30)
    )
    models.place("stoneLantern", (0, 3.0, height(0, 3) - 0.02), 15, 1.3)
    stones = [nature.rock(seed + kind) for kind in range(3)]
    for x, y, size in ((-0.9, 2.6, 0.6), (0.8, 3.5, 0.9), (-1.3, 4.2, 1.1), (1.2, 2.3, 0.35)):
        nature.stand(stones[int(size * 10) % 3], (x, y, height(x, y) + 0.08 * size), size, x)
    maple = trees.tree(seed, ((0.45, 0.04, 0.02), (0.6, 0.12, 0.03)), 5)
    for x, y in ((-1.9, 5.5), (2.4, 6.5)):
        nature.stand(maple, (x, y, height(x, y)), 1, x)
    green = trees.bush(seed, SUMMER, 1.2)
    for x, y in ((-2.4, 4.6), (2.0, 4.6), (0.2, 6.4), (-0.8, 7.2), (3.4, 6.0)):
        nature.stand(green, (x, y, height(x, y)), 1.1, x)
    studio.clouded_sky(36, 100, 0.08, 0.5)
    studio.camera((-0.3, -0.9, 1.25), (0, 3.2, 0.95), 40, 8)


@picture("snowman", 309)
def _(seed: int) -> None:
    height = nature.hills(0.25, 8, seed)
    snow = natural.ground((0.78, 0.82, 0.9), (0.86, 0.88, 0.93), scale=2, bump=0.25)
    nature.land(height, snow, (-60, 60), (-3, 90))
    models.place("bonecoDeNeve", (0, 4.0, height(0, 4) - 0.03), 5, 1.5)
    firs = [trees.fir(seed + kind, 7, ((0.1, 0.14, 0.12), (0.5, 0.55, 0.58))) for kind in range(2)]
    nature.strew(firs, 30, (-16, 16), (10, 40), height, seed, (0.6, 1.3))
    studio.clouded_sky(22, 100, 0.065, 0.35)
    nature.haze((0.75, 0.82, 0.92), 15, 120)
    studio.camera((-0.5, -0.6, 1.3), (0, 4, 0.95), 42, 8)
