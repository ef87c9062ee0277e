"""Where a forward edit changed the picture, seen from the pictures alone."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from convergebench.errors import WrongUse
from convergebench.metrics.regions._alignment import alignment
from convergebench.metrics.regions.maps import (
    FOOTPRINT_SIDE,
    FloatMap,
    Mask,
    ReferencePicture,
    shrunk,
)
from convergebench.metrics.regions.scope import EditScope
from convergebench.types import Pixels

RISE = 0.20
"""How far above the median of the map a pixel counts as edited."""
MOST_WEAR = 0.40
"""The highest median that is taken for wear: 16 levels of green give 0.26 to 0.35, pictures of different
things 0.62 to 0.93. Above it most of the picture was redrawn, and that is then the footprint."""
LEAST_AREA = 0.0005
"""A smaller share of the picture is no edit; a disc of 8 pixels on a picture of 512 is larger."""
DILATION = 1 / 64
"""Of the longer side; about the width of the smoothing window."""
_HEADER = struct.Struct("<BHHf")
_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Footprint:
    """The part of the picture that a forward edit touched, at most 256 pixels on the longer side."""

    mask: Mask
    core: Mask
    """Where the edit shows most: at least half the peak."""
    peak: float
    """The largest value of the smoothed map, edited or not."""

    @cached_property
    def share(self) -> float:
        """Of the picture."""
        return float(self.mask.mean())

    @property
    def is_empty(self) -> bool:
        return not self.mask.any()

    def to_bytes(self) -> bytes:
        """Format, height, width and peak, then both masks bit by bit and compressed."""
        height, width = self.mask.shape
        bits = np.packbits(np.concatenate([self.mask.ravel(), self.core.ravel()]))
        return _HEADER.pack(_FORMAT, height, width, self.peak) + zlib.compress(bits.tobytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> Footprint:
        format, height, width, peak = _HEADER.unpack_from(data)
        if format != _FORMAT:
            raise WrongUse(
                f"a footprint of format {format} was stored by a newer version; update convergebench"
            )
        bits = np.frombuffer(zlib.decompress(data[_HEADER.size :]), np.uint8)
        mask, core = np.unpackbits(bits, count=2 * height * width).view(bool).reshape(2, height, width)
        return cls(mask, core, peak)


@dataclass(frozen=True, eq=False)
class LocatedEdit:
    """A forward edit with its place, and what measuring its return needs again."""

    input: ReferencePicture
    small: Pixels
    """The forward picture at the footprint's size, laid on the input."""
    change: FloatMap
    """Smoothed map of the input against it."""
    footprint: Footprint
    scope: EditScope


def locate_edit(input: ReferencePicture, forward: Pixels, scope: EditScope) -> LocatedEdit:
    """Compare a forward picture with the picture it was made of, both of one size.

    A local edit is compared after registration, so that a picture that was moved as well is not all edited.
    """
    small = shrunk(forward, FOOTPRINT_SIDE)
    if scope == "global":
        change = input.difference(small).smoothed
        return LocatedEdit(input, small, change, whole_footprint(change), scope)
    laid, reached = alignment(input.levels, small).laid_small(forward)
    change = input.difference(laid).smoothed
    return LocatedEdit(input, laid, change, local_footprint(change, reached), scope)


def local_footprint(change: FloatMap, reached: Mask) -> Footprint:
    """What rises above the wear of the whole picture; nothing where the forward picture does not reach."""
    import cv2

    change = np.where(reached, change, np.float32(0))
    peak = float(change.max())
    wear = min(float(np.median(change[reached])), MOST_WEAR) if reached.any() else 0.0
    raised = change > wear + RISE
    if raised.mean() < LEAST_AREA:
        nothing = np.zeros_like(raised)
        return Footprint(nothing, nothing, peak)
    width = 2 * max(1, round(DILATION * max(change.shape))) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    mask = np.asarray(cv2.dilate(raised.astype(np.uint8), disc) > 0)
    return Footprint(mask, raised & (change >= peak / 2), peak)


def whole_footprint(change: FloatMap) -> Footprint:
    """Of a global edit: everywhere, with its core where it shows most."""
    peak = float(change.max())
    return Footprint(np.ones(change.shape, bool), change >= peak / 2, peak)
