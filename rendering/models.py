"""Furniture and things of the Sweet Home 3D model libraries, as Debian's sweethome3d-furniture ships them.

The libraries BlendSwap-CC-0 (CC0), BlendSwap-CC-BY and KatorLegaz (CC BY 3.0) are used; ATTRIBUTION.md beside
the rendered pictures names every model and its author.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import bpy
from mathutils import Matrix, Vector

LIBRARIES = ("BlendSwap-CC-0", "BlendSwap-CC-BY", "KatorLegaz")
_ENTRY = re.compile(r"(\w+)#(\d+)=(.*)")
_SMOOTH_BELOW = math.radians(38)


@dataclass(frozen=True)
class Model:
    id: str
    library: str
    name: str
    author: str
    file: Path
    size: tuple[float, float, float]
    """Width, depth and height in metres."""


used: set[Model] = set()
"""What was placed since the program started, for the attribution."""


@cache
def models(folder: Path) -> Mapping[str, Model]:
    """All models by their id; each library is unpacked beside itself when first used."""
    found = (_of_library(folder, library) for library in reversed(LIBRARIES))
    return {model.id: model for part in found for model in part}


_folder = Path()


def use_folder(folder: Path) -> None:
    global _folder
    _folder = folder


def _of_library(folder: Path, library: str) -> Iterable[Model]:
    unpacked = folder / library
    if not unpacked.is_dir():
        with zipfile.ZipFile(folder / f"{library}.sh3f") as archive:
            archive.extractall(unpacked)
    entries: dict[str, dict[str, str]] = {}
    text = (unpacked / "PluginFurnitureCatalog.properties").read_text(encoding="latin-1")
    for line in text.splitlines():
        if match := _ENTRY.match(line):
            entries.setdefault(match[2], {})[match[1]] = match[3]
    for entry in entries.values():
        width, depth, height = (float(entry[side]) / 100 for side in ("width", "depth", "height"))
        file = unpacked / entry["model"].lstrip("/")
        yield Model(file.stem, library, entry["name"], entry.get("creator", ""), file, (width, depth, height))


def place(
    id: str,
    at: tuple[float, float, float] = (0, 0, 0),
    turn: float = 0.0,
    size: float | None = None,
    paint: Mapping[str, bpy.types.Material] | bpy.types.Material | None = None,
) -> bpy.types.Object:
    """A model, standing at a point, turned by degrees; `size` is its height in metres if not its own.

    `paint` replaces all its materials, or those whose names contain a key.
    """
    model = models(_folder)[id]
    used.add(model)
    before = set(bpy.data.objects)
    bpy.ops.wm.obj_import(filepath=str(model.file))
    parts = [thing for thing in bpy.data.objects if thing not in before and thing.type == "MESH"]
    whole = _joined(parts)
    whole.name = id
    _heal(whole)
    factor = (size or model.size[2]) / model.size[2]
    _stand(whole, tuple(side * factor for side in model.size), at, turn)
    _improve(whole)
    if paint is not None:
        _repaint(whole, paint)
    bpy.context.view_layer.update()
    return whole


def bounds(thing: bpy.types.Object) -> tuple[Vector, Vector]:
    """Lowest and highest corner, in the scene."""
    bpy.context.view_layer.update()
    corners = [thing.matrix_world @ Vector(corner) for corner in thing.bound_box]
    return (
        Vector(min(corner[axis] for corner in corners) for axis in range(3)),
        Vector(max(corner[axis] for corner in corners) for axis in range(3)),
    )


def _joined(parts: list[bpy.types.Object]) -> bpy.types.Object:
    bpy.ops.object.select_all(action="DESELECT")
    for part in parts:
        part.select_set(True)
    bpy.context.view_layer.objects.active = parts[0]
    if len(parts) > 1:
        bpy.ops.object.join()
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    return bpy.context.view_layer.objects.active


def _heal(thing: bpy.types.Object) -> None:
    """The models' faces share no vertices and look any way; without this they shatter when smoothed."""
    extent = max(thing.dimensions) or 1.0
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.remove_doubles(threshold=extent * 2e-5)
    bpy.ops.mesh.normals_make_consistent(inside=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.shade_smooth_by_angle(angle=_SMOOTH_BELOW)


def _stand(
    thing: bpy.types.Object, size: tuple[float, ...], at: tuple[float, float, float], turn: float
) -> None:
    low, high = bounds(thing)
    extent = high - low
    scale = Matrix.Diagonal((*(size[axis] / max(extent[axis], 1e-6) for axis in range(3)), 1))
    centre = Matrix.Translation((-(low.x + high.x) / 2, -(low.y + high.y) / 2, -low.z))
    thing.data.transform(scale @ centre)
    thing.matrix_world = Matrix.Translation(at) @ Matrix.Rotation(math.radians(turn), 4, "Z")


def _improve(thing: bpy.types.Object) -> None:
    """Real-time models name colours as a screen shows them, textures that nobody has, and perfect mirrors."""
    for slot in thing.material_slots:
        if slot.material is None or not slot.material.use_nodes:
            continue
        shader = slot.material.node_tree.nodes.get("Principled BSDF")
        if shader is not None:
            roughness, colour = shader.inputs["Roughness"], shader.inputs["Base Color"]
            roughness.default_value = min(0.7, max(0.18, roughness.default_value))
            colour.default_value = (*(channel**2.2 for channel in colour.default_value[:3]), 1)
            for link in colour.links:
                image = getattr(link.from_node, "image", None)
                if image is not None and not image.size[0]:
                    slot.material.node_tree.links.remove(link)


def _repaint(thing: bpy.types.Object, paint: Mapping[str, bpy.types.Material] | bpy.types.Material) -> None:
    for slot in thing.material_slots:
        name = slot.material.name if slot.material else ""
        if isinstance(paint, Mapping):
            chosen = next((material for key, material in paint.items() if key in name), None)
        else:
            chosen = paint
        if chosen is not None:
            slot.material = chosen
