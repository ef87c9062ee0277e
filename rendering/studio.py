"""The empty scene: camera, light, and how it is rendered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import bpy
from mathutils import Vector

Point = Sequence[float]
_SAMPLES = 12
_THREADS = 2

_device = "CPU"


def use_gpu() -> None:
    """Render on CUDA devices instead of the processor."""
    global _device
    _device = "GPU"


def _choose_cuda() -> None:
    preferences = bpy.context.preferences.addons["cycles"].preferences
    preferences.compute_device_type = "CUDA"
    preferences.refresh_devices()
    for device in preferences.devices:
        device.use = device.type == "CUDA"


def empty_scene(width: int, height: int, seed: int) -> None:
    """Nothing in it, and Cycles with its denoiser as we always use it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if _device == "GPU":
        _choose_cuda()
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.threads_mode, scene.render.threads = "FIXED", _THREADS
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - High Contrast"
    scene.view_settings.exposure = 0.2
    cycles = scene.cycles
    cycles.device, cycles.seed, cycles.samples = _device, seed, _SAMPLES
    cycles.use_adaptive_sampling, cycles.adaptive_threshold = True, 0.08
    cycles.adaptive_min_samples = 8
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.denoising_prefilter, cycles.denoising_quality = "FAST", "BALANCED"
    cycles.max_bounces, cycles.transparent_max_bounces = 5, 16
    cycles.sample_clamp_indirect, cycles.blur_glossy = 6.0, 0.5
    cycles.caustics_reflective = cycles.caustics_refractive = False


def camera(at: Point, to: Point, lens: float = 50.0, f_stop: float | None = None) -> None:
    """A camera with a 36 mm sensor; with an f-stop, what it points at is in focus and the rest is not."""
    data = bpy.data.cameras.new("camera")
    data.lens = lens
    data.clip_end = 5000
    if f_stop is not None:
        data.dof.use_dof = True
        data.dof.aperture_fstop = f_stop
        data.dof.focus_distance = (Vector(to) - Vector(at)).length
    placed = bpy.data.objects.new("camera", data)
    placed.location = at
    placed.rotation_euler = (Vector(to) - Vector(at)).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(placed)
    bpy.context.scene.camera = placed


def area_light(
    at: Point,
    to: Point,
    watts: float,
    size: float = 1.0,
    colour: tuple[float, float, float] = (1, 1, 1),
) -> None:
    """A soft square light that the camera does not see."""
    data = bpy.data.lights.new("area", "AREA")
    data.energy, data.size, data.color = watts, size, colour
    placed = bpy.data.objects.new("area", data)
    placed.location = at
    placed.rotation_euler = (Vector(to) - Vector(at)).to_track_quat("-Z", "Y").to_euler()
    placed.visible_camera = False
    bpy.context.collection.objects.link(placed)


def bulb(
    at: Point, watts: float, radius: float = 0.04, colour: tuple[float, float, float] = (1, 0.72, 0.42)
) -> None:
    """A light in all directions: a lamp, a candle."""
    data = bpy.data.lights.new("bulb", "POINT")
    data.energy, data.shadow_soft_size, data.color = watts, radius, colour
    placed = bpy.data.objects.new("bulb", data)
    placed.location = at
    bpy.context.collection.objects.link(placed)


def sky(elevation: float, rotation: float, strength: float = 0.12, dust: float = 1.0) -> None:
    """Sun and sky, in degrees: elevation above the horizon, rotation around the zenith.

    The strength stands for the exposure: a clear noon is about ten times as bright as Blender's units.
    """
    tree = _world()
    texture = tree.nodes.new("ShaderNodeTexSky")
    texture.sky_type = "NISHITA"
    texture.sun_elevation, texture.sun_rotation = math.radians(elevation), math.radians(rotation)
    texture.dust_density = dust
    texture.sun_size = math.radians(1.2)
    background = tree.nodes["Background"]
    background.inputs["Strength"].default_value = strength
    tree.links.new(texture.outputs[0], background.inputs["Color"])


def clouded_sky(
    elevation: float, rotation: float, strength: float = 0.12, cover: float = 0.5, dust: float = 1.0
) -> None:
    """Sun and sky with fair-weather clouds; `cover` from 0 (none) to 1 (all)."""
    sky(elevation, rotation, strength, dust)
    tree = bpy.context.scene.world.node_tree
    texture = next(node for node in tree.nodes if node.type == "TEX_SKY")
    where = tree.nodes.new("ShaderNodeTexCoord")
    split = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(where.outputs["Generated"], split.inputs[0])
    flat = _on_cloud_layer(tree, split)
    noise = tree.nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 1.1, 9
    noise.inputs["Roughness"].default_value = 0.56
    tree.links.new(flat.outputs[0], noise.inputs["Vector"])
    shape = _ramp(tree, noise.outputs["Fac"], 0.72 - 0.4 * cover, 0.86 - 0.36 * cover)
    fade = _ramp(tree, split.outputs["Z"], 0.02, 0.16)
    amount = _product(tree, shape, fade)
    white = tree.nodes.new("ShaderNodeVectorMath")
    white.operation = "SCALE"
    white.inputs[0].default_value = (1.0, 0.97, 0.93)
    white.inputs["Scale"].default_value = 7.0 if elevation > 15 else 3.2
    mix = tree.nodes.new("ShaderNodeMixRGB")
    tree.links.new(amount, mix.inputs["Fac"])
    tree.links.new(texture.outputs[0], mix.inputs["Color1"])
    tree.links.new(white.outputs[0], mix.inputs["Color2"])
    tree.links.new(mix.outputs[0], tree.nodes["Background"].inputs["Color"])


def overcast(strength: float = 1.0, colour: tuple[float, float, float] = (0.86, 0.91, 1.0)) -> None:
    """An even sky without a sun."""
    background = _world().nodes["Background"]
    background.inputs["Color"].default_value = (*colour, 1)
    background.inputs["Strength"].default_value = strength


def expose(stops: float) -> None:
    bpy.context.scene.view_settings.exposure = stops


def refine(samples: int) -> None:
    """At least so many samples, and less noise left to the denoiser."""
    cycles = bpy.context.scene.cycles
    cycles.samples = max(cycles.samples, samples)
    cycles.adaptive_threshold = min(cycles.adaptive_threshold, 0.02)


def make_preview() -> None:
    """For a first look: half the sides, few samples."""
    scene = bpy.context.scene
    scene.render.resolution_percentage = 50
    scene.cycles.samples = 12


def render(path: Path) -> None:
    scene = bpy.context.scene
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def _world() -> bpy.types.NodeTree:
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    bpy.context.scene.world = world
    return world.node_tree


def _on_cloud_layer(tree: bpy.types.NodeTree, split: bpy.types.Node) -> bpy.types.Node:
    """Directions seen as points of a plane overhead, so that clouds grow small towards the horizon."""
    height = tree.nodes.new("ShaderNodeMath")
    height.operation = "ADD"
    height.inputs[1].default_value = 0.12
    tree.links.new(split.outputs["Z"], height.inputs[0])
    flat = tree.nodes.new("ShaderNodeCombineXYZ")
    for axis in ("X", "Y"):
        ratio = tree.nodes.new("ShaderNodeMath")
        ratio.operation = "DIVIDE"
        tree.links.new(split.outputs[axis], ratio.inputs[0])
        tree.links.new(height.outputs[0], ratio.inputs[1])
        tree.links.new(ratio.outputs[0], flat.inputs[axis])
    flat.inputs["Z"].default_value = float(bpy.context.scene.cycles.seed % 97)
    return flat


def _ramp(
    tree: bpy.types.NodeTree, value: bpy.types.NodeSocket, low: float, high: float
) -> bpy.types.NodeSocket:
    node = tree.nodes.new("ShaderNodeMapRange")
    node.interpolation_type = "SMOOTHSTEP"
    node.inputs["From Min"].default_value, node.inputs["From Max"].default_value = low, high
    tree.links.new(value, node.inputs["Value"])
    return node.outputs["Result"]


def _product(
    tree: bpy.types.NodeTree, one: bpy.types.NodeSocket, two: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = "MULTIPLY"
    tree.links.new(one, node.inputs[0])
    tree.links.new(two, node.inputs[1])
    return node.outputs[0]
