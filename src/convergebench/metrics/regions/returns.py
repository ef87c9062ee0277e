"""All measurements of one return; each map and each registration is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.kernels.footprints import trace_products
from convergebench.metrics.base import MetricUnavailable, Reading
from convergebench.metrics.flip import FlipSource, WorstBox, smoothed_difference
from convergebench.metrics.regions._alignment import Alignment, alignment_of_planes
from convergebench.metrics.regions.close_up import CloseUp, close_up, occupied_part, resampled
from convergebench.metrics.regions.footprint import Footprint, LocatedEdit
from convergebench.metrics.regions.map_parts import Histogram, map_parts
from convergebench.metrics.regions.maps import (
    COARSE_SIDE,
    FloatMap,
    Mask,
    ReferencePicture,
    resized_mask,
    shrunk,
)
from convergebench.metrics.regions.measures import (
    NO_EDIT,
    LevelDifferences,
    collateral,
    edit_trace,
    kept,
    left_behind,
    restoration_difference,
    restored,
    rewritten,
    trace_of,
    undid,
    union,
    worst_region,
)
from convergebench.types import Pixels

GLOBAL = "a global edit leaves no rest"
NOTHING_LEFT = 0.02
"""Below this share, registration is skipped, because it is slow."""
ELSEWHERE = 1 / 128
"""As a share of the longer side, a pixel of the coarse map: if a corner moved further, `undid` is measured
after registration as well."""


@dataclass(frozen=True)
class ReturnRegions:
    """The measurements of a return by region; a missing value is the reason instead."""

    flip: float
    flip_peak: float
    flip_area: float
    footprint: float
    """Share of the picture in this round's footprint."""
    undid: Reading
    left_behind: Reading
    kept: Reading
    kept_registered: Reading
    collateral: Reading
    rewritten: Reading
    inside: Histogram
    """The histogram of the smoothed full-size map inside the footprints of all rounds so far."""
    outside: Histogram
    worst: WorstBox


def measure_return(
    source: ReferencePicture,
    edit: LocatedEdit,
    picture: ReferencePicture | Pixels,
    earlier: Sequence[Footprint] = (),
) -> ReturnRegions:
    """Compare a return with its source of the same size, given this round's edit and the earlier
    footprints.

    A return is the input of the next round: as a `ReferencePicture` it keeps what that needs too.
    """
    height, width, _ = source.pixels.shape
    footprints = (*earlier, edit.footprint)
    result = picture if isinstance(picture, ReferencePicture) else source.like(picture)
    returned, small = result.pixels, result.small
    on_source = alignment_of_planes(source.levels, result.planes)
    full = source.difference(returned)
    coarse = source.difference(shrunk(returned, COARSE_SIDE)).smoothed
    region = union(footprints)
    edited = resized_mask(region, (height, width))
    inside, outside = map_parts(full.smoothed, edited)
    as_it_is = kept(outside, footprints) if edit.scope == "local" else GLOBAL
    return ReturnRegions(
        flip=full.mean,
        flip_peak=float(full.smoothed.max()),
        flip_area=(inside.visible + outside.visible) / full.smoothed.size,
        footprint=edit.footprint.share,
        undid=_undid(source, edit, returned, small, coarse, _Edited(region, edited), on_source),
        left_behind=_left_behind(edit, result, on_source if edit.input is source else None),
        kept=as_it_is,
        kept_registered=kept_registered(source, returned, on_source, as_it_is, edited, footprints),
        collateral=collateral(outside) if edit.scope == "local" else GLOBAL,
        rewritten=rewritten(inside),
        inside=inside.histogram,
        outside=outside.histogram,
        worst=worst_region(coarse, (height, width)),
    )


class _Edited(NamedTuple):
    """The union of all footprints so far, at their size and at the picture's."""

    small: Mask
    full: Mask


def _undid(
    source: ReferencePicture,
    edit: LocatedEdit,
    returned: Pixels,
    small: Pixels,
    coarse: FloatMap,
    edited: _Edited,
    on_source: Alignment,
) -> Reading:
    """Within a close-up of all footprints so far."""
    if edit.footprint.is_empty:
        return NO_EDIT
    height, width, _ = returned.shape
    try:
        as_it_is = registered = _restored(source, returned, coarse, edited, edit.footprint)
        if on_source.moved(height, width, ELSEWHERE * max(height, width)):
            laid, reached = on_source.laid(returned)
            against = source.difference(shrunk(laid, COARSE_SIDE)).smoothed
            registered = _restored(source, laid, against, edited, edit.footprint, reached)
    except MetricUnavailable as error:
        return str(error)
    if isinstance(as_it_is, str):
        return as_it_is
    trace = _trace(source, edit, small, edited.small)
    return undid(as_it_is, as_it_is if isinstance(registered, str) else registered, trace)


def _restored(
    source: ReferencePicture,
    result: Pixels,
    coarse: FloatMap,
    edited: _Edited,
    footprint: Footprint,
    reached: Mask | None = None,
) -> Reading:
    """Of the part that the result covers; raises MetricUnavailable without the weights of LPIPS."""
    masks, region = [footprint.mask, edited.small], edited.full
    box = close_up(edited.small)
    if reached is not None:
        region = region & reached
        masks = [mask & resized_mask(reached, mask.shape) for mask in masks]
        if not masks[0].any():
            return NO_EDIT
    structural = source.structural_difference(result, region, box)
    cells = (structural.shape[0], structural.shape[1])
    difference = restoration_difference(box.in_cells(coarse, cells), structural)
    return restored(difference, [_in_cells(box, mask, cells) for mask in masks])


def _trace(source: ReferencePicture, edit: LocatedEdit, small: Pixels, edited: Mask) -> float:
    """Of a local edit; the remains of a global one have no shape of their own."""
    if edit.scope == "global":
        return 0.0
    pictures, core = (small, source.small, edit.small, edit.input.small), edit.footprint.core
    if kernels.available():
        return trace_of(*trace_products(*pictures, core, edited))
    return edit_trace(_differences(*pictures[:2]), _differences(*pictures[2:]), core, ~edited)


def _differences(one: Pixels, other: Pixels) -> LevelDifferences:
    return np.subtract(one, other, dtype=np.int16)


def _in_cells(box: CloseUp, mask: Mask, cells: tuple[int, int]) -> Mask:
    """Cells of which at least half is in the mask, or the nearest to that."""
    shares = resampled(box.crop(mask).astype(np.float32), cells)
    return np.asarray(shares >= min(0.5, float(shares.max())))


def _left_behind(edit: LocatedEdit, result: ReferencePicture, on_input: Alignment | None) -> Reading:
    """After registration if something seems to be left behind, because a reframed picture looks like that
    without it."""
    if edit.footprint.is_empty:
        return NO_EDIT
    as_it_is = _like_forward(edit, result.small_features)
    if isinstance(as_it_is, str) or as_it_is <= NOTHING_LEFT:
        return as_it_is
    on_input = on_input or alignment_of_planes(edit.input.levels, result.planes)
    laid, _ = on_input.laid_small(result.pixels, result.small)
    if np.array_equal(laid, result.small):
        return as_it_is
    return _like_forward(edit, edit.input.features_of(laid))


def _like_forward(edit: LocatedEdit, returned: FlipSource) -> Reading:
    core = edit.footprint.core
    if not core.any():
        return NO_EDIT
    part = occupied_part(core)
    to_forward, to_input = (
        smoothed_difference(one, returned, *part) for one in (edit.features, edit.input.small_features)
    )
    return left_behind(to_forward, to_input, core[part])


def kept_registered(
    source: ReferencePicture,
    returned: Pixels,
    on_source: Alignment,
    as_it_is: Reading,
    edited: Mask,
    footprints: Sequence[Footprint],
) -> Reading:
    """At least the value without registration: if only one part moved, following it would move the rest."""
    if isinstance(as_it_is, str) or as_it_is == 0 or not on_source.moved(*edited.shape):
        return kept_unmoved(on_source, as_it_is)
    laid, reached = on_source.laid(returned)
    _, outside = map_parts(source.difference(laid).smoothed, edited, reached)
    found = kept(outside, footprints)
    return found if isinstance(found, str) else max(as_it_is, found)


def kept_unmoved(on_source: Alignment, as_it_is: Reading) -> Reading:
    """`kept_registered` of a return that did not move, or of which nobody can say so."""
    if isinstance(as_it_is, str) or as_it_is == 0:
        return as_it_is
    return as_it_is if on_source.doubt is None else on_source.doubt
