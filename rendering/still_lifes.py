"""Food and tableware."""

from __future__ import annotations

import materials as m
import models
import places
import shapes
import studio
import vessels
from album import picture

WHITE_WALL, SAGE, CLAY = (0.78, 0.76, 0.72), (0.42, 0.48, 0.38), (0.62, 0.36, 0.24)
NAVY, MUSTARD, ROSE, SKY = (0.07, 0.11, 0.2), (0.72, 0.46, 0.1), (0.72, 0.48, 0.44), (0.5, 0.64, 0.74)
OAK, WALNUT, PINE = (0.46, 0.29, 0.15), (0.17, 0.085, 0.045), (0.62, 0.43, 0.24)


@picture("fruit_bowl", 11)
def _(seed: int) -> None:
    places.table_top(m.wood(OAK), m.plaster(SAGE))
    dish = vessels.bowl(m.ceramic((0.75, 0.77, 0.74), 0.6))
    vessels.apple((-0.055, -0.03, 0.055), (0.55, 0.03, 0.02), (0.75, 0.25, 0.05))
    vessels.orange((0.03, -0.05, 0.05))
    vessels.apple((0.02, 0.05, 0.055), (0.4, 0.5, 0.08), (0.62, 0.3, 0.06))
    vessels.pear((-0.06, 0.05, 0.05), (0.55, 0.5, 0.1), (0.62, 0.52, 0.16))
    vessels.orange((-0.01, 0.0, 0.1))
    vessels.lemon((0.19, -0.09, 0), 40)
    vessels.apple((-0.22, -0.1, 0), (0.5, 0.02, 0.02), (0.68, 0.12, 0.04))
    places.window_light(60)
    places.look_at([dish], 12, 20, 70, 0.6, 4, 0.3)


@picture("pears_in_sun", 12)
def _(seed: int) -> None:
    places.table_top(m.wood(PINE), m.plaster(NAVY))
    fruit = [
        vessels.pear((x, y, 0), (0.5, 0.48, 0.1), (0.66, 0.42, 0.12), r)
        for x, y, r in ((-0.09, 0, 0.037), (0.0, 0.045, 0.04), (0.085, -0.015, 0.035))
    ]
    places.sun_patch(4.5, -65, 28)
    places.look_at(fruit, -8, 8, 85, 0.6, 3.5, 0.05)


@picture("tea_for_two", 14)
def _(seed: int) -> None:
    places.table_top(m.wood(WALNUT), m.plaster((0.6, 0.62, 0.56)))
    glaze = m.ceramic((0.13, 0.27, 0.3), 0.5)
    pot = vessels.teapot(glaze, (0, 0.03, 0))
    vessels.cup(glaze, (0.17, -0.12, 0), (0.25, 0.08, 0.02))
    vessels.cup(glaze, (-0.17, -0.12, 0), (0.25, 0.08, 0.02))
    places.window_light(60, -1, (1, 0.94, 0.86))
    places.look_at([pot], 8, 18, 60, 0.36, 5, -0.25)


@picture("three_vases", 16)
def _(seed: int) -> None:
    places.table_top(m.plain((0.6, 0.57, 0.53), 0.6), m.plaster((0.66, 0.6, 0.53)))
    group = [
        vessels.vase(m.ceramic((0.75, 0.72, 0.66), 0.9), (-0.15, 0.03, 0), 0.26, "bottle"),
        vessels.vase(m.ceramic((0.33, 0.12, 0.07), 0.4), (0.03, 0.0, 0), 0.2, "moon"),
        vessels.vase(m.ceramic((0.08, 0.13, 0.12), 0.3), (0.2, -0.03, 0), 0.14, "belly"),
    ]
    places.window_light(55, -1)
    places.look_at(group, 5, 9, 75, 0.74, 6)


@picture("books_and_apple", 17)
def _(seed: int) -> None:
    places.table_top(m.wood(WALNUT), m.plaster((0.22, 0.3, 0.26)))
    height = 0.0
    for colour, thick, turn in (
        ((0.33, 0.05, 0.05), 0.045, 78), ((0.06, 0.13, 0.24), 0.03, 96), ((0.55, 0.4, 0.16), 0.035, 84),
        ((0.1, 0.2, 0.13), 0.025, 101),
    ):  # fmt: skip
        shapes.book(colour, (0, 0, height), (0.16, 0.23, thick), turn)
        height += thick + 0.0005
    fruit = vessels.apple((0.01, 0.0, height), (0.5, 0.02, 0.02), (0.7, 0.2, 0.05))
    frame = shapes.box(m.glass(), (0, 0, 0.06), (0.001, 0.001, 0.001))
    places.window_light(60)
    places.look_at([fruit, frame], 14, 14, 75, 0.44, 5.6, -0.25)


@picture("candles_at_night", 18)
def _(seed: int) -> None:
    _candles()
    studio.overcast(0.012, (0.3, 0.4, 1.0))


@picture("candles_at_dusk", 18)
def _(seed: int) -> None:
    _candles()
    places.window_light(26, 1, (0.72, 0.82, 1.0), 0.2)
    studio.expose(0.6)


def _candles() -> None:
    places.table_top(m.wood(WALNUT), m.plaster((0.2, 0.13, 0.1)))
    brass = m.metal((0.75, 0.5, 0.2), 0.25)
    stand = [
        (0.0, 0.004),
        (0.05, 0.0),
        (0.052, 0.008),
        (0.015, 0.02),
        (0.01, 0.05),
        (0.018, 0.07),
        (0.012, 0.085),
        (0.02, 0.095),
    ]
    group = []
    for x, y, scale, height in ((-0.11, 0.02, 1.3, 0.15), (0.03, -0.03, 1.0, 0.11), (0.14, 0.05, 1.7, 0.12)):
        group.append(shapes.turned(brass, [(r, h * scale) for r, h in stand], (x, y, 0)))
        vessels.candle((x, y, 0.092 * scale), height)
    bowl_of = vessels.bowl(m.metal((0.7, 0.45, 0.2), 0.3), (-0.2, 0.18, 0), 0.09)
    vessels.apple((-0.22, 0.17, 0.03), (0.5, 0.02, 0.02), (0.7, 0.2, 0.05))
    places.look_at([*group, bowl_of], 0, 9, 65, 0.7, 3.5, 0.35)


@picture("cupcake", 25)
def _(seed: int) -> None:
    places.table_top(m.marble(), m.plaster(ROSE))
    plate = shapes.turned(
        m.ceramic((0.8, 0.8, 0.78)), [(0, 0.003), (0.05, 0), (0.075, 0.008), (0.085, 0.013)], (0, 0, 0), 0.003
    )
    cake = models.place("cupcake", (0, 0, 0.005), 0, 0.1)
    places.window_light(50)
    places.look_at([cake, plate], 0, 16, 85, 0.72, 3.5, 0.05)


@picture("bread_on_board", 26, (768, 512))
def _(seed: int) -> None:
    places.table_top(m.wood(WALNUT), m.plaster((0.5, 0.44, 0.38)))
    board = models.place("choppingBoard", (0, 0, 0), 90, paint=m.wood(PINE))
    _, high = models.bounds(board)
    loaf = models.place("bread", (0, 0, high.z), 15)
    places.window_light(65, -1, (1, 0.93, 0.82))
    places.look_at([loaf], 4, 22, 65, 0.62, 5)


@picture("french_press", 33)
def _(seed: int) -> None:
    places.table_top(m.wood(WALNUT), m.plaster((0.62, 0.58, 0.5)))
    press = models.place("coffeePress", (0, 0.02, 0), -40)
    models.place("caffe_final", (0.16, -0.08, 0), 20)
    places.window_light(70)
    places.look_at([press], 12, 12, 70, 0.6, 4.5, -0.08)


@picture("hamburger", 37)
def _(seed: int) -> None:
    places.table_top(m.wood(PINE), m.plaster((0.25, 0.35, 0.33)))
    shapes.turned(
        m.ceramic((0.78, 0.77, 0.74), 0.5),
        [(0, 0.004), (0.08, 0), (0.12, 0.01), (0.135, 0.016)],
        (0, 0, 0),
        0.004,
    )
    food = models.place("hamburger", (0, 0, 0.007), 20, 0.1)
    places.window_light(60)
    places.look_at([food], 0, 14, 80, 0.56, 3.5)
