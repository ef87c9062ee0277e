"""What people are made of: skin, eyes, hair."""

from __future__ import annotations

import bodies
import bpy
import numpy as np
import strands
from materials import Colour, Surface, scaled
from mathutils import Vector

BLUSH = "blush"
"""The attribute of a body's points that says how red they are."""


def blush(body: bodies.Body, head: strands.Head, thing: bpy.types.Object, numbers: list[int]) -> None:
    """Cheeks, nose and chin have more blood in them."""
    eye, points = head.eye, body.points[numbers]
    red = np.zeros(len(points))
    for x, z, wide in ((0.045, -0.042, 0.022), (-0.045, -0.042, 0.022), (0, -0.036, 0.014), (0, -0.1, 0.014)):
        aside = np.hypot(points[:, 0] - eye[0] - x, points[:, 2] - eye[2] - z)
        red += np.exp(-((aside / wide) ** 2)) * (points[:, 1] < eye[1] + 0.05)
    layer = thing.data.attributes.new(BLUSH, "FLOAT", "POINT")
    layer.data.foreach_set("value", np.clip(red, 0, 1).astype(np.float32) * 0.75)


def skin(tone: Colour, lips: Colour, ruddy: float = 0.5) -> bpy.types.Material:
    """Skin that light goes into; the masks of the body tell lips, ears, lids and nails."""
    surface = Surface("skin", tone, 0.48)
    tree = surface.tree
    uneven = surface.tree.nodes.new("ShaderNodeMixRGB")
    uneven.inputs["Fac"].default_value = 0.45
    tree.links.new(surface.noise(35, 3), uneven.inputs["Color1"])
    tree.links.new(surface.noise(420, 3), uneven.inputs["Color2"])
    mottled = surface.colours(
        uneven.outputs[0],
        (0.35, scaled(tone, 0.84)),
        (0.5, tone),
        (0.65, (tone[0] * 1.08, tone[1] * 1.03, tone[2])),
    )
    flushed = (min(1, tone[0] * 1.02), tone[1] * (1 - 0.3 * ruddy), tone[2] * (1 - 0.32 * ruddy))
    blush = tree.nodes.new("ShaderNodeAttribute")
    blush.attribute_name = BLUSH
    mottled = _mixed(tree, mottled, flushed, blush.outputs["Fac"])
    colour = _mixed(tree, mottled, flushed, _mask(tree, "ears", 0.7))
    colour = _mixed(tree, colour, flushed, _mask(tree, "eyelids", 0.45))
    colour = _mixed(tree, colour, lips, _mask(tree, "lips", 0.85))
    colour = _mixed(tree, colour, scaled(flushed, 1.12), _mask(tree, "fingernails", 0.8))
    surface.paint(colour)
    surface.bump(surface.noise(620, 3), 0.3, 0.0012)
    surface.set("Subsurface Weight", 1.0)
    surface.set("Subsurface Radius", (1.0, 0.36, 0.18))
    surface.set("Subsurface Scale", 0.0042)
    surface.set("Specular IOR Level", 0.42)
    surface.set("Coat Weight", 0.06)
    surface.set("Coat Roughness", 0.32)
    return surface.material


def _mask(tree: bpy.types.NodeTree, name: str, amount: float) -> bpy.types.NodeSocket:
    image = tree.nodes.new("ShaderNodeTexImage")
    image.image = bpy.data.images.load(str(bodies.mask_file(name)), check_existing=True)
    image.image.colorspace_settings.name = "Non-Color"
    product = tree.nodes.new("ShaderNodeMath")
    product.operation = "MULTIPLY"
    product.inputs[1].default_value = amount
    tree.links.new(image.outputs["Color"], product.inputs[0])
    return product.outputs[0]


def _mixed(
    tree: bpy.types.NodeTree, under: bpy.types.NodeSocket, over: Colour, where: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    node = tree.nodes.new("ShaderNodeMixRGB")
    node.inputs["Color2"].default_value = (*over, 1)
    tree.links.new(where, node.inputs["Fac"])
    tree.links.new(under, node.inputs["Color1"])
    return node.outputs[0]


def hair(melanin: float, redness: float = 0.3, roughness: float = 0.3) -> bpy.types.Material:
    """Every strand a little lighter or darker than the next."""
    material = bpy.data.materials.new("hair")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.remove(tree.nodes["Principled BSDF"])
    shader = tree.nodes.new("ShaderNodeBsdfHairPrincipled")
    shader.parametrization = "MELANIN"
    shader.inputs["Melanin"].default_value = melanin
    shader.inputs["Melanin Redness"].default_value = redness
    shader.inputs["Random Color"].default_value = 0.35
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Radial Roughness"].default_value = 0.45
    shader.inputs["Random Roughness"].default_value = 0.2
    tree.links.new(shader.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return material


def eyes(body: bodies.Body, iris: Colour, look_at: Vector) -> None:
    """Two balls that look at a point."""
    material = _eye(iris)
    for side in "lr":
        places = body.places(f"helper-{side}-eye")
        low, high = places.min(axis=0), places.max(axis=0)
        radius = (high[0] - low[0]) / 2
        centre = Vector(((low[0] + high[0]) / 2, high[1] - radius, (low[2] + high[2]) / 2))
        bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=48, radius=radius, location=centre)
        ball = bpy.context.object
        ball.rotation_euler = (look_at - centre).to_track_quat("Z", "Y").to_euler()
        _bulge(ball, radius)
        bpy.ops.object.shade_smooth()
        ball.data.materials.append(material)


def _bulge(ball: bpy.types.Object, radius: float) -> None:
    """The cornea stands out before the iris."""
    for vertex in ball.data.vertices:
        aside = np.hypot(vertex.co.x, vertex.co.y) / radius
        if vertex.co.z > 0 and aside < 0.55:
            vertex.co *= 1 + 0.045 * (1 - (aside / 0.55) ** 2)


def _eye(iris: Colour) -> bpy.types.Material:
    """White, iris and pupil by the distance from the axis, in parts of a radius of 12 mm or so."""
    surface = Surface("eye", (0.8, 0.78, 0.75), 0.25)
    tree = surface.tree
    split, across = tree.nodes.new("ShaderNodeSeparateXYZ"), tree.nodes.new("ShaderNodeCombineXYZ")
    tree.links.new(surface.stretched((1, 1, 1)), split.inputs[0])
    for axis in "XY":
        tree.links.new(split.outputs[axis], across.inputs[axis])
    length = tree.nodes.new("ShaderNodeVectorMath")
    length.operation = "LENGTH"
    tree.links.new(across.outputs[0], length.inputs[0])
    scale = tree.nodes.new("ShaderNodeMath")
    scale.operation = "MULTIPLY"
    scale.inputs[1].default_value = 100
    tree.links.new(length.outputs["Value"], scale.inputs[0])
    white, dark = (0.74, 0.7, 0.66), (0.004, 0.004, 0.004)
    paint = surface.colours(
        scale.outputs[0],
        (0.0, dark), (0.21, dark), (0.25, scaled(iris, 1.3)), (0.46, iris), (0.56, scaled(iris, 0.25)),
        (0.63, white), (1.0, (0.66, 0.56, 0.52)),
    )  # fmt: skip
    surface.paint(paint)
    surface.set("Coat Weight", 1.0)
    surface.set("Coat Roughness", 0.01)
    surface.set("Subsurface Weight", 0.2)
    surface.set("Subsurface Radius", (0.004, 0.002, 0.001))
    return surface.material
