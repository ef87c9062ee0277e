"""Pullovers and shirts: cut out of the suit that lies around the base mesh, and given folds."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
from bodies import Body, weight
from mathutils import Vector, noise
from nature import vector_noise


def top(
    body: Body,
    material: bpy.types.Material,
    neck: tuple[Vector, Vector],
    sleeve: float,
    seed: int,
    folds: float,
) -> bpy.types.Object:
    """A top whose neckline is the plane through a point with this normal, and whose sleeves end at this part
    of the arm (0 shoulder, 1 elbow, 2 wrist)."""
    thing = body.mesh("helper-tights")
    work = bmesh.new()
    work.from_mesh(thing.data)
    _mark_arms(work, body)
    _cut(work, neck[0] - Vector((0, 0, 0.75)), Vector((0, 0, -1)))
    _smooth(work, 2)
    bmesh.ops.subdivide_edges(work, edges=work.edges, cuts=2, use_grid_fill=True)
    _smooth(work, 4)
    _cut(work, neck[0], neck[1])
    for side in "LR":
        _cut_sleeve(work, body, side, sleeve)
    work.normal_update()
    _fold(work, seed, folds)
    bmesh.ops.delete(work, geom=[one for one in work.verts if not one.link_faces], context="VERTS")
    for ring in _open_rims(work):
        _rim(ring, material)
    work.to_mesh(thing.data)
    work.free()
    _finish(thing, material)
    return thing


def _finish(thing: bpy.types.Object, material: bpy.types.Material) -> None:
    thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))
    shell = thing.modifiers.new("cloth", "SOLIDIFY")
    shell.thickness, shell.offset = 0.002, 0.0
    soft = thing.modifiers.new("soft", "SUBSURF")
    soft.levels = soft.render_levels = 1
    thing.data.materials.append(material)


def _mark_arms(work: bmesh.types.BMesh, body: Body) -> None:
    """Remembers of each point how far down the arm it is, through all cutting and dividing."""
    numbers = body.numbers("helper-tights")
    for side in "LR":
        layer = work.verts.layers.float.new(side)
        for one, place in zip(work.verts, _along_arm(body, side)[numbers], strict=True):
            one[layer] = place


def _smooth(work: bmesh.types.BMesh, times: int) -> None:
    for _ in range(times):
        bmesh.ops.smooth_vert(
            work, verts=work.verts, factor=0.5, use_axis_x=True, use_axis_y=True, use_axis_z=True
        )


def _cut(work: bmesh.types.BMesh, place: Vector, normal: Vector, geom: list[object] | None = None) -> None:
    """Takes away what lies before the plane."""
    bmesh.ops.bisect_plane(
        work,
        geom=geom if geom is not None else [*work.verts, *work.edges, *work.faces],
        plane_co=place,
        plane_no=normal,
        clear_outer=True,
    )


def _along_arm(body: Body, side: str) -> np.ndarray:
    """How far down the arm each point is: 0 at the shoulder, 1 at the elbow, 2 at the wrist; -1 elsewhere."""
    shoulder, elbow, hand = (
        body.centre(f"joint-{side.lower()}-{name}") for name in ("shoulder", "elbow", "hand")
    )
    upper, lower, rest = (weight(f"{bone}.{side}" for bone in bones) for bones in (_UPPER, _LOWER, _HAND))
    first = _share(body.points, shoulder, elbow)
    second = 1 + _share(body.points, elbow, hand)
    along = np.where(lower > upper, np.clip(second, 0.9, 2.2), np.clip(first, 0, 1.1))
    along = np.where(rest > lower, 2.5, along)
    return np.where(upper + lower + rest > 0.5, along, -1.0)


def _share(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    return (points - start) @ (end - start) / ((end - start) @ (end - start))


def _cut_sleeve(work: bmesh.types.BMesh, body: Body, side: str, end: float) -> None:
    """Coarsely by the place along the arm first: a bent arm lies on both sides of the plane of its cut."""
    layer = work.verts.layers.float[side]
    bmesh.ops.delete(work, geom=[one for one in work.verts if one[layer] > end + 0.3], context="VERTS")
    joints = [Vector(body.centre(f"joint-{side.lower()}-{name}")) for name in ("shoulder", "elbow", "hand")]
    part = min(int(end), 1)
    place = joints[part].lerp(joints[part + 1], end - part)
    arm = {one for one in work.verts if one[layer] > max(0.15, end - 0.3)}
    edges = [edge for edge in work.edges if all(one in arm for one in edge.verts)]
    faces = [face for face in work.faces if all(one in arm for one in face.verts)]
    _cut(work, place, (joints[part + 1] - joints[part]).normalized(), [*arm, *edges, *faces])


def _fold(work: bmesh.types.BMesh, seed: int, folds: float) -> None:
    """Ridges that hang from the shoulders, and finer ones across them."""
    shift = Vector((seed * 3.1, seed * 5.7, 0))
    moves = []
    for one in work.verts:
        place = one.co * 8 + shift
        bend = vector_noise(place * 0.5) * 0.9
        slant = abs(one.co.x) * 5
        hanging = Vector((place.x + bend.x + slant, place.y + bend.y, place.z * 0.4 + bend.z))
        long = (1 - abs(noise.noise(hanging * 1.3))) ** 4
        fine = (1 - abs(noise.noise(hanging * 3.1 + bend))) ** 4
        moves.append(one.normal * (folds * (long + 0.4 * fine)))
    for one, move in zip(work.verts, moves, strict=True):
        one.co += move


def _open_rims(work: bmesh.types.BMesh) -> list[list[Vector]]:
    """Each as a ring of points."""
    rest = {edge for edge in work.edges if edge.is_boundary}
    rings = []
    while rest:
        edge = rest.pop()
        ring, last = [edge.verts[0], edge.verts[1]], edge.verts[1]
        while True:
            following = next((one for one in last.link_edges if one in rest), None)
            if following is None:
                break
            rest.remove(following)
            last = following.other_vert(last)
            ring.append(last)
        rings.append([one.co.copy() for one in ring])
    return [ring for ring in rings if len(ring) > 12]


def _rim(ring: list[Vector], material: bpy.types.Material) -> None:
    points = np.array([one[:] for one in ring[:-1]])
    for _ in range(4):
        points = (np.roll(points, 1, axis=0) + 2 * points + np.roll(points, -1, axis=0)) / 4
    curve = bpy.data.curves.new("rim", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.006, 4
    line = curve.splines.new("NURBS")
    line.points.add(len(points) - 1)
    line.points.foreach_set("co", np.c_[points, np.ones(len(points))].ravel())
    line.use_cyclic_u, line.order_u = True, 4
    thing = bpy.data.objects.new("rim", curve)
    bpy.context.collection.objects.link(thing)
    curve.materials.append(material)


def shown(body: Body, sleeve: float, neck: tuple[Vector, Vector]) -> np.ndarray:
    """Which points of the body one sees: above the neckline, and beyond the sleeves."""
    place, normal = (np.array(one) for one in neck)
    free = (body.points - place) @ normal > -0.02
    for side in "LR":
        free |= _along_arm(body, side) > sleeve - 0.12
    return free


_UPPER, _LOWER = ("upperarm01", "upperarm02"), ("lowerarm01", "lowerarm02")
_HAND = (
    "wrist",
    *(f"metacarpal{number}" for number in range(1, 5)),
    *(f"finger{number}-{joint}" for number in range(1, 6) for joint in range(1, 4)),
)
