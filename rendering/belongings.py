"""Toys, plants and other small things that people own."""

from __future__ import annotations

import bpy
import materials as m
import models
import places
from album import picture
from fur import plush

WHITE_WALL, SAGE, CLAY = (0.78, 0.76, 0.72), (0.42, 0.48, 0.38), (0.62, 0.36, 0.24)
NAVY, MUSTARD, ROSE, SKY = (0.07, 0.11, 0.2), (0.72, 0.46, 0.1), (0.72, 0.48, 0.44), (0.5, 0.64, 0.74)
OAK, WALNUT, PINE = (0.46, 0.29, 0.15), (0.17, 0.085, 0.045), (0.62, 0.43, 0.24)


@picture("teddy_bear", 19)
def _(seed: int) -> None:
    _bear((0.42, 0.24, 0.11))


@picture("soft_teddy_bear", 19)
def _(seed: int) -> None:
    plush(_bear((0.62, 0.38, 0.18)), "teddy", seed)


def _bear(colour: m.Colour) -> bpy.types.Object:
    places.table_top(m.fabric((0.5, 0.56, 0.6)), m.plaster((0.72, 0.66, 0.56)))
    cloth, eyes = m.fabric(colour, 90), m.plain((0.01, 0.01, 0.01), 0.1)
    bear = models.place("teddyBear", (0, 0, 0), -14, paint={"teddy": cloth, "eyes": eyes})
    places.window_light(60)
    places.look_at([bear], 5, 10, 75, 0.66, 4)
    return bear


@picture("toy_train", 21, (768, 512))
def _(seed: int) -> None:
    places.table_top(m.planks((0.5, 0.33, 0.18), 0.09), m.plaster((0.68, 0.58, 0.3)))
    train = models.place("toyTrain", (0, 0, 0), 20)
    places.window_light(65)
    places.look_at([train], 0, 14, 70, 0.7, 5)


@picture("chess_board", 22)
def _(seed: int) -> None:
    places.table_top(m.wood(WALNUT), m.plaster((0.3, 0.2, 0.14)))
    board = models.place("chessboard", (0, 0, 0), 28)
    places.window_light(60, 1, (1, 0.88, 0.72), 0.15)
    places.look_at([board], 0, 26, 60, 0.9, 4)


@picture("old_radio", 23)
def _(seed: int) -> None:
    places.table_top(m.wood(OAK), m.plaster((0.5, 0.58, 0.54)))
    radio = models.place("radio", (0, 0, 0), 18)
    places.window_light(60)
    places.look_at([radio], 0, 9, 75, 0.66, 5)


@picture("tulips", 24, (512, 768))
def _(seed: int) -> None:
    places.table_top(m.wood(PINE), m.plaster((0.62, 0.66, 0.68)))
    bunch = models.place("tulips", (0, 0, 0), 10)
    places.window_light(65)
    places.look_at([bunch], 0, 8, 75, 0.72, 4)


@picture("ankle_boots", 28)
def _(seed: int) -> None:
    places.table_top(m.planks(), m.plaster((0.7, 0.68, 0.64)))
    boots = models.place("bootie", (0, 0, 0), 20, paint=m.leather((0.2, 0.09, 0.045)))
    places.sun_patch(4, -50, 35)
    places.look_at([boots], 0, 16, 70, 0.7, 5)


@picture("handbag", 29)
def _(seed: int) -> None:
    places.table_top(m.marble((0.3, 0.32, 0.3), (0.7, 0.7, 0.68)), m.plaster((0.6, 0.5, 0.42)))
    bag = models.place("handbag", (0, 0, 0), 20, paint=m.leather((0.3, 0.035, 0.03)))
    places.window_light(65)
    places.look_at([bag], 0, 12, 75, 0.68, 5)


@picture("orchid", 30, (512, 768))
def _(seed: int) -> None:
    places.table_top(m.wood(OAK), m.plaster((0.55, 0.6, 0.55)))
    flower = models.place("orchids", (0, 0, 0), 0)
    places.window_light(65, 1)
    places.look_at([flower], 0, 8, 75, 0.76, 4)


@picture("cactus", 31)
def _(seed: int) -> None:
    places.table_top(m.plain((0.76, 0.74, 0.7), 0.5), m.plaster(CLAY))
    plant = models.place("cactus", (0, 0, 0), 0)
    places.sun_patch(4.2, 55, 40, 0.5)
    places.look_at([plant], 0, 10, 75, 0.66, 4)
