"""Trees, grass, hills and water, grown from a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import bpy
import materials as m
import natural_materials as natural
from mathutils import Vector, noise

Height = Callable[[float, float], float]


def mesh_of(
    name: str,
    vertices: Sequence[Sequence[float]],
    faces: Sequence[Sequence[int]],
    material: bpy.types.Material,
    smooth: bool = False,
) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    mesh.materials.append(material)
    if smooth:
        for polygon in mesh.polygons:
            polygon.use_smooth = True
    return bpy.data.objects.new(name, mesh)


def vector_noise(place: Vector) -> Vector:
    """A smooth random direction; Blender's own noise_vector is another in every process."""
    return Vector(noise.noise(place + Vector((shift, 2 * shift, 3 * shift))) for shift in (0.0, 17.3, 41.9))


def hills(rise: float, breadth: float, seed: int, roughness: float = 0.5) -> Height:
    """Rolling or, the rougher, jagged heights up to about `rise` metres, `breadth` metres apart."""

    def height(x: float, y: float) -> float:
        place = Vector((x / breadth, y / breadth, seed * 7.31))
        return rise * noise.fractal(place, 1.0 + (1 - roughness), 2.1, 6)

    return height


def land(
    height: Height,
    material: bpy.types.Material,
    x: tuple[float, float],
    y: tuple[float, float],
    steps: int = 160,
) -> bpy.types.Object:
    """The ground of a stretch of country, finer in front (small y) than far away."""
    vertices, faces = [], []
    for row in range(steps + 1):
        depth = (row / steps) ** 2.2
        here = y[0] + (y[1] - y[0]) * depth
        for column in range(steps + 1):
            there = x[0] + (x[1] - x[0]) * column / steps
            vertices.append((there, here, height(there, here)))
    for row in range(steps):
        for column in range(steps):
            first = row * (steps + 1) + column
            faces.append((first, first + 1, first + steps + 2, first + steps + 1))
    thing = mesh_of("land", vertices, faces, material, smooth=True)
    bpy.context.collection.objects.link(thing)
    return thing


def grass_tuft(
    seed: int, colours: tuple[m.Colour, m.Colour], tall: float = 0.14, blades: int = 60
) -> bpy.types.Object:
    """A handful of blades, to be strewn as instances."""
    chance = random.Random(seed)
    vertices, faces = [], []
    for _ in range(blades):
        x, y = chance.gauss(0, 0.12), chance.gauss(0, 0.12)
        turn, high, lean = (
            chance.uniform(0, 6.28),
            tall * chance.uniform(0.5, 1.2),
            chance.uniform(0, 0.6) * tall,
        )
        wide = 0.004 + 0.003 * chance.random()
        side = (math.cos(turn) * wide, math.sin(turn) * wide)
        over = (-math.sin(turn) * lean, math.cos(turn) * lean)
        start = len(vertices)
        for share, width in ((0, 1), (0.5, 0.8), (1, 0.05)):
            bend = share * share
            for sign in (-1, 1):
                vertices.append(
                    (
                        x + sign * side[0] * width + over[0] * bend,
                        y + sign * side[1] * width + over[1] * bend,
                        high * share,
                    )
                )
        faces += [(start, start + 1, start + 3, start + 2), (start + 2, start + 3, start + 5, start + 4)]
    return mesh_of("grass", vertices, faces, natural.leaf(*colours))


def flower(seed: int, colour: m.Colour, tall: float = 0.2) -> bpy.types.Object:
    """A stem with a round of petals."""
    chance = random.Random(seed)
    vertices: list[tuple[float, float, float]] = [
        (-0.002, 0, 0),
        (0.002, 0, 0),
        (0.002, 0, tall),
        (-0.002, 0, tall),
    ]
    faces: list[tuple[int, ...]] = [(0, 1, 2, 3)]
    for petal in range(7):
        turn, tilt = petal * math.tau / 7, chance.uniform(0.1, 0.4)
        start = len(vertices)
        for out, side in ((0, 0), (0.022, -0.012), (0.034, 0), (0.022, 0.012)):
            vertices.append(
                (
                    out * math.cos(turn) - side * math.sin(turn),
                    out * math.sin(turn) + side * math.cos(turn),
                    tall + out * tilt,
                )
            )
        faces.append((start, start + 1, start + 2, start + 3))
    return mesh_of("flower", vertices, faces, natural.leaf(colour, m.scaled(colour, 0.8)))


def rock(seed: int, colour: m.Colour = (0.3, 0.28, 0.26)) -> bpy.types.Object:
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.5)
    thing = bpy.context.object
    for vertex in thing.data.vertices:
        push = 1 + 0.35 * noise.fractal(vertex.co * 1.5 + Vector((seed, 0, 0)), 1.0, 2.0, 5)
        vertex.co = vertex.co * push
        vertex.co.z *= 0.62
    bpy.ops.object.shade_smooth()
    thing.data.materials.append(m.concrete(colour))
    bpy.context.collection.objects.unlink(thing)
    return thing


def stand(
    thing: bpy.types.Object, at: Sequence[float], size: float = 1.0, turn: float = 0.0
) -> bpy.types.Object:
    """One more of the same: the mesh is shared."""
    copy = bpy.data.objects.new(thing.name, thing.data)
    copy.location, copy.scale, copy.rotation_euler = at, (size, size, size), (0, 0, turn)
    bpy.context.collection.objects.link(copy)
    return copy


def strew(
    kinds: Sequence[bpy.types.Object],
    count: int,
    x: tuple[float, float],
    y: tuple[float, float],
    height: Height,
    seed: int,
    sizes: tuple[float, float] = (0.8, 1.25),
    allowed: Callable[[float, float], bool] = lambda x, y: True,
    thinning: float = 1.0,
) -> None:
    """Scatter copies over a stretch of land; thinning above 1 puts more of them in front."""
    chance = random.Random(seed)
    for _ in range(count):
        there, here = chance.uniform(*x), y[0] + (y[1] - y[0]) * chance.random() ** thinning
        if allowed(there, here):
            stand(
                chance.choice(kinds),
                (there, here, height(there, here)),
                chance.uniform(*sizes),
                chance.uniform(0, math.tau),
            )


def haze(colour: m.Colour, start: float, depth: float) -> None:
    """Distance fades into the air: mixed in after rendering, by depth."""
    scene = bpy.context.scene
    scene.view_layers[0].use_pass_mist = True
    world = scene.world
    world.mist_settings.start, world.mist_settings.depth, world.mist_settings.falloff = (
        start,
        depth,
        "QUADRATIC",
    )
    scene.use_nodes = True
    tree = scene.node_tree
    layers = next(node for node in tree.nodes if node.type == "R_LAYERS")
    output = next(node for node in tree.nodes if node.type == "COMPOSITE")
    less, solid, mix = (tree.nodes.new(f"CompositorNode{name}") for name in ("Math", "Math", "MixRGB"))
    less.operation, less.inputs[1].default_value = "MULTIPLY", 0.5
    # The sky has full mist and no alpha to tell it; only what is nearer than the limit is veiled.
    solid.operation, solid.inputs[1].default_value = "LESS_THAN", 0.999
    veil = tree.nodes.new("CompositorNodeMath")
    veil.operation = "MULTIPLY"
    mix.inputs[2].default_value = (*colour, 1)
    tree.links.new(layers.outputs["Mist"], less.inputs[0])
    tree.links.new(layers.outputs["Mist"], solid.inputs[0])
    tree.links.new(less.outputs[0], veil.inputs[0])
    tree.links.new(solid.outputs[0], veil.inputs[1])
    tree.links.new(veil.outputs[0], mix.inputs[0])
    tree.links.new(layers.outputs["Image"], mix.inputs[1])
    tree.links.new(mix.outputs[0], output.inputs[0])
