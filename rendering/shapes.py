"""Simple solids with soft edges, and the parts of rooms and tables that are made of them."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import bpy
import materials
import natural_materials as natural
from mathutils import Matrix

Point = tuple[float, float, float]


def _added(material: bpy.types.Material | None) -> bpy.types.Object:
    thing = bpy.context.object
    if material is not None:
        thing.data.materials.append(material)
    bpy.context.view_layer.update()
    return thing


def plane(
    material: bpy.types.Material,
    at: Point = (0, 0, 0),
    size: tuple[float, float] = (6, 6),
    turn: Point = (0, 0, 0),
) -> bpy.types.Object:
    """A sheet, lying unless turned (in degrees)."""
    bpy.ops.mesh.primitive_plane_add(size=1, location=at, rotation=[math.radians(angle) for angle in turn])
    bpy.context.object.data.transform(Matrix.Diagonal((*size, 1, 1)))
    return _added(material)


def box(
    material: bpy.types.Material,
    at: Point,
    size: Point,
    turn: float = 0.0,
    edge: float = 0.004,
) -> bpy.types.Object:
    """A block that stands at a point, with rounded edges."""
    bpy.ops.mesh.primitive_cube_add(
        size=1, location=(at[0], at[1], at[2] + size[2] / 2), rotation=(0, 0, math.radians(turn))
    )
    thing = bpy.context.object
    thing.data.transform(Matrix.Diagonal((*size, 1)))
    if edge:
        bevel = thing.modifiers.new("edge", "BEVEL")
        bevel.width, bevel.segments = edge, 3
    bpy.ops.object.shade_smooth_by_angle(angle=math.radians(50))
    return _added(material)


def ball(material: bpy.types.Material, at: Point, radius: float, squash: float = 1.0) -> bpy.types.Object:
    """A sphere that rests at a point."""
    bpy.ops.mesh.primitive_uv_sphere_add(
        segments=48, ring_count=24, radius=radius, location=(at[0], at[1], at[2] + radius * squash)
    )
    bpy.context.object.data.transform(Matrix.Diagonal((1, 1, squash, 1)))
    bpy.ops.object.shade_smooth()
    return _added(material)


def rod(
    material: bpy.types.Material, start: Point, end: Point, radius: float, end_radius: float | None = None
) -> bpy.types.Object:
    """A round bar between two points, tapered if it has another radius at its end."""
    curve = bpy.data.curves.new("rod", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution, curve.use_fill_caps = "3D", 1.0, 4, True
    line = curve.splines.new("POLY")
    line.points.add(1)
    for point, place, thick in zip(
        line.points, (start, end), (radius, radius if end_radius is None else end_radius), strict=True
    ):
        point.co, point.radius = (*place, 1), thick
    thing = bpy.data.objects.new("rod", curve)
    bpy.context.collection.objects.link(thing)
    curve.materials.append(material)
    return thing


def tube(
    material: bpy.types.Material, points: Sequence[Point], radius: float, taper: float = 1.0
) -> bpy.types.Object:
    """A bent round bar near the points: handles, spouts, stems; its end is `taper` times as thick."""
    curve = bpy.data.curves.new("tube", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution, curve.use_fill_caps = "3D", radius, 6, True
    curve.resolution_u = 24
    line = curve.splines.new("NURBS")
    line.points.add(len(points) - 1)
    line.use_endpoint_u, line.order_u = True, 4
    for number, (point, place) in enumerate(zip(line.points, points, strict=True)):
        point.co = (*place, 1)
        point.radius = 1 + (taper - 1) * number / (len(points) - 1)
    thing = bpy.data.objects.new("tube", curve)
    bpy.context.collection.objects.link(thing)
    curve.materials.append(material)
    return thing


def turned(
    material: bpy.types.Material,
    profile: Sequence[tuple[float, float]],
    at: Point = (0, 0, 0),
    wall: float = 0.0,
) -> bpy.types.Object:
    """What a potter makes: (radius, height) from the bottom up, smoothed; hollow if it has a wall."""
    steps = 64
    vertices = [
        (radius * math.cos(2 * math.pi * step / steps), radius * math.sin(2 * math.pi * step / steps), height)
        for radius, height in profile
        for step in range(steps)
    ]
    faces = [
        (row * steps + step, row * steps + (step + 1) % steps,
         (row + 1) * steps + (step + 1) % steps, (row + 1) * steps + step)
        for row in range(len(profile) - 1)
        for step in range(steps)
    ]  # fmt: skip
    faces.append(tuple(reversed(range(steps))))
    mesh = bpy.data.meshes.new("turned")
    mesh.from_pydata(vertices, [], faces)
    mesh.update()
    thing = bpy.data.objects.new("turned", mesh)
    thing.location = at
    bpy.context.collection.objects.link(thing)
    mesh.materials.append(material)
    if wall:
        shell = thing.modifiers.new("wall", "SOLIDIFY")
        shell.thickness, shell.offset = wall, -1
    soft = thing.modifiers.new("soft", "SUBSURF")
    soft.levels = soft.render_levels = 2
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    bpy.context.view_layer.update()
    return thing


def book(colour: materials.Colour, at: Point, size: Point = (0.15, 0.21, 0.03), turn: float = 0.0) -> None:
    """Lying: a cover around a block of pages."""
    width, depth, thick = size
    cover, pages = materials.fabric(colour, 500), materials.plain((0.82, 0.78, 0.68), 0.9)
    inset = 0.004
    board = 0.0025
    box(cover, at, (width, depth, board), turn, 0.001)
    box(cover, (at[0], at[1], at[2] + thick - board), (width, depth, board), turn, 0.001)
    box(
        pages,
        (at[0], at[1], at[2] + board),
        (width - 2 * inset, depth - 2 * inset, thick - 2 * board),
        turn,
        0,
    )
    angle = math.radians(turn)
    reach = width / 2 - board
    spine = (at[0] - reach * math.cos(angle), at[1] - reach * math.sin(angle), at[2])
    box(cover, spine, (2 * board, depth, thick), turn, 0.001)


def upright_books(
    along: tuple[float, float], y: float, z: float, colours: Sequence[materials.Colour], seed: int
) -> None:
    """A row on a shelf, backs to the front, from one x to another."""
    chance = random.Random(seed)
    x, end = along
    while True:
        thick, tall, deep = (
            chance.uniform(0.015, 0.045),
            chance.uniform(0.19, 0.27),
            chance.uniform(0.13, 0.17),
        )
        if x + thick > end:
            return
        cover = materials.fabric(materials.scaled(chance.choice(colours), chance.uniform(0.7, 1.2)), 500)
        box(cover, (x + thick / 2, y + deep / 2, z), (thick * 0.96, deep, tall), 0, 0.003)
        x += thick


def framed_picture(
    colours: Sequence[materials.Colour],
    at: Point,
    size: tuple[float, float],
    turn: float = 0.0,
    seed: int = 0,
) -> None:
    """An abstract painting in a wooden frame, hanging at its centre on a wall that faces -y unless turned."""
    width, height = size
    canvas = natural.ground(*colours, scale=1.6 + seed % 3, bump=0.1)
    frame = materials.wood((0.16, 0.09, 0.05))
    sideways = turn % 180 == 90
    depth = 0.02
    canvas_size = (depth, width, height) if sideways else (width, depth, height)
    box(canvas, (at[0], at[1], at[2] - height / 2), canvas_size, 0, 0)
    edge = 0.03
    for side in (-1, 1):
        across = side * (width + edge) / 2
        upright = (at[0], at[1] + across) if sideways else (at[0] + across, at[1])
        post = (depth * 2, edge, height + 2 * edge) if sideways else (edge, depth * 2, height + 2 * edge)
        box(frame, (*upright, at[2] - height / 2 - edge), post)
        rail = (depth * 2, width, edge) if sideways else (width, depth * 2, edge)
        box(frame, (at[0], at[1], at[2] + side * (height + edge) / 2 - edge / 2), rail)
