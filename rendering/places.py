"""Places that pictures are taken in: a table before a wall, a corner of a floor, a room with windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import materials
import models
import natural_materials as natural
import shapes
import studio
from mathutils import Vector


def look_at(
    things: Sequence[bpy.types.Object],
    around: float = 0.0,
    above: float = 15.0,
    lens: float = 65.0,
    fill: float = 0.62,
    f_stop: float | None = 4.0,
    lift: float = 0.0,
) -> None:
    """Point the camera at the things from the front (-y), turned and raised by degrees, so that they fill
    this part of the picture's width or height; `lift` moves the aim up by that part of their height."""
    corners = [corner for thing in things for corner in models.bounds(thing)]
    low = Vector(min(corner[axis] for corner in corners) for axis in range(3))
    high = Vector(max(corner[axis] for corner in corners) for axis in range(3))
    centre = (low + high) / 2
    centre.z += lift * (high.z - low.z)
    render = bpy.context.scene.render
    longer = max(render.resolution_x, render.resolution_y)
    wide = math.hypot(high.x - low.x, high.y - low.y) * 0.85 * longer / render.resolution_x
    tall = (high.z - low.z) * longer / render.resolution_y
    distance = max(wide, tall) / fill * lens / 36
    turn, rise = math.radians(around), math.radians(above)
    away = Vector((math.sin(turn) * math.cos(rise), -math.cos(turn) * math.cos(rise), math.sin(rise)))
    at = centre + away * distance
    at.z = max(at.z, 0.03)
    studio.camera(at, centre, lens, f_stop)


def table_top(
    top: bpy.types.Material,
    wall: bpy.types.Material,
    depth: float = 0.7,
    wall_at: float = 1.6,
) -> None:
    """A table whose back edge is `depth` behind the middle, before a wall further back."""
    shapes.box(top, (0, depth - 1.5, -0.04), (5, 3, 0.04), 0, 0.006)
    shapes.plane(wall, (0, wall_at, 0), (9, 7), (90, 0, 0))
    shapes.plane(materials.planks(), (0, 0, -0.75), (9, 9))


def window_light(
    watts: float = 45,
    side: float = -1,
    colour: tuple[float, float, float] = (1.0, 0.96, 0.9),
    fill: float = 0.25,
) -> None:
    """Soft daylight from one side, and a weak answer of the room from everywhere."""
    studio.overcast(fill)
    studio.area_light((side * 1.7, -0.5, 1.5), (0, 0, 0.1), watts, 1.1, colour)


def sun_patch(watts: float = 3.5, around: float = -50, above: float = 35, warm: float = 0.8) -> None:
    """Sunlight that comes through a window with bars, which cast their shadow."""
    studio.overcast(0.3)
    turn, rise = math.radians(around), math.radians(above)
    way = Vector((math.sin(turn) * math.cos(rise), -math.cos(turn) * math.cos(rise), math.sin(rise)))
    data = bpy.data.lights.new("sun", "SUN")
    data.energy, data.angle = watts, math.radians(0.8)
    data.color = (1, 0.78 + 0.2 * (1 - warm), 0.52 + 0.4 * (1 - warm))
    sun = bpy.data.objects.new("sun", data)
    sun.rotation_euler = way.to_track_quat("Z", "Y").to_euler()
    bpy.context.collection.objects.link(sun)


@dataclass(frozen=True)
class Window:
    """An opening in the back or left wall, by its centre along the wall and its height above the floor."""

    along: float
    width: float = 1.2
    bottom: float = 0.9
    top: float = 2.2
    wall: str = "back"


@dataclass(frozen=True)
class Room:
    """Four metres of floor by default; the camera stands in front, where a wall is missing from view."""

    width: float = 4.2
    depth: float = 4.0
    height: float = 2.6
    walls: materials.Colour = (0.72, 0.70, 0.66)
    floor: bpy.types.Material | None = None
    windows: tuple[Window, ...] = field(default_factory=tuple)
    skirting: materials.Colour = (0.8, 0.79, 0.77)

    def build(self) -> None:
        """Floor at z = 0, x from the middle, back wall at y = depth; only the front is open to the light."""
        wall = materials.plaster(self.walls)
        shapes.plane(
            self.floor or materials.planks(), (0, self.depth / 2 - 1, 0), (self.width, self.depth + 2)
        )
        ceiling = materials.plaster((0.85, 0.85, 0.84))
        shapes.plane(ceiling, (0, self.depth / 2 - 1, self.height), (self.width, self.depth + 2))
        half = self.width / 2
        self._wall(wall, "back", half)
        self._wall(wall, "left", self.depth / 2 + 1)
        shapes.box(wall, (half + 0.1, self.depth / 2 - 1, 0), (0.2, self.depth + 2, self.height), 0, 0)
        shapes.box(wall, (0, -2.1, 0), (self.width, 0.2, self.height), 0, 0)
        trim = materials.plain(self.skirting, 0.4)
        shapes.box(trim, (0, self.depth - 0.01, 0), (self.width, 0.02, 0.09))
        shapes.box(trim, (-half + 0.01, self.depth / 2 - 1, 0), (0.02, self.depth + 2, 0.09))
        shapes.box(trim, (half - 0.01, self.depth / 2 - 1, 0), (0.02, self.depth + 2, 0.09))

    def _wall(self, material: bpy.types.Material, name: str, half: float) -> None:
        openings = sorted(
            (window for window in self.windows if window.wall == name), key=lambda one: one.along
        )
        start = -half
        for window in openings:
            left, right = window.along - window.width / 2, window.along + window.width / 2
            self._piece(material, name, start, left, 0, self.height)
            self._piece(material, name, left, right, 0, window.bottom)
            self._piece(material, name, left, right, window.top, self.height)
            self._frame(name, window, left, right)
            start = right
        self._piece(material, name, start, half, 0, self.height)

    def _piece(
        self, material: bpy.types.Material, name: str, start: float, end: float, low: float, high: float
    ) -> None:
        if end - start < 1e-3 or high - low < 1e-3:
            return
        middle, length = (start + end) / 2, end - start
        if name == "back":
            shapes.box(material, (middle, self.depth + 0.1, low), (length, 0.2, high - low), 0, 0)
        else:
            along = self.depth / 2 - 1 + middle
            shapes.box(material, (-self.width / 2 - 0.1, along, low), (0.2, length, high - low), 0, 0)

    def _frame(self, name: str, window: Window, left: float, right: float) -> None:
        """Bars and a sill; the upright bars stand out a little, since equal faces would flicker."""
        paint = materials.plain((0.86, 0.86, 0.85), 0.35)
        bar, tall = 0.05, window.top - window.bottom
        for along in (left + bar / 2, window.along, right - bar / 2):
            self._bar(paint, name, along, window.bottom, (bar, 0.056, tall))
        for height in (window.bottom, (window.bottom + window.top) / 2, window.top - bar):
            self._bar(paint, name, window.along, height, (window.width, 0.05, bar))
        where = self._at(name, window.along, 0.02)
        sill = (window.width + 0.16, 0.3, 0.035) if name == "back" else (0.3, window.width + 0.16, 0.035)
        shapes.box(paint, (*where, window.bottom - 0.035), sill)

    def _bar(
        self, paint: bpy.types.Material, name: str, along: float, low: float, size: tuple[float, float, float]
    ) -> None:
        shape = size if name == "back" else (size[1], size[0], size[2])
        shapes.box(paint, (*self._at(name, along, 0.08), low), shape)

    def _at(self, name: str, along: float, out: float) -> tuple[float, float]:
        if name == "back":
            return along, self.depth + out
        return -self.width / 2 - out, self.depth / 2 - 1 + along


def rug(
    one: materials.Colour, two: materials.Colour, at: tuple[float, float], size: tuple[float, float]
) -> None:
    shapes.box(materials.rug(one, two), (*at, 0.001), (*size, 0.012), 0, 0.004)


def curtain(colour: materials.Colour, x: float, y: float, width: float, low: float, high: float) -> None:
    """Hanging folds before a back wall."""
    steps = 120
    vertices, faces = [], []
    for step in range(steps + 1):
        along = x + width * (step / steps - 0.5)
        fold = 0.035 * math.sin(step / steps * width * 52) + 0.012 * math.sin(step / steps * 41)
        vertices += [(along, y + fold, low), (along, y + fold * 0.7, high)]
    for step in range(steps):
        faces.append((2 * step, 2 * step + 2, 2 * step + 3, 2 * step + 1))
    mesh = bpy.data.meshes.new("curtain")
    mesh.from_pydata(vertices, [], faces)
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    mesh.materials.append(natural.leaf(colour, materials.scaled(colour, 0.99)))
    bpy.context.collection.objects.link(bpy.data.objects.new("curtain", mesh))
