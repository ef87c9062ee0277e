"""Large things on floors, each by itself."""

from __future__ import annotations

import bpy
import materials as m
import models
import places
import shapes
import studio
from album import picture


def _corner(floor: bpy.types.Material, wall: bpy.types.Material, wall_at: float = 1.4) -> None:
    shapes.plane(floor, (0, 0, 0), (14, 14))
    shapes.plane(wall, (0, wall_at, 2.5), (14, 5), (90, 0, 0))
    shapes.box(m.plain((0.75, 0.74, 0.72), 0.4), (0, wall_at - 0.01, 0), (14, 0.02, 0.1))


def _soft_light(watts: float = 210, side: float = -1) -> None:
    studio.overcast(0.25)
    studio.area_light((side * 3.0, -2.0, 3.0), (0, 0, 0.4), watts, 2.0, (1.0, 0.95, 0.88))


@picture("leather_armchair", 201)
def _(seed: int) -> None:
    _corner(m.planks(), m.plaster((0.24, 0.34, 0.32)))
    chair = models.place("winchesterArmchair", (0, 0, 0), 25)
    _soft_light()
    places.look_at([chair], 0, 12, 50, 0.68, 8)


@picture("rocking_horse", 203)
def _(seed: int) -> None:
    _corner(m.planks((0.6, 0.45, 0.3)), m.plaster((0.55, 0.66, 0.7)))
    toy = models.place("caballito", (0, 0, 0), 35, 0.8)
    places.sun_patch(3.6, -45, 38, 0.6)
    places.look_at([toy], 0, 10, 55, 0.66, 8)


@picture("guitar_on_stand", 204, (512, 768))
def _(seed: int) -> None:
    _corner(m.planks((0.3, 0.18, 0.1)), m.bricks(), 0.7)
    guitar = models.place(
        "electricGuitar", (0, 0, 0), 15, paint={"Body": m.plain((0.35, 0.02, 0.015), 0.2, 1.0)}
    )
    _soft_light(200, 1)
    places.look_at([guitar], 0, 6, 55, 0.74, 8)


@picture("blue_bicycle", 205, (768, 512))
def _(seed: int) -> None:
    _corner(m.concrete(), m.bricks((0.5, 0.42, 0.36)), 0.8)
    bike = models.place("bike", (0, 0, 0), 90)
    places.sun_patch(3.4, -40, 42, 0.7)
    places.look_at([bike], 12, 7, 50, 0.72, 11)


@picture("scooter", 206)
def _(seed: int) -> None:
    _corner(m.tiles((0.42, 0.4, 0.37), (0.25, 0.24, 0.22), 0.3, 0.1), m.plaster((0.66, 0.42, 0.26)), 1.2)
    scooter = models.place("scooter", (0, 0, 0), 120)
    places.sun_patch(3.8, -50, 40, 0.7)
    places.look_at([scooter], 5, 8, 50, 0.7, 11)


@picture("fire_hydrant", 209, (512, 768))
def _(seed: int) -> None:
    _corner(m.concrete((0.5, 0.49, 0.46)), m.bricks((0.36, 0.2, 0.15)), 1.0)
    hydrant = models.place("fire-hydrant", (0, 0, 0), 20)
    places.sun_patch(3.8, 45, 42, 0.6)
    places.look_at([hydrant], 0, 8, 60, 0.64, 8)
