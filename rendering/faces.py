"""Brows and lashes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import bpy
import numpy as np
from bodies import Points
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from strands import Head, as_curves, unit

_Curve = Callable[[float], np.ndarray]


def brows(head: Head, material: bpy.types.Material, seed: int, heavy: float = 1.0) -> None:
    """An arch of short hairs above each eye, flat on the skin."""
    chance, number = np.random.default_rng(seed), 420
    surface, strands = head.body.surface(), []
    aside = abs(head.body.centre("helper-l-eye")[0] - head.eye[0])
    for side in (-1, 1):
        along = chance.random(number) ** 0.85
        arch = 0.0165 + 0.0048 * np.sin(np.pi * along * 0.72) - 0.005 * np.maximum(along - 0.62, 0) / 0.38
        spread = 0.0036 * (1 - 0.75 * along**1.6) * heavy * chance.uniform(-1, 1, number)
        rise = 0.75 - 1.15 * along - 60 * spread * (0.3 + along)
        lean = np.stack((side * (0.45 + 0.6 * along), np.zeros(number), rise), axis=1)
        lean = unit(lean + chance.normal(0, 0.14, lean.shape))
        x, z = head.eye[0] + side * aside * (0.42 + 1.42 * along), head.eye[2] + arch + spread
        for place in range(number):
            strands.append(
                _on_face(surface, (x[place], z[place]), lean[place], 0.0085 * (1 - 0.35 * along[place]))
            )
    as_curves(np.array([strand for strand in strands if strand is not None]), 0.00013, material)


def _on_face(
    surface: BVHTree, start: tuple[float, float], lean: np.ndarray, length: float
) -> np.ndarray | None:
    places = []
    for step in range(5):
        x, z = start[0] + lean[0] * length * step / 4, start[1] + lean[2] * length * step / 4
        hit, normal, _, _ = surface.ray_cast(Vector((x, -2, z)), Vector((0, 1, 0)))
        if hit is None:
            return None
        places.append(hit + normal * (0.0002 + 0.0009 * (step / 4)))
    return np.array([place[:] for place in places])


def lashes(head: Head, material: bpy.types.Material, seed: int) -> None:
    """Long ones on the upper lids, short ones on the lower."""
    chance, strands = np.random.default_rng(seed), []
    for side in "lr":
        eye = head.body.places(f"helper-{side}-eye")
        centre = (eye.min(axis=0) + eye.max(axis=0)) / 2
        for lid, number, share, sag in (("2", 110, 0.95, 0.0012), ("1", 60, 0.5, -0.0004)):
            root, tip = _rims(head.body.places(f"helper-{side}-eyelashes-{lid}"), centre)
            for along in chance.uniform(0.04, 0.97, number):
                start, end = root(along), tip(min(1, max(0, along + chance.normal(0, 0.03))))
                end = start + (end - start) * share * chance.uniform(0.6, 1.0)
                strands.append(_bent(start, (start + end) / 2 - np.array((0, 0, sag)), end))
    as_curves(np.array(strands), 0.00011, material)


def _bent(start: np.ndarray, by: np.ndarray, end: np.ndarray) -> np.ndarray:
    part = np.linspace(0, 1, 5)[:, None]
    return (1 - part) ** 2 * start + 2 * part * (1 - part) * by + part**2 * end


def _rims(places: Points, centre: np.ndarray) -> tuple[_Curve, _Curve]:
    """The inner and the outer edge of a row of lashes, as curves from one corner of the eye to the other."""
    distance = np.linalg.norm(places - centre, axis=1)
    edges = np.quantile(places[:, 0], np.linspace(0, 1, 12))
    inner, outer = [], []
    for low, high in pairwise(edges):
        column = np.flatnonzero((places[:, 0] >= low) & (places[:, 0] <= high))
        inner.append(places[column[distance[column].argmin()]])
        outer.append(places[column[distance[column].argmax()]])
    return _curve(np.array(inner)), _curve(np.array(outer))


def _curve(points: Points) -> _Curve:
    along = np.linspace(0, 1, len(points))
    fits = [np.polynomial.Polynomial.fit(along, points[:, axis], 4) for axis in range(3)]
    return lambda place: np.array([fit(place) for fit in fits])
