"""The footprint of a forward edit: where it changed the picture, found from the pictures alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.errors import WrongUse
from convergebench.metrics._median import median
from convergebench.metrics.flip import FlipSource, flip_area, flip_difference, smoothed
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

if TYPE_CHECKING:
    from numpy.typing import NDArray

RISE = 0.20
"""A pixel counts as edited if it exceeds the median of the map by this."""
MOST_WEAR = 0.40
"""The highest median that is attributed to degradation: 16 levels of green give 0.26 to 0.35, unrelated
pictures 0.62 to 0.93. Above it, most of the picture was redrawn, and the footprint covers that."""
LEAST_AREA = 0.0005
"""A smaller share of the picture does not count as an edit; a disc of 8 pixels in a picture of 512 is
larger."""
DILATION = 1 / 64
"""As a share of the longer side; about the width of the smoothing window."""
_HEADER = struct.Struct("<BHHf")
_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Footprint:
    """The part of the picture that a forward edit touched, at most 256 pixels on the longer side."""

    mask: Mask
    core: Mask
    """The most visible part of the edit: at least half of the peak."""
    peak: float
    """The largest value of the smoothed map, edited or not."""

    @cached_property
    def share(self) -> float:
        """As a share of the picture."""
        return float(np.count_nonzero(self.mask) / self.mask.size)

    @property
    def is_empty(self) -> bool:
        return not self.mask.any()

    def to_bytes(self) -> bytes:
        """Format, height, width and peak, then both masks as compressed bits."""
        from isal import isal_zlib

        height, width = self.mask.shape
        bits = np.packbits(np.concatenate([self.mask.ravel(), self.core.ravel()]))
        return _HEADER.pack(_FORMAT, height, width, self.peak) + isal_zlib.compress(bits.tobytes(), 1)

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
    """A forward edit with its footprint, and intermediate results for measuring its return."""

    input: ReferencePicture
    brought_small: Callable[[], Pixels] = field(repr=False)
    """Makes `small`, which may be on a device."""
    visible: float
    """The share of the picture that visibly changed."""
    footprint: Footprint
    scope: EditScope
    known_features: FlipSource | None = field(default=None, repr=False)
    on_device: object = field(default=None, repr=False)
    """What a device needs of it to measure its return; None if it was located on the processor."""

    @cached_property
    def small(self) -> Pixels:
        """The forward picture at the footprint's size, aligned to the input."""
        return self.brought_small()

    @property
    def features(self) -> FlipSource:
        """What ꟻLIP's maps need of `small`."""
        return self.known_features or self.input.features_of(self.small)


def locate_edit(input: ReferencePicture, forward: Pixels, scope: EditScope) -> LocatedEdit:
    """Compare a forward picture with its input, both of the same size.

    A local edit is compared after registration, so that the footprint of a picture that also moved does not
    cover all of it.
    """
    small = shrunk(forward, FOOTPRINT_SIDE)
    if scope == "global":
        features = input.features_of(small)
        change = smoothed(flip_difference(input.small_features, features))
        return LocatedEdit(input, lambda: small, flip_area(change), whole_footprint(change), scope, features)
    laid, reached = alignment(input.levels, small).laid_small(forward, small)
    features = input.features_of(laid)
    change = smoothed(flip_difference(input.small_features, features))
    footprint = local_footprint(change, reached)
    return LocatedEdit(input, lambda: laid, flip_area(change), footprint, scope, features)


def local_footprint(change: FloatMap, reached: Mask) -> Footprint:
    """The part that exceeds the degradation of the whole picture, without areas that the forward picture does
    not cover."""
    import cv2

    covered = change if reached.all() else change[reached]
    wear = min(median(covered), MOST_WEAR) if covered.size else 0.0
    change = change if covered is change else np.where(reached, change, np.float32(0))
    peak = float(change.max())
    raised = change > wear + RISE
    if np.count_nonzero(raised) / raised.size < LEAST_AREA:
        nothing = np.zeros_like(raised)
        return Footprint(nothing, nothing, peak)
    mask = np.asarray(cv2.dilate(raised.astype(np.uint8), dilation_disc(*change.shape)) > 0)
    return Footprint(mask, raised & (change >= peak / 2), peak)


@lru_cache(maxsize=16)
def dilation_disc(height: int, width: int) -> NDArray[np.uint8]:
    """By which the raised part of a map of this size is dilated."""
    import cv2

    side = 2 * max(1, round(DILATION * max(height, width))) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def whole_footprint(change: FloatMap) -> Footprint:
    """The footprint of a global edit: the whole picture, with its core where the edit is most visible."""
    peak = float(change.max())
    return Footprint(np.ones(change.shape, bool), change >= peak / 2, peak)
