"""What a turn of a session left of the picture where nothing was asked to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.metrics.base import Reading
from convergebench.metrics.regions._alignment import alignment
from convergebench.metrics.regions.footprint import Footprint, LocatedEdit
from convergebench.metrics.regions.map_parts import Histogram, map_parts
from convergebench.metrics.regions.maps import FOOTPRINT_SIDE, ReferencePicture, shrunk
from convergebench.metrics.regions.measures import (
    collateral,
    edited_region,
    kept,
)
from convergebench.metrics.regions.returns import GLOBAL, kept_registered
from convergebench.types import Pixels


@dataclass(frozen=True)
class TurnRegions:
    """A turn against the source; a value that cannot be had is the reason why."""

    flip: float
    flip_peak: float
    flip_area: float
    footprint: float
    """Share of the picture that this turn touched."""
    kept: Reading
    kept_registered: Reading
    collateral: Reading
    inside: Histogram
    """Of the smoothed full-size map, in the footprints of all turns so far."""
    outside: Histogram


def measure_turn(
    source: ReferencePicture,
    edit: LocatedEdit,
    picture: Pixels,
    earlier: Sequence[Footprint] = (),
    *,
    whole: bool = False,
) -> TurnRegions:
    """Compare a turn's picture with the source, of one size, outside the footprints of all turns so far.

    `whole`: a change of the whole picture was asked for in this turn or before, so there is no rest.
    """
    height, width, _ = source.pixels.shape
    footprints = (*earlier, edit.footprint)
    full = source.difference(picture)
    edited = edited_region(footprints, (height, width))
    inside, outside = map_parts(full.smoothed, edited)
    as_it_is = GLOBAL if whole else kept(outside, footprints)
    on_source = alignment(source.levels, shrunk(picture, FOOTPRINT_SIDE))
    return TurnRegions(
        flip=full.mean,
        flip_peak=float(full.smoothed.max()),
        flip_area=(inside.visible + outside.visible) / full.smoothed.size,
        footprint=edit.footprint.share,
        kept=as_it_is,
        kept_registered=kept_registered(source, picture, on_source, as_it_is, edited, footprints),
        collateral=GLOBAL if whole else collateral(outside),
        inside=inside.histogram,
        outside=outside.histogram,
    )
