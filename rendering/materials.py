"""Surfaces: each a function that makes a material out of noise, without a picture file."""

from __future__ import annotations

import bpy

Colour = tuple[float, float, float]
_Socket = bpy.types.NodeSocket


class Surface:
    """A principled material whose inputs are set one by one; coordinates are the object's own, in metres."""

    def __init__(self, name: str, colour: Colour, roughness: float) -> None:
        self.material = bpy.data.materials.new(name)
        self.material.use_nodes = True
        self.tree = self.material.node_tree
        self.shader = self.tree.nodes["Principled BSDF"]
        self.set("Base Color", (*colour, 1))
        self.set("Roughness", roughness)
        self._place = self.tree.nodes.new("ShaderNodeTexCoord")

    def set(self, name: str, value: object) -> None:
        self.shader.inputs[name].default_value = value

    def noise(
        self, scale: float, detail: float = 6, stretch: Colour = (1, 1, 1), distortion: float = 0
    ) -> _Socket:
        node = self.tree.nodes.new("ShaderNodeTexNoise")
        node.inputs["Scale"].default_value = scale
        node.inputs["Detail"].default_value = detail
        node.inputs["Distortion"].default_value = distortion
        self.tree.links.new(self.stretched(stretch), node.inputs["Vector"])
        return node.outputs["Fac"]

    def stretched(self, stretch: Colour) -> _Socket:
        node = self.tree.nodes.new("ShaderNodeMapping")
        node.inputs["Scale"].default_value = stretch
        self.tree.links.new(self._place.outputs["Object"], node.inputs["Vector"])
        return node.outputs[0]

    def colours(self, value: _Socket, *stops: tuple[float, Colour]) -> _Socket:
        node = self.tree.nodes.new("ShaderNodeValToRGB")
        ramp = node.color_ramp
        while len(ramp.elements) < len(stops):
            ramp.elements.new(0.5)
        for element, (place, colour) in zip(ramp.elements, stops, strict=True):
            element.position, element.color = place, (*colour, 1)
        self.tree.links.new(value, node.inputs[0])
        return node.outputs[0]

    def paint(self, colour: _Socket) -> None:
        self.tree.links.new(colour, self.shader.inputs["Base Color"])

    def bump(self, height: _Socket, strength: float, depth: float = 0.02) -> None:
        node = self.tree.nodes.new("ShaderNodeBump")
        node.inputs["Strength"].default_value = strength
        node.inputs["Distance"].default_value = depth
        self.tree.links.new(height, node.inputs["Height"])
        self.tree.links.new(node.outputs[0], self.shader.inputs["Normal"])


def scaled(colour: Colour, factor: float) -> Colour:
    return (colour[0] * factor, colour[1] * factor, colour[2] * factor)


def plain(colour: Colour, roughness: float = 0.5, coat: float = 0.0) -> bpy.types.Material:
    """Paint or plastic."""
    surface = Surface("plain", colour, roughness)
    surface.set("Coat Weight", coat)
    surface.set("Coat Roughness", 0.06)
    return surface.material


def plaster(colour: Colour) -> bpy.types.Material:
    """A painted wall."""
    surface = Surface("plaster", colour, 0.85)
    surface.paint(surface.colours(surface.noise(1.4, 2), (0.3, scaled(colour, 0.94)), (0.7, colour)))
    return surface.material


def wood(colour: Colour = (0.36, 0.19, 0.09), grain: float = 1.0, gloss: float = 0.4) -> bpy.types.Material:
    """Grain along the x axis: broad figure, fine fibres."""
    surface = Surface("wood", colour, 0.65 - 0.4 * gloss)
    figure = surface.noise(7 * grain, 2, (0.1, 1, 1), 1.6)
    fibres = surface.noise(60 * grain, 3, (0.035, 1, 1), 0.4)
    both = surface.tree.nodes.new("ShaderNodeMixRGB")
    both.inputs["Fac"].default_value = 0.55
    surface.tree.links.new(figure, both.inputs["Color1"])
    surface.tree.links.new(fibres, both.inputs["Color2"])
    surface.paint(
        surface.colours(
            both.outputs[0], (0.34, scaled(colour, 0.55)), (0.5, colour), (0.66, scaled(colour, 1.3))
        )
    )
    surface.set("Coat Weight", 0.35 * gloss)
    surface.set("Coat Roughness", 0.2)
    return surface.material


def planks(
    colour: Colour = (0.42, 0.25, 0.13), width: float = 0.14, gloss: float = 0.5
) -> bpy.types.Material:
    """A wooden floor; every board has its own shade and grain."""
    surface = Surface("planks", colour, 0.6 - 0.3 * gloss)
    tree = surface.tree
    boards = tree.nodes.new("ShaderNodeTexBrick")
    boards.offset, boards.squash = 0.37, 1
    for name, value in (
        ("Scale", 1.0), ("Mortar Size", 0.0016), ("Mortar Smooth", 0.2), ("Bias", 0.0),
        ("Brick Width", 1.5), ("Row Height", width),
    ):  # fmt: skip
        boards.inputs[name].default_value = value
    boards.inputs["Color1"].default_value = (*scaled(colour, 0.72), 1)
    boards.inputs["Color2"].default_value = (*scaled(colour, 1.22), 1)
    boards.inputs["Mortar"].default_value = (*scaled(colour, 0.12), 1)
    tree.links.new(surface.stretched((1, 1, 1)), boards.inputs["Vector"])
    grain = surface.colours(
        surface.noise(30, 4, (0.06, 1, 1), 0.6), (0.25, (0.55, 0.52, 0.5)), (0.75, (1.0, 1.0, 1.0))
    )
    both = tree.nodes.new("ShaderNodeMixRGB")
    both.blend_type, both.inputs["Fac"].default_value = "MULTIPLY", 0.75
    tree.links.new(boards.outputs["Color"], both.inputs["Color1"])
    tree.links.new(grain, both.inputs["Color2"])
    surface.paint(both.outputs[0])
    surface.bump(boards.outputs["Fac"], -0.4, 0.003)
    return surface.material


def tiles(
    colour: Colour, joint: Colour = (0.5, 0.48, 0.45), size: float = 0.15, gloss: float = 0.8
) -> bpy.types.Material:
    """Square tiles in the object's x and y, or x and z for what stands upright."""
    surface = Surface("tiles", colour, 0.6 - 0.5 * gloss)
    pattern = surface.tree.nodes.new("ShaderNodeTexBrick")
    pattern.offset = 0
    for name, value in (("Scale", 1.0), ("Mortar Size", 0.004), ("Brick Width", size), ("Row Height", size)):
        pattern.inputs[name].default_value = value
    pattern.inputs["Color1"].default_value = (*colour, 1)
    pattern.inputs["Color2"].default_value = (*scaled(colour, 0.93), 1)
    pattern.inputs["Mortar"].default_value = (*joint, 1)
    surface.tree.links.new(surface.stretched((1, 1, 1)), pattern.inputs["Vector"])
    surface.paint(pattern.outputs["Color"])
    surface.bump(pattern.outputs["Fac"], -0.5, 0.003)
    return surface.material


def bricks(colour: Colour = (0.42, 0.17, 0.11), joint: Colour = (0.55, 0.52, 0.48)) -> bpy.types.Material:
    surface = Surface("bricks", colour, 0.9)
    pattern = surface.tree.nodes.new("ShaderNodeTexBrick")
    for name, value in (
        ("Scale", 1.0), ("Mortar Size", 0.008), ("Mortar Smooth", 0.3), ("Brick Width", 0.25),
        ("Row Height", 0.075),
    ):  # fmt: skip
        pattern.inputs[name].default_value = value
    pattern.inputs["Color1"].default_value = (*scaled(colour, 0.75), 1)
    pattern.inputs["Color2"].default_value = (*scaled(colour, 1.2), 1)
    pattern.inputs["Mortar"].default_value = (*joint, 1)
    surface.tree.links.new(surface.stretched((1, 1, 1)), pattern.inputs["Vector"])
    worn = surface.tree.nodes.new("ShaderNodeMixRGB")
    worn.blend_type, worn.inputs["Fac"].default_value = "MULTIPLY", 0.6
    surface.tree.links.new(pattern.outputs["Color"], worn.inputs["Color1"])
    surface.tree.links.new(
        surface.colours(surface.noise(9, 8), (0.3, (0.6, 0.58, 0.56)), (0.7, (1, 1, 1))),
        worn.inputs["Color2"],
    )
    surface.paint(worn.outputs[0])
    surface.bump(pattern.outputs["Fac"], -0.7, 0.008)
    return surface.material


def fabric(colour: Colour, weave: float = 320) -> bpy.types.Material:
    surface = Surface("fabric", colour, 0.95)
    surface.paint(surface.colours(surface.noise(5, 2), (0.3, scaled(colour, 0.85)), (0.7, colour)))
    surface.bump(surface.noise(weave, 2), 0.35, 0.003)
    surface.set("Sheen Weight", 0.4)
    return surface.material


def rug(one: Colour, two: Colour, scale: float = 9) -> bpy.types.Material:
    """A woven pattern of diamonds."""
    surface = Surface("rug", one, 1.0)
    pattern = surface.tree.nodes.new("ShaderNodeTexVoronoi")
    pattern.distance, pattern.inputs["Randomness"].default_value = "MANHATTAN", 0
    pattern.inputs["Scale"].default_value = scale
    surface.tree.links.new(surface.stretched((1, 1, 0)), pattern.inputs["Vector"])
    surface.paint(
        surface.colours(
            pattern.outputs["Distance"], (0.2, one), (0.24, two), (0.42, two), (0.46, scaled(one, 0.6))
        )
    )
    surface.bump(surface.noise(260, 2), 0.8, 0.008)
    return surface.material


def ceramic(colour: Colour, speckle: float = 0.0) -> bpy.types.Material:
    """Glazed, with specks of the clay showing through if wanted."""
    surface = Surface("ceramic", colour, 0.25)
    low = 0.64 - 0.06 * speckle
    surface.paint(
        surface.colours(surface.noise(140, 1), (low, colour), (low + 0.05, scaled(colour, 1 - 0.7 * speckle)))
    )
    surface.set("Coat Weight", 1.0)
    surface.set("Coat Roughness", 0.04)
    return surface.material


def glass(colour: Colour = (1, 1, 1), roughness: float = 0.0) -> bpy.types.Material:
    surface = Surface("glass", colour, roughness)
    surface.set("Transmission Weight", 1.0)
    surface.set("IOR", 1.45)
    return surface.material


def pane() -> bpy.types.Material:
    """Window glass that lets the light through unbent, so that rooms behind it are bright."""
    surface = Surface("pane", (1, 1, 1), 0.0)
    tree = surface.tree
    clear, gloss, both = (
        tree.nodes.new(f"ShaderNode{name}") for name in ("BsdfTransparent", "BsdfGlossy", "MixShader")
    )
    gloss.inputs["Roughness"].default_value = 0.02
    both.inputs["Fac"].default_value = 0.06
    tree.links.new(clear.outputs[0], both.inputs[1])
    tree.links.new(gloss.outputs[0], both.inputs[2])
    tree.links.new(both.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return surface.material


def metal(colour: Colour = (0.8, 0.8, 0.82), roughness: float = 0.25) -> bpy.types.Material:
    surface = Surface("metal", colour, roughness)
    surface.set("Metallic", 1.0)
    return surface.material


def leather(colour: Colour) -> bpy.types.Material:
    surface = Surface("leather", colour, 0.45)
    cells = surface.tree.nodes.new("ShaderNodeTexVoronoi")
    cells.inputs["Scale"].default_value = 220
    surface.tree.links.new(surface.stretched((1, 1, 1)), cells.inputs["Vector"])
    surface.bump(cells.outputs["Distance"], 0.25, 0.002)
    surface.set("Coat Weight", 0.25)
    return surface.material


def marble(colour: Colour = (0.85, 0.84, 0.82), vein: Colour = (0.35, 0.34, 0.36)) -> bpy.types.Material:
    surface = Surface("marble", colour, 0.15)
    surface.paint(
        surface.colours(surface.noise(3.2, 12, distortion=2.2), (0.44, colour), (0.5, vein), (0.56, colour))
    )
    surface.set("Coat Weight", 0.5)
    return surface.material


def concrete(colour: Colour = (0.45, 0.44, 0.42)) -> bpy.types.Material:
    surface = Surface("concrete", colour, 0.9)
    surface.paint(
        surface.colours(surface.noise(4, 12), (0.3, scaled(colour, 0.7)), (0.7, scaled(colour, 1.1)))
    )
    surface.bump(surface.noise(60, 8), 0.3, 0.006)
    return surface.material


def fruit_skin(one: Colour, two: Colour, dimples: float = 0.0) -> bpy.types.Material:
    """From one colour into another, softly shining; dimples for oranges and lemons."""
    surface = Surface("skin", one, 0.32)
    surface.paint(surface.colours(surface.noise(14, 5, (1, 1, 0.35)), (0.38, one), (0.66, two)))
    surface.set("Subsurface Weight", 0.15)
    surface.set("Subsurface Radius", (0.01, 0.004, 0.002))
    surface.set("Coat Weight", 0.3)
    if dimples:
        surface.bump(surface.noise(230, 1), dimples, 0.003)
    return surface.material


def glow(colour: Colour, strength: float) -> bpy.types.Material:
    surface = Surface("glow", colour, 1.0)
    surface.set("Emission Color", (*colour, 1))
    surface.set("Emission Strength", strength)
    return surface.material
