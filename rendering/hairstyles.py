"""Ways to wear hair."""

from __future__ import annotations

import bpy
import numpy as np
import strands
from bodies import Points
from strands import Growth, Head, hairline

_SHORT = hairline(
    (
        (0.0, 0.66), (0.12, 0.64), (0.26, 0.52), (0.34, 0.2), (0.4, -0.22), (0.5, -0.2), (0.535, 0.16),
        (0.6, 0.18), (0.68, 0.0), (0.74, -0.5), (0.85, -0.8), (1.0, -0.85),
    )
)  # fmt: skip
"""With sideburns, and around the ears."""

_FULL = hairline(
    (
        (0.0, 0.62), (0.12, 0.6), (0.24, 0.46), (0.36, 0.2), (0.44, 0.0), (0.535, 0.14), (0.6, 0.16),
        (0.7, -0.1), (0.8, -0.5), (1.0, -0.7),
    )
)  # fmt: skip


def crop(
    head: Head, material: bpy.types.Material, seed: int, top: float = 0.042, side: float = 0.012
) -> None:
    """Short, longer on top, from a whorl at the back of the head to all sides."""
    whorl = head.at(0.01, 0.85, 0.8)

    def length(points: Points) -> np.ndarray:
        return np.interp(head.relative(points)[:, 2], (0, 0.35, 0.75), (side * 0.6, side * 1.4, top))

    how = Growth(lambda points: points - whorl, length, lift=0.9, volume=0.005)
    starts, normals = strands.roots(head, _SHORT, 30000, seed)
    strands.as_curves(strands.grow(head.body, starts, normals, how, seed), 0.00018, material)


def swept_back(head: Head, material: bpy.types.Material, seed: int, longest: float = 0.07) -> None:
    """Combed from the forehead to the back."""
    aim = head.at(0, 1.6, 0.1)

    def length(points: Points) -> np.ndarray:
        return np.interp(head.relative(points)[:, 2], (-0.2, 0.3, 0.7), (0.02, longest * 0.6, longest))

    how = Growth(lambda points: aim - points, length, steps=10, lift=1.1, volume=0.006, unrest=0.25, locks=45)
    starts, normals = strands.roots(head, _SHORT, 32000, seed)
    strands.as_curves(strands.grow(head.body, starts, normals, how, seed), 0.00017, material)


def curls(
    head: Head, material: bpy.types.Material, seed: int, longest: float = 0.035, wide: float = 0.004
) -> None:
    """Short tight curls that stand off the head."""
    middle = head.at(0, 0.55, 0.2)

    def length(points: Points) -> np.ndarray:
        return longest * np.interp(head.relative(points)[:, 2], (-0.4, 0.3, 0.7), (0.35, 0.8, 1))

    how = Growth(
        lambda points: points - middle, length, steps=14, lift=2.5, volume=0.003, unrest=0.5, locks=90
    )
    starts, normals = strands.roots(head, _SHORT, 26000, seed)
    grown = strands.grow(head.body, starts, normals, how, seed)
    strands.as_curves(grown + _spirals(normals, grown.shape[1], wide, seed), 0.0002, material)


def _spirals(axes: np.ndarray, steps: int, wide: float, seed: int) -> np.ndarray:
    """How far a strand that winds around its axis is off it, at each step."""
    start = np.random.default_rng(seed + 1).uniform(0, 6.3, (len(axes), 1))
    turn = np.linspace(0, 16, steps)[None, :] + start
    reach = np.linspace(0, 1, steps) ** 0.5 * wide
    one = np.cross(axes, (0.3, 0.2, 0.9))
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    two = np.cross(axes, one)
    return (np.cos(turn) * reach)[..., None] * one[:, None] + (np.sin(turn) * reach)[..., None] * two[:, None]


def long(
    head: Head,
    material: bpy.types.Material,
    seed: int,
    longest: float = 0.3,
    parting: float = 0.012,
    wave: float = 0.004,
) -> None:
    """From a parting to both sides, behind the temples and down."""

    def fall(points: Points) -> np.ndarray:
        place = head.relative(points)
        high = np.clip(place[:, 2], 0, 1)
        side = np.sign(points[:, 0] - head.eye[0] - parting)
        back = np.clip(0.42 - place[:, 1], 0, 1) * 4.6 * np.clip(high * 2, 0, 1)
        return np.stack((side * (0.03 + 1.3 * high**1.5), back, np.full(len(points), -1.0)), axis=1)

    def length(points: Points) -> np.ndarray:
        return longest + (points[:, 2] - head.eye[2]) * 0.6

    how = Growth(
        fall,
        length,
        steps=26,
        lift=0.4,
        fall=0.3,
        volume=0.016,
        unrest=0.1,
        locks=35,
        uneven=0.12,
        cling=0.006,
    )
    starts, normals = strands.roots(head, _FULL, 30000, seed)
    grown = strands.grow(head.body, starts, normals, how, seed)
    along = np.linspace(0, 1, grown.shape[1])
    chance = np.random.default_rng(seed + 1)
    phase = strands.wander(starts, 30, seed + 5)[:, :1] * 5 + chance.normal(0, 0.25, (len(grown), 1))
    grown[..., 0] += np.sin(along * 13 + phase) * wave * along
    grown[..., 1] += np.cos(along * 11 + phase) * wave * along
    strands.as_curves(grown, 0.0002, material)


def beard(head: Head, material: bpy.types.Material, seed: int, length: float = 0.012) -> None:
    """Cheeks, chin and upper lip, but not the lips."""

    def grows(head: Head, points: Points) -> np.ndarray:
        place = head.relative(points)
        cheek = np.interp(place[:, 1], (0.0, 0.08, 0.2, 0.35, 0.46), (-0.42, -0.46, -0.72, -0.5, -0.05))
        low = np.interp(place[:, 1], (0.0, 0.15, 0.5), (-1.3, -1.18, -0.7))
        inside = np.minimum((cheek - place[:, 2]) / 0.12, (place[:, 2] - low) / 0.15) + 0.4
        return np.clip(inside, 0, 1) * (place[:, 1] < 0.48)

    def down(points: Points) -> np.ndarray:
        return np.stack((points[:, 0] * 2, np.full(len(points), -0.1), np.full(len(points), -1.0)), axis=1)

    def even(points: Points) -> np.ndarray:
        return np.full(len(points), length)

    starts, normals = strands.roots(head, grows, 16000, seed, ("ears", "lips", "inside-mouth"))
    how = Growth(down, even, lift=0.5, volume=0.002, unrest=0.3, locks=90)
    strands.as_curves(strands.grow(head.body, starts, normals, how, seed), 0.00013, material)
