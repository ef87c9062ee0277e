"""People who sit for a picture: a body with skin, face and a top; hair comes from hairstyles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import bodies
import bpy
import clothes
import faces
import materials as m
import numpy as np
import skin
import strands
from bodies import Pose
from mathutils import Vector

ARMS_DOWN = Pose(
    {
        "clavicle.L": (0, 5, 0),
        "clavicle.R": (0, -5, 0),
        "upperarm01.L": (0, 36, 0),
        "upperarm01.R": (0, -36, 0),
    }
)
TURNED = Pose({**ARMS_DOWN.turned, "spine02": (0, 0, 14), "spine01": (0, 0, 12), "neck01": (0, 0, -26)})
"""The shoulders to one side, the face straight on."""

_SLOPE = 0.45
"""How much lower necklines are in front."""


def figure(people: str, gender: str, age: str = "young") -> dict[str, float]:
    """The shapes of MakeHuman that make up such a person."""
    return {
        f"macrodetails/{people}-{gender}-{age}": 1.0,
        f"macrodetails/universal-{gender}-{age}-averagemuscle-averageweight": 1.0,
    }


def expression(smile: float, open_eyes: float) -> dict[str, float]:
    where = "expression/units/caucasian"
    eyes = {f"{where}/eye-{side}-opened-up": open_eyes for side in ("left", "right")}
    return {f"{where}/mouth-corner-puller": smile, **eyes}


@dataclass(frozen=True)
class Colours:
    skin: m.Colour
    lips: m.Colour
    iris: m.Colour
    hair: tuple[float, float]
    """How much melanin, and how much of it is red."""


@dataclass(frozen=True)
class Top:
    material: bpy.types.Material
    sleeve: float = 1.9
    """Where it ends: 0 shoulder, 1 elbow, 2 wrist."""
    neckline: float = 0.005
    """Height above the lowest part of the neck, in metres."""
    folds: float = 0.01


class Sitter:
    def __init__(self, shapes: Mapping[str, float], colours: Colours, pose: Pose = ARMS_DOWN) -> None:
        self.body = bodies.body(shapes, pose)
        self.head = strands.Head.of(self.body)
        self.colours = colours
        self.hair = skin.hair(*colours.hair)

    @property
    def eye(self) -> Vector:
        return Vector(self.head.eye)

    def appear(self, top: Top, look_at: Vector, seed: int, brows: float = 1.0) -> None:
        """Builds all but the hair on the head."""
        colours, throat = self.colours, Vector(self.body.centre("joint-neck"))
        neck = (
            throat + Vector((0, 0, top.neckline)),
            (self._forward() * _SLOPE + Vector((0, 0, 1))).normalized(),
        )
        bare = clothes.shown(self.body, top.sleeve, neck)
        shown = self.body.mesh("body", bare)
        skin.blush(self.body, self.head, shown, self.body.numbers("body", bare))
        shown.data.materials.append(skin.skin(colours.skin, colours.lips))
        soft = shown.modifiers.new("soft", "SUBSURF")
        soft.levels = soft.render_levels = 2
        clothes.top(self.body, top.material, neck, top.sleeve, seed, top.folds)
        skin.eyes(self.body, colours.iris, look_at)
        faces.brows(self.head, skin.hair(max(0.12, colours.hair[0]), colours.hair[1]), seed, heavy=brows)
        faces.lashes(self.head, skin.hair(0.95), seed)

    def _forward(self) -> Vector:
        """Where the chest looks."""
        left, right = (Vector(self.body.centre(f"joint-{side}-shoulder")) for side in "lr")
        return (right - left).cross(Vector((0, 0, 1))).normalized() * -1

    def beside(self, around: float, away: float, above: float = 0.02) -> Vector:
        """A place for the camera: turned by degrees around the head, so many metres from the eyes."""
        turn = np.radians(around)
        return self.eye + Vector((np.sin(turn) * away, -np.cos(turn) * away, above))
