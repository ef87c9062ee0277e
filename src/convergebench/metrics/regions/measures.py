"""The measurements of a return: what was undone, left behind, kept and rewritten.

Pure functions of smoothed maps and masks; docs/metrics.md has the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from convergebench.metrics.base import Reading
from convergebench.metrics.flip import WorstBox
from convergebench.metrics.regions.footprint import Footprint
from convergebench.metrics.regions.map_parts import MapPart
from convergebench.metrics.regions.maps import FloatMap, Mask, ramp, resized_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

LevelDifferences: TypeAlias = "NDArray[np.int16]"
"""Of two pictures, from -255 to 255."""

UNDID_START, UNDID_SPAN = 0.20, 0.40
STRUCTURE_START, STRUCTURE_SPAN = 0.02, 0.40
TRACE_START, TRACE_SPAN = 0.05, 0.20
WITH_A_TRACE = 0.25
"""The most that is undone where a person still recognises the edit."""
MOST_LOCAL = 0.5
WORST_SIDE = 0.25
"""As a share of the longer side of the picture."""

NO_EDIT = "the forward picture shows no edit"
NO_REST = "the edits cover the whole picture"


def restored(difference: FloatMap, parts: Sequence[Mask]) -> Reading:
    """1 if the source is back where it was edited, 0 if all of that still differs clearly.

    `difference` is `restoration_difference` of source and return. The lowest value counts, in this round's
    footprint and in all footprints so far: the remains of an earlier round are still visible, and are not
    part of the rest.
    """
    if not parts[0].any():
        return NO_EDIT
    return 1 - max(_mean(difference[part]) for part in parts)


def undid(as_it_is: float, registered: float, trace: float) -> float:
    """How much was restored, as the picture is and laid on the source; at most what a trace of it allows.

    A picture that moved is neither forgiven nor counted as lost: the geometric mean of both.
    """
    together = math.sqrt(as_it_is * max(as_it_is, registered))
    visible = min(max((trace - TRACE_START) / TRACE_SPAN, 0.0), 1.0)
    return min(together, 1 - (1 - WITH_A_TRACE) * visible)


def edit_trace(remains: LevelDifferences, change: LevelDifferences, core: Mask, rest: Mask) -> float:
    """The share of the edit that is still there, times its correlation with what remains.

    `remains` is return less source, `change` forward picture less input, in levels at the footprint's size.
    A pale ghost differs little from the source at any place, but in the edit's own shape, which a person
    recognises. A shift of all levels, as the rest has it, is no trace.
    """
    if not core.any():
        return 0.0
    around = remains[::4, ::4][rest[::4, ::4]]  # enough for a median, in a tenth of the time
    cast = np.median(around, axis=0) if len(around) else 0.0
    left = (remains[core] - cast).ravel().astype(np.float64)
    edit = change[core].ravel().astype(np.float64)
    return trace_of(float(left @ edit), float(edit @ edit), float(left @ left))


def trace_of(common: float, of_edit: float, of_left: float) -> float:
    """From the products of what is left with the edit, and of each with itself, over the core."""
    if common <= 0:
        return 0.0
    return common / of_edit * common / math.sqrt(of_edit * of_left)


def restoration_difference(visible: FloatMap, structural: FloatMap) -> FloatMap:
    """From 0 to 1 at every place: the larger of a visible difference (smoothed ꟻLIP at 128 pixels: colour and
    light) and a structural one (LPIPS: texture and shape)."""
    return np.maximum(
        ramp(visible, UNDID_START, UNDID_SPAN), ramp(structural, STRUCTURE_START, STRUCTURE_SPAN)
    )


def left_behind(to_forward: FloatMap, to_input: FloatMap, core: Mask) -> float:
    """Share of the core where the return is more similar to the forward picture than to that round's input.

    Both maps are of the return, aligned to the input, at the footprint's size, or of a part that has all of
    the core. The core is not empty.
    """
    return float((to_forward < to_input)[core].mean())


def edited_region(footprints: Sequence[Footprint], shape: tuple[int, int]) -> Mask:
    """The union of the footprints, at any size of the picture."""
    return resized_mask(union(footprints), shape)


def union(footprints: Sequence[Footprint]) -> Mask:
    """Of at least one, at their own size."""
    first, *others = (footprint.mask for footprint in footprints)
    together = first.copy()
    for mask in others:
        np.logical_or(together, mask, out=together)
    return together


def kept(outside: MapPart, footprints: Sequence[Footprint]) -> Reading:
    """1 if no difference is visible outside the edited region, 0 if all of the rest differs clearly.

    `outside` is the part of the full-size map of source against return outside the footprints. A local edit
    that covered more than half of the picture gives 0.
    """
    if any(footprint.share > MOST_LOCAL for footprint in footprints):
        return 0.0
    if not outside.pixels:
        return NO_REST
    return 1 - outside.unlike / outside.pixels


def collateral(outside: MapPart) -> Reading:
    """Share of the rest that visibly differs."""
    return outside.visible / outside.pixels if outside.pixels else NO_REST


def rewritten(inside: MapPart) -> Reading:
    """Share of the edited region that visibly differs."""
    return inside.visible / inside.pixels if inside.pixels else NO_EDIT


def worst_region(coarse: FloatMap, shape: tuple[int, int]) -> WorstBox:
    """The square with the largest mean difference, in pixels of a picture of this height and width.

    `flip.worst_box` finds the region around the peak instead, of any shape. A square of a fixed size makes
    crops of several models comparable.
    """
    import cv2

    rows, columns = coarse.shape
    side = max(1, min(round(WORST_SIDE * max(rows, columns)), rows, columns))
    sums = cv2.boxFilter(coarse, -1, (side, side), anchor=(0, 0), borderType=cv2.BORDER_CONSTANT)
    places = np.asarray(sums)[: rows - side + 1, : columns - side + 1]
    top, left = np.unravel_index(int(places.argmax()), places.shape)
    height, width = shape
    scale = max(height, width) / max(rows, columns)
    edge = min(round(side * scale), height, width)
    return WorstBox(
        min(round(left * scale), width - edge), min(round(top * scale), height - edge), edge, edge
    )


def _mean(values: FloatMap) -> float:
    return float(values.mean(dtype=np.float64))
