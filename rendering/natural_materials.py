"""Earth, water, leaves and bark."""

from __future__ import annotations

import bpy
from materials import Colour, Surface, scaled


def ground(*colours: Colour, scale: float = 3.0, bump: float = 0.6) -> bpy.types.Material:
    """Earth, sand, gravel or turf: patches of the colours, and roughness underfoot."""
    surface = Surface("ground", colours[0], 1.0)
    places = [0.3 + 0.4 * place / max(1, len(colours) - 1) for place in range(len(colours))]
    surface.paint(surface.colours(surface.noise(scale, 12), *zip(places, colours, strict=True)))
    surface.bump(surface.noise(scale * 14, 8), bump, 0.03)
    return surface.material


def water(
    colour: Colour = (0.02, 0.06, 0.07), ripple: float = 0.25, scale: float = 2.0
) -> bpy.types.Material:
    surface = Surface("water", colour, 0.03)
    surface.set("IOR", 1.33)
    surface.bump(surface.noise(scale, 4, (1, 2.4, 1)), ripple, 0.05)
    return surface.material


def leaf(one: Colour, two: Colour) -> bpy.types.Material:
    """Leaves and blades: every one a little different, with light shining through."""
    surface = Surface("leaf", one, 0.55)
    tree = surface.tree
    which = tree.nodes.new("ShaderNodeNewGeometry")
    paint = surface.colours(which.outputs["Random Per Island"], (0.0, one), (1.0, two))
    surface.paint(paint)
    through, both = tree.nodes.new("ShaderNodeBsdfTranslucent"), tree.nodes.new("ShaderNodeMixShader")
    both.inputs["Fac"].default_value = 0.3
    tree.links.new(paint, through.inputs["Color"])
    tree.links.new(surface.shader.outputs[0], both.inputs[1])
    tree.links.new(through.outputs[0], both.inputs[2])
    tree.links.new(both.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return surface.material


def bark(colour: Colour = (0.14, 0.10, 0.07)) -> bpy.types.Material:
    surface = Surface("bark", colour, 1.0)
    rough = surface.noise(9, 10, (1, 1, 0.22))
    surface.paint(surface.colours(rough, (0.35, scaled(colour, 0.45)), (0.65, scaled(colour, 1.4))))
    surface.bump(rough, 1.0, 0.06)
    return surface.material
