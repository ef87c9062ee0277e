"""Trees and bushes, grown from a seed; each is one object outside the scene, to be copied into it."""

from __future__ import annotations

import math
import random

import bpy
import materials as m
import natural_materials as natural
from mathutils import Vector
from nature import mesh_of


def tree(
    seed: int,
    leaves: tuple[m.Colour, m.Colour] | None,
    tall: float = 7.0,
    trunk: bpy.types.Material | None = None,
    spread: float = 1.0,
) -> bpy.types.Object:
    """A broad-leaved tree; bare without leaves."""
    chance = random.Random(seed)
    wood = bpy.data.curves.new("wood", "CURVE")
    wood.dimensions, wood.bevel_depth, wood.bevel_resolution = "3D", 1.0, 1
    wood.materials.append(trunk or natural.bark())
    tips: list[Vector] = []
    _branch(chance, wood, tips, Vector((0, 0, -0.1)), Vector((0, 0, 1)), tall * 0.36, tall * 0.022, 5, spread)
    parts = [_as_mesh(wood)]
    if leaves is not None:
        parts.append(foliage(chance, tips, leaves, tall))
    return _merged(parts)


def _branch(
    chance: random.Random,
    curve: bpy.types.Curve,
    tips: list[Vector],
    start: Vector,
    way: Vector,
    length: float,
    radius: float,
    depth: int,
    spread: float,
) -> None:
    line = curve.splines.new("POLY")
    line.points.add(4)
    place, points = start.copy(), []
    for step in range(5):
        line.points[step].co = (*place, 1)
        line.points[step].radius = radius * (1 - 0.4 * step / 4)
        points.append(place.copy())
        way = (
            way + Vector((chance.gauss(0, 0.1), chance.gauss(0, 0.1), chance.gauss(0.02, 0.04)))
        ).normalized()
        place = place + way * (length / 4)
    if depth <= 2:
        tips += points[2:]
    if depth == 0:
        return
    for child in range(2 + (chance.random() < 0.75) + (depth >= 4)):
        turn = chance.uniform(0, math.tau)
        sideways = Vector((math.cos(turn), math.sin(turn), chance.uniform(-0.1, 0.4)))
        lean = chance.uniform(0.45, 0.95) * spread
        onward = (way * (1 - 0.35 * lean) + sideways * lean).normalized()
        from_where = points[4 if child < 2 else chance.randint(2, 3)]
        _branch(
            chance,
            curve,
            tips,
            from_where,
            onward,
            length * chance.uniform(0.58, 0.78),
            radius * 0.56,
            depth - 1,
            spread,
        )


def foliage(
    chance: random.Random, tips: list[Vector], colours: tuple[m.Colour, m.Colour], tall: float
) -> bpy.types.Object:
    vertices, faces = [], []
    size = 0.011 * tall
    wanted = 16000
    for tip in tips:
        for _ in range(max(1, wanted // max(1, len(tips)))):
            centre = tip + Vector((chance.gauss(0, 1), chance.gauss(0, 1), chance.gauss(0, 0.8))) * (
                0.045 * tall
            )
            along = Vector((chance.gauss(0, 1), chance.gauss(0, 1), chance.gauss(-0.3, 0.6))).normalized()
            across = along.orthogonal().normalized()
            start, scale = len(vertices), size * chance.uniform(0.7, 1.3)
            vertices += [
                centre - along * scale,
                centre + across * scale * 0.5,
                centre + along * scale,
                centre - across * scale * 0.5,
            ]
            faces.append((start, start + 1, start + 2, start + 3))
    return mesh_of("leaves", vertices, faces, natural.leaf(*colours))


def fir(
    seed: int,
    tall: float = 9.0,
    colours: tuple[m.Colour, m.Colour] = ((0.015, 0.04, 0.02), (0.04, 0.09, 0.04)),
) -> bpy.types.Object:
    """A conifer: whorls of drooping twigs around a straight trunk."""
    chance = random.Random(seed)
    wood = bpy.data.curves.new("wood", "CURVE")
    wood.dimensions, wood.bevel_depth, wood.bevel_resolution = "3D", 1.0, 1
    wood.materials.append(natural.bark((0.1, 0.07, 0.05)))
    line = wood.splines.new("POLY")
    line.points.add(1)
    line.points[0].co, line.points[0].radius = (0, 0, -0.2, 1), tall * 0.016
    line.points[1].co, line.points[1].radius = (0, 0, tall * 0.98, 1), 0.01
    vertices, faces = [], []
    for whorl in range(34):
        share = whorl / 34
        height = tall * (0.1 + 0.9 * share)
        reach = tall * 0.2 * (1 - share) ** 0.9 * chance.uniform(0.85, 1.1) + 0.05
        for arm in range(11):
            turn = arm * math.tau / 11 + chance.uniform(-0.3, 0.3)
            out = Vector((math.cos(turn), math.sin(turn), -0.28 + 0.3 * share))
            for needle in range(20):
                along = (needle + 1) / 20
                base = Vector((0, 0, height)) + out * (reach * along)
                for side in (-1, 1):
                    sideways = out.cross(Vector((0, 0, 1))).normalized() * side
                    tip = (
                        base
                        + (sideways * 0.85 + out * 0.6).normalized() * (reach * 0.26 * (1.12 - along))
                        + Vector((0, 0, chance.uniform(-0.12, 0.02) * reach))
                    )
                    start = len(vertices)
                    vertices += [base, tip, base + out * reach * 0.06]
                    faces.append((start, start + 1, start + 2))
    return _merged([_as_mesh(wood), mesh_of("needles", vertices, faces, natural.leaf(*colours))])


def bush(seed: int, colours: tuple[m.Colour, m.Colour], size: float = 1.0) -> bpy.types.Object:
    chance = random.Random(seed)
    tips = []
    for _ in range(260):
        turn, rise = chance.uniform(0, math.tau), chance.uniform(0, 1.4)
        reach = size * 0.5 * chance.uniform(0.6, 1.0)
        tips.append(
            Vector(
                (
                    reach * math.cos(turn) * math.cos(rise),
                    reach * math.sin(turn) * math.cos(rise),
                    reach * 1.3 * math.sin(rise) + 0.1 * size,
                )
            )
        )
    return _merged([foliage(chance, tips, colours, size * 1.8)])


def _as_mesh(curve: bpy.types.Curve) -> bpy.types.Object:
    holder = bpy.data.objects.new("wood", curve)
    bpy.context.collection.objects.link(holder)
    bpy.context.view_layer.update()
    mesh = bpy.data.meshes.new_from_object(holder.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(holder)
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    return bpy.data.objects.new("wood", mesh)


def _merged(parts: list[bpy.types.Object]) -> bpy.types.Object:
    """One object of several, outside the scene, so that copies of it can be placed."""
    for part in parts:
        bpy.context.collection.objects.link(part)
    bpy.ops.object.select_all(action="DESELECT")
    for part in parts:
        part.select_set(True)
    bpy.context.view_layer.objects.active = parts[0]
    if len(parts) > 1:
        bpy.ops.object.join()
    whole = bpy.context.view_layer.objects.active
    bpy.context.collection.objects.unlink(whole)
    return whole
