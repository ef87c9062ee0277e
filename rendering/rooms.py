"""Furnished rooms."""

from __future__ import annotations

import materials as m
import models
import places
import shapes
import studio
from album import picture
from places import Room, Window

LIGHT_OAK, DARK_OAK, GREY_OAK = (0.55, 0.38, 0.22), (0.24, 0.13, 0.07), (0.45, 0.39, 0.33)
BOOKS = ((0.4, 0.08, 0.06), (0.08, 0.16, 0.3), (0.5, 0.38, 0.15), (0.1, 0.25, 0.16), (0.6, 0.56, 0.48))


def _daylight(elevation: float, rotation: float, strength: float = 0.3, inside: float = 60) -> None:
    """Sun and sky through the windows, and what the rest of the house reflects."""
    studio.sky(elevation, rotation, strength)
    studio.area_light((0, -1.6, 2.3), (0, 2, 1), 2.6 * inside, 2.2)


def shelf_of_books(x: float, wall: float, heights: tuple[float, ...], seed: int, width: float = 1.0) -> None:
    board = m.wood(DARK_OAK)
    for row, height in enumerate(heights):
        shapes.box(board, (x, wall - 0.13, height), (width, 0.24, 0.03))
        shapes.upright_books(
            (x - width / 2 + 0.02, x + width / 2 - 0.12), wall - 0.22, height + 0.03, BOOKS, seed + row
        )


@picture("living_room_morning", 101, (768, 512))
def _(seed: int) -> None:
    Room(walls=(0.68, 0.66, 0.6), floor=m.planks(LIGHT_OAK), windows=(Window(-0.9), Window(1.0))).build()
    models.place("sofa2", (0.3, 3.3, 0), 0, paint=m.fabric((0.2, 0.3, 0.36)))
    models.place("coffeeTable", (0.2, 2.0, 0), 0)
    models.place("spatifilum", (-1.6, 3.4, 0), 0)
    shapes.box(m.wood(DARK_OAK), (1.65, 3.5, 0), (0.42, 0.42, 0.5))
    models.place("lamp", (1.65, 3.5, 0.5), 0)
    places.rug((0.62, 0.56, 0.46), (0.42, 0.16, 0.12), (0.2, 2.0), (2.6, 1.7))
    places.curtain((0.75, 0.72, 0.64), -1.68, 3.9, 0.4, 0.1, 2.4)
    places.curtain((0.75, 0.72, 0.64), -0.15, 3.9, 0.35, 0.1, 2.4)
    _daylight(28, 215)
    studio.camera((-0.7, -1.3, 1.45), (0.15, 3, 0.85), 32)


@picture("living_room_evening", 102)
def _(seed: int) -> None:
    _living_room_evening(lamp=70, ceiling=60, exposure=0.9)


@picture("living_room_lamplight", 102)
def _(seed: int) -> None:
    _living_room_evening(lamp=150, ceiling=190, exposure=1.45)


def _living_room_evening(lamp: float, ceiling: float, exposure: float) -> None:
    Room(walls=(0.35, 0.4, 0.38), floor=m.planks(DARK_OAK), windows=(Window(-1.0),)).build()
    models.place("winchesterSofa", (0.45, 3.3, 0), 0)
    models.place("coffeeTable", (0.2, 1.9, 0), 0)
    models.place("pedestal-vase-lamp", (-0.95, 3.4, 0.5), 0)
    shapes.box(m.wood(DARK_OAK), (-0.95, 3.4, 0), (0.45, 0.45, 0.5))
    studio.bulb((-0.95, 3.4, 1.0), lamp, 0.06)
    places.rug((0.36, 0.05, 0.04), (0.5, 0.36, 0.2), (0.2, 1.9), (2.6, 1.6))
    shapes.framed_picture(
        ((0.5, 0.2, 0.1), (0.7, 0.5, 0.2), (0.12, 0.2, 0.3)), (0.55, 3.97, 1.6), (1.1, 0.7), 0, 2
    )
    studio.sky(1.5, 160, 0.05)
    studio.area_light((1.2, -0.8, 2.3), (0, 2.5, 0.6), ceiling, 0.8, (1, 0.7, 0.4))
    studio.expose(exposure)
    studio.camera((-0.5, -1.2, 1.4), (0.1, 3, 0.85), 37)


@picture("reading_corner", 103)
def _(seed: int) -> None:
    Room(walls=(0.6, 0.52, 0.44), floor=m.planks(LIGHT_OAK), windows=(Window(-0.9, 1.3, 0.5, 2.3),)).build()
    models.place("winchesterArmchair", (0.2, 2.8, 0), 20)
    shelf_of_books(1.35, 4.0, (0.3, 0.7, 1.1, 1.5, 1.9), seed)
    models.place("littlePlant", (-0.5, 3.5, 0), 0, 0.6)
    places.rug((0.5, 0.2, 0.14), (0.66, 0.56, 0.4), (0.1, 2.5), (1.9, 1.4))
    _daylight(24, 200, 0.3, 50)
    studio.camera((-0.6, -0.6, 1.35), (0.25, 3, 0.85), 42)


@picture("kitchen_corner", 104)
def _(seed: int) -> None:
    Room(
        walls=(0.72, 0.73, 0.68),
        floor=m.tiles((0.5, 0.46, 0.42), (0.3, 0.28, 0.26), 0.4),
        windows=(Window(-0.35, 1.1, 1.1, 2.1),),
    ).build()
    x = -1.75
    for id in ("kitchenDrawersCabinet", "kitchenSink", "kitchenLowerCabinet", "kitchenSmallLowerCabinet"):
        unit = models.place(id, (0, 3.65, 0), 0)
        low, high = models.bounds(unit)
        unit.location.x, unit.location.y = x - low.x, unit.location.y + 3.98 - high.y
        x += high.x - low.x
    models.place("boiler", (0.6, 3.6, 0.92), 20)
    models.place("utensilsPot", (-1.55, 3.65, 0.92), 0)
    models.place("oakTable", (0.4, 1.7, 0), 0)
    models.place("oakChair", (1.15, 1.5, 0), -75)
    models.place("oakChair", (-0.4, 1.9, 0), 80)
    models.place("white_lily", (0.4, 1.7, 0.74), 0, 0.4)
    _daylight(35, 190, 0.3, 70)
    studio.camera((-0.9, -1.4, 1.6), (0.1, 2.8, 0.85), 34)


@picture("bedroom_morning", 105, (768, 512))
def _(seed: int) -> None:
    Room(walls=(0.66, 0.68, 0.7), floor=m.planks(GREY_OAK), windows=(Window(1.1, 1.3, 0.8, 2.2),)).build()
    white = m.fabric((0.8, 0.79, 0.76))
    linen = {
        "structure": m.wood(LIGHT_OAK),
        "sheet": m.fabric((0.24, 0.36, 0.46)),
        "couch": white,
        "matress": white,
    }
    models.place("bed2", (-0.55, 2.7, 0), 0, paint={**linen, "pillow": white})
    models.place("bedsideTable", (0.5, 3.7, 0), 0)
    models.place("lamp", (0.5, 3.7, 0.48), 0)
    models.place("mediumIndoorPlant", (1.65, 3.3, 0), 0)
    shapes.framed_picture(
        ((0.6, 0.62, 0.58), (0.25, 0.36, 0.4), (0.75, 0.7, 0.6)), (-0.55, 3.97, 1.75), (0.9, 0.55), 0, 1
    )
    places.rug((0.6, 0.58, 0.55), (0.3, 0.36, 0.42), (0.6, 1.9), (1.3, 1.9))
    places.curtain((0.78, 0.76, 0.74), 0.35, 3.9, 0.3, 0.1, 2.4)
    places.curtain((0.78, 0.76, 0.74), 1.88, 3.9, 0.35, 0.1, 2.4)
    _daylight(22, 170, 0.3, 60)
    studio.camera((0.9, -1.3, 1.5), (-0.1, 2.9, 0.8), 33)


@picture("bedroom_lamp", 106)
def _(seed: int) -> None:
    _bedroom_lamp(lamps=30, ceiling=60, exposure=0.2)


@picture("bedroom_lamplight", 106)
def _(seed: int) -> None:
    _bedroom_lamp(lamps=55, ceiling=170, exposure=0.9)


def _bedroom_lamp(lamps: float, ceiling: float, exposure: float) -> None:
    Room(walls=(0.3, 0.24, 0.3), floor=m.planks(DARK_OAK)).build()
    models.place("bed3", (0.2, 2.6, 0), 0)
    for x in (-1.0, 1.4):
        models.place("bedsideTable2", (x, 3.65, 0), 0)
        models.place("desklamp", (x, 3.65, 0.454), 0, 0.42)
        studio.bulb((x, 3.55, 0.78), lamps, 0.03)
    shapes.framed_picture(
        ((0.5, 0.35, 0.4), (0.2, 0.16, 0.3), (0.7, 0.55, 0.4)), (0.2, 3.97, 1.75), (1.2, 0.6), 0, 1
    )
    studio.overcast(0.02, (0.4, 0.5, 1))
    studio.area_light((0, -1.4, 2.3), (0, 2.5, 0.6), ceiling, 1.5, (1, 0.75, 0.5))
    studio.expose(exposure)
    studio.camera((0.2, -1.4, 1.45), (0.2, 3, 0.85), 34)


@picture("study", 107, (1024, 1024))
def _(seed: int) -> None:
    Room(walls=(0.5, 0.56, 0.5), floor=m.planks(LIGHT_OAK), windows=(Window(-1.1, 1.2, 0.9, 2.2),)).build()
    models.place("simpleDesk", (0.2, 3.2, 0), 0)
    models.place("laptop", (0.2, 3.15, 0.75), 0)
    models.place("desklamp", (0.75, 3.3, 0.75), 0)
    models.place("armChair2", (0.15, 2.1, 0), 170)
    shelf_of_books(1.25, 4.0, (1.3, 1.7), seed, 1.4)
    models.place("yuccaPlant", (-1.65, 3.5, 0), 0)
    shapes.book((0.4, 0.1, 0.08), (-0.35, 3.15, 0.75), (0.16, 0.23, 0.03), 70)
    _daylight(30, 205, 0.3, 60)
    studio.camera((-0.7, -1.0, 1.55), (0.2, 3, 0.95), 37)


@picture("dining_room", 108, (768, 512))
def _(seed: int) -> None:
    Room(
        4.6,
        walls=(0.72, 0.66, 0.56),
        floor=m.planks(DARK_OAK),
        windows=(Window(-1.1, 1.3, 0.4, 2.3), Window(1.1, 1.3, 0.4, 2.3)),
    ).build()
    models.place("table", (0, 2.2, 0), 0)
    for x, y, turn in ((-0.6, 1.4, 180), (0.6, 1.4, 180), (-0.6, 3.0, 0), (0.6, 3.0, 0)):
        models.place("osakaChair", (x, y, 0), turn)
    models.place("tulip", (0, 2.2, 0.76), 0, 0.36)
    models.place("hangingLight", (0, 2.2, 1.65), 0, 0.9)
    _daylight(30, 160, 0.3, 70)
    studio.camera((-1.5, -1.4, 1.6), (0.1, 2.4, 0.9), 33)


@picture("hall_with_clock", 109, (512, 768))
def _(seed: int) -> None:
    Room(
        2.6,
        4.0,
        2.7,
        walls=(0.6, 0.62, 0.55),
        floor=m.tiles((0.7, 0.68, 0.64), (0.2, 0.2, 0.2), 0.33),
        windows=(Window(0.5, 1.0, 1.0, 2.2, "left"),),
    ).build()
    models.place("chest", (0.2, 3.75, 0), 0)
    models.place("tulips", (-0.2, 3.7, 0.82), 0, 0.45)
    models.place("cuckooClock", (0.55, 3.93, 1.6), 0)
    models.place("umbrellaFolded", (1.0, 3.75, 0), 0)
    models.place("antiqueChair", (-0.85, 3.3, 0), 35)
    places.rug((0.36, 0.05, 0.04), (0.5, 0.36, 0.2), (0.1, 2.0), (0.9, 2.4))
    _daylight(30, 270, 0.3, 55)
    studio.camera((0.15, -1.5, 1.5), (0.08, 3.5, 1.15), 40)


@picture("music_room", 110)
def _(seed: int) -> None:
    Room(
        5.0,
        4.5,
        2.9,
        walls=(0.62, 0.6, 0.58),
        floor=m.planks((0.5, 0.3, 0.15), 0.1),
        windows=(Window(-1.2, 1.2, 0.4, 2.5), Window(1.0, 1.2, 0.4, 2.5)),
    ).build()
    models.place("pianoAQueue", (0.1, 2.6, 0), 30)
    models.place("pianoBench", (-0.9, 1.5, 0), 30)
    models.place("decorativePlant", (2.0, 3.9, 0), 0)
    places.curtain((0.5, 0.12, 0.1), -2.0, 4.4, 0.4, 0.1, 2.7)
    places.curtain((0.5, 0.12, 0.1), -0.4, 4.4, 0.4, 0.1, 2.7)
    places.curtain((0.5, 0.12, 0.1), 1.8, 4.4, 0.4, 0.1, 2.7)
    _daylight(26, 165, 0.3, 70)
    studio.camera((-1.3, -1.5, 1.6), (0.0, 2.8, 0.9), 37)


@picture("cafe_table", 113, (1024, 1024))
def _(seed: int) -> None:
    Room(
        4.2,
        4.0,
        2.8,
        walls=(0.28, 0.36, 0.34),
        floor=m.tiles((0.16, 0.16, 0.16), (0.4, 0.4, 0.4), 0.3),
        windows=(Window(0, 2.6, 0.5, 2.5),),
    ).build()
    models.place("cafe-table", (0.1, 2.3, 0), 0)
    for x, y, turn in ((-0.65, 2.4, 75), (0.85, 2.35, -80)):
        models.place("thonet", (x, y, 0), turn)
    models.place("caffe_final", (0.0, 2.2, 0.72), 20)
    models.place("caffe_final", (0.25, 2.45, 0.72), 110)
    models.place("tulip", (0.1, 2.35, 0.72), 0, 0.25)
    _daylight(25, 200, 0.3, 60)
    studio.camera((-0.3, -0.6, 1.45), (0.1, 2.4, 0.75), 42, 4)
