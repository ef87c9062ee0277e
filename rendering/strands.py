"""Hair: curves that grow out of a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from bodies import Body, Points, mask_file, weight
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from nature import vector_noise

Density = Callable[["Head", Points], np.ndarray]
"""How surely hair grows at places: 0 to 1."""


@dataclass(frozen=True)
class Head:
    """Where things are on a head; the body looks to -y."""

    body: Body
    eye: np.ndarray
    """Between the eyes."""
    top: float
    front: float
    back: float

    @classmethod
    def of(cls, body: Body) -> Head:
        eye = (body.centre("helper-l-eye") + body.centre("helper-r-eye")) / 2
        numbers = body.numbers("body")
        skull = body.points[numbers][weight(["head"])[numbers] > 0.5]
        skull = skull[skull[:, 2] > eye[2]]
        return cls(body, eye, skull[:, 2].max(), skull[:, 1].min(), skull[:, 1].max())

    def at(self, x: float, y: float, z: float) -> np.ndarray:
        """x in metres from the middle, y from front (0) to back (1), z from the eyes (0) to the top (1)."""
        return self._origin + self._extent * np.array((x, y, z))

    def relative(self, points: Points) -> Points:
        """The other way round."""
        return (points - self._origin) / self._extent

    @property
    def _origin(self) -> np.ndarray:
        return np.array((self.eye[0], self.front, self.eye[2]))

    @property
    def _extent(self) -> np.ndarray:
        return np.array((1, self.back - self.front, self.top - self.eye[2]))


def hairline(line: tuple[tuple[float, float], ...], soft: float = 0.06) -> Density:
    """Hair above a line of (depth, height) in parts of the head."""

    def grows(head: Head, points: Points) -> np.ndarray:
        place = head.relative(points)
        depths, heights = zip(*line, strict=True)
        above = place[:, 2] - np.interp(place[:, 1], depths, heights)
        return np.clip(above / soft + 0.5, 0, 1)

    return grows


def roots(
    head: Head, density: Density, count: int, seed: int, without: tuple[str, ...] = ("ears",)
) -> tuple[Points, np.ndarray]:
    """Places on the body, as thick as `density` says, and the way out of the skin there."""
    thing = head.body.mesh("body")
    mesh = thing.data
    mesh.calc_loop_triangles()
    corners = np.array([triangle.vertices[:] for triangle in mesh.loop_triangles])
    loops = np.array([triangle.loops[:] for triangle in mesh.loop_triangles])
    places = np.array([vertex.co[:] for vertex in mesh.vertices])
    normals = np.array([vertex.normal[:] for vertex in mesh.vertices])
    uvs = np.array([one.uv[:] for one in mesh.uv_layers[0].data])
    bpy.data.objects.remove(thing)
    one, two, three = (places[corners[:, corner]] for corner in range(3))
    area = np.linalg.norm(np.cross(two - one, three - one), axis=1)
    sure = density(head, (one + two + three) / 3)
    wide = np.max(density(head, places)[corners], axis=1)
    area = area * (np.maximum(sure, wide) > 0)
    chance = np.random.default_rng(seed)
    chosen = chance.choice(len(corners), count * 2, p=area / area.sum())
    a, b = chance.random((2, len(chosen)))
    a, b = np.where(a + b > 1, 1 - a, a), np.where(a + b > 1, 1 - b, b)
    shares = np.stack((1 - a - b, a, b), axis=1)[..., None]
    found = (places[corners[chosen]] * shares).sum(axis=1)
    out = (normals[corners[chosen]] * shares).sum(axis=1)
    where = (uvs[loops[chosen]] * shares).sum(axis=1)
    keep = chance.random(len(found)) < density(head, found)
    for name in without:
        keep &= _masked(name, where) < 0.3
    return found[keep][:count], unit(out[keep][:count])


def _masked(name: str, uvs: np.ndarray) -> np.ndarray:
    image = bpy.data.images.load(str(mask_file(name)), check_existing=True)
    width, height = image.size
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(height, width, 4)[..., 0]
    return pixels[(uvs[:, 1] * height).astype(int) % height, (uvs[:, 0] * width).astype(int) % width]


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def _tangent(vectors: np.ndarray, normals: np.ndarray) -> np.ndarray:
    return vectors - (vectors * normals).sum(axis=1, keepdims=True) * normals


def wander(points: Points, scale: float, seed: int) -> np.ndarray:
    """A smooth random direction at each place, so that neighbours lie alike."""
    shift = Vector((seed * 7.3, seed * 1.7, 0.0))
    return np.array([vector_noise(Vector(point) * scale + shift)[:] for point in points])


@dataclass(frozen=True)
class Growth:
    comb: Callable[[Points], np.ndarray]
    """Which way it was combed, at places."""
    length: Callable[[Points], np.ndarray]
    steps: int = 8
    lift: float = 0.5
    """How far the roots stand up against the way they are combed."""
    fall: float = 0.0
    """How much the tips give in to their weight."""
    unrest: float = 0.35
    locks: float = 60.0
    volume: float = 0.004
    """How far above the skin the tips lie at least, in metres."""
    uneven: float = 0.25
    cling: float = 0.05
    """How far from the skin a strand still follows it; further out it goes where the comb points."""


def grow(body: Body, starts: Points, normals: np.ndarray, how: Growth, seed: int) -> np.ndarray:
    """Strands as (number, steps + 1, 3); they keep out of the skin."""
    surface = body.surface()
    chance = np.random.default_rng(seed)
    lengths = (how.length(starts) * (1 - how.uneven * chance.random(len(starts))))[:, None]
    stray = chance.normal(0, 0.12, starts.shape) * how.unrest * 2
    locks = wander(starts, how.locks, seed) * how.unrest
    places, now, out = [starts], starts, normals
    for step in range(1, how.steps + 1):
        part = step / how.steps
        way = unit(_tangent(how.comb(now), out)) + out * how.lift * (1 - part)
        way = way + locks + stray * part + np.array((0, 0, -how.fall * part))
        now = now + unit(way) * lengths / how.steps
        now, out = _outside(surface, now, how.volume * np.sqrt(part), how.cling)
        places.append(now)
    return _even(np.stack(places, axis=1))


def _even(strands: np.ndarray) -> np.ndarray:
    """Without the small bends that keeping out of a faceted skin leaves; roots and tips stay."""
    for _ in range(3):
        strands[:, 1:-1] = (strands[:, :-2] + 2 * strands[:, 1:-1] + strands[:, 2:]) / 4
    return strands


def _outside(surface: BVHTree, points: Points, least: float, cling: float) -> tuple[Points, np.ndarray]:
    """Points moved out of the skin, and the way out of it near them; none far away."""
    kept, out = points.copy(), np.zeros_like(points)
    for number, point in enumerate(points):
        near, normal, _, _ = surface.find_nearest(Vector(point), least + cling)
        if near is None:
            continue
        out[number] = normal
        if (Vector(point) - near).dot(normal) < least:
            kept[number] = near + normal * least
    return kept, out


def as_curves(strands: np.ndarray, thick: float, material: bpy.types.Material) -> bpy.types.Object:
    """Strands that grow thin to their tips."""
    number, points, _ = strands.shape
    data = bpy.data.hair_curves.new("hair")
    data.add_curves([points] * number)
    data.points.foreach_set("position", strands.astype(np.float32).ravel())
    radii = np.tile(thick * np.linspace(1, 0.25, points) ** 0.7, number).astype(np.float32)
    data.points.foreach_set("radius", radii)
    data.materials.append(material)
    thing = bpy.data.objects.new("hair", data)
    bpy.context.collection.objects.link(thing)
    return thing
