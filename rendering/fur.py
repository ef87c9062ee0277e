"""Short fur on things: hair that stands on the faces of one material."""

from __future__ import annotations

import bpy


def plush(
    thing: bpy.types.Object, material: str, seed: int, share: float = 0.009, count: int = 60000
) -> None:
    """Fur as long as this share of the thing's height, on faces whose material's name holds `material`."""
    slots = [slot.material.name if slot.material else "" for slot in thing.material_slots]
    furry = {number for number, name in enumerate(slots) if material in name} or set(range(len(slots)))
    group = thing.vertex_groups.new(name="fur")
    corners = {c for face in thing.data.polygons if face.material_index in furry for c in face.vertices}
    bare = {c for face in thing.data.polygons if face.material_index not in furry for c in face.vertices}
    group.add(sorted(corners - bare), 1.0, "REPLACE")
    thing.modifiers.new("fur", "PARTICLE_SYSTEM")
    system = thing.particle_systems[0]
    system.seed, system.vertex_group_density = seed, "fur"
    length = share * thing.dimensions.z
    hair = system.settings
    hair.type, hair.count, hair.hair_step, hair.render_step = "HAIR", count, 3, 3
    hair.use_advanced_hair = True
    hair.hair_length = length
    hair.normal_factor, hair.tangent_factor, hair.factor_random = length * 0.7, length * 0.25, length * 0.45
    hair.material = min(furry) + 1
    hair.child_type, hair.rendered_child_count, hair.clump_factor = "INTERPOLATED", 4, 0.4
    hair.roughness_endpoint, hair.roughness_2 = length * 0.4, length * 0.3
    hair.root_radius, hair.tip_radius, hair.radius_scale = 1.0, 0.25, length * 0.035
