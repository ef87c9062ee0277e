"""Smoothed maps of visible difference, at the sizes that measurements by region need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from convergebench import kernels
from convergebench.kernels import footprints
from convergebench.lru_cache import LruCache
from convergebench.metrics._area_average import averaged
from convergebench.metrics._lpips_map import DistanceMaps, LpipsAgainst, lpips_with
from convergebench.metrics.base import MetricOptions
from convergebench.metrics.drift._registration import Level, levels_of, planes_of
from convergebench.metrics.flip import (
    PIXELS_PER_DEGREE,
    FlipAgainst,
    FlipSource,
    flip_map,
    flip_mean,
    flip_source,
    smoothed,
)
from convergebench.metrics.regions.close_up import CloseUp, cells_of, resampled
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.metrics.drift._registration import Plane

FloatMap: TypeAlias = "NDArray[np.float32]"
Mask: TypeAlias = "NDArray[np.bool_]"

FOOTPRINT_SIDE = 256
COARSE_SIDE = 128


class VisibleDifference(NamedTuple):
    """The visibility of the difference of two pictures, from 0 to 1 at every pixel."""

    mean: float
    """The mean of ꟻLIP's map before smoothing."""
    smoothed: FloatMap


@dataclass(frozen=True)
class ReferencePicture:
    """A picture with which others of its size are compared; intermediate results are computed on first
    use."""

    pixels: Pixels
    flip_against: FlipAgainst
    lpips_against: LpipsAgainst = field(default_factory=lambda: lpips_with(MetricOptions()), repr=False)
    pixels_per_degree: float = PIXELS_PER_DEGREE
    _prepared: dict[int, Callable[[Pixels], FloatMap]] = field(default_factory=dict, repr=False)
    _close_ups: LruCache[CloseUp, Callable[[Pixels], DistanceMaps]] = field(
        default_factory=lambda: LruCache(count=2), repr=False
    )

    @property
    def side(self) -> int:
        """The longer side."""
        height, width, _ = self.pixels.shape
        return int(max(height, width))

    @cached_property
    def small(self) -> Pixels:
        return shrunk(self.pixels, FOOTPRINT_SIDE)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels for registration, computed from `small`; empty if it is too small."""
        return levels_of(self.planes)

    @cached_property
    def planes(self) -> list[Plane]:
        """By which `small` is registered to another picture."""
        return planes_of(self.small)

    @cached_property
    def small_features(self) -> FlipSource:
        """What ꟻLIP's maps need of `small`."""
        return self.features_of(self.small)

    def features_of(self, small: Pixels) -> FlipSource:
        """What ꟻLIP's maps need of a picture of the size of `small`, with the same field of view. Maps of
        that size are always made on the processor."""
        return flip_source(small, self._pixels_per_degree_of(small))

    def like(self, pixels: Pixels) -> ReferencePicture:
        """Another picture of this size."""
        return ReferencePicture(pixels, self.flip_against, self.lpips_against, self.pixels_per_degree)

    def difference(self, result: Pixels) -> VisibleDifference:
        """The map of a result that has this picture's size, or of one that was reduced by `shrunk`."""
        if result.shape == self.small.shape:
            return _visible(flip_map(self.small_features, result))
        side = max(result.shape[:2])
        if side not in self._prepared:
            self._prepared[side] = self.compared_by(shrunk(self.pixels, side))
        return _visible(self._prepared[side](result))

    def structural_difference(self, result: Pixels, region: Mask, box: CloseUp) -> FloatMap:
        """LPIPS at every place of a close-up, where the result differs in the region alone; raises
        MetricUnavailable without its weights."""
        compare = self._close_ups.get(box, lambda: self.lpips_against(box.of(self.pixels)))
        shown = box.laid_into(self.pixels, result, region)
        cells = cells_of(*shown.shape[:2])
        taps = [resampled(found, cells) for found in compare(shown)]
        return np.asarray(np.sum(taps, axis=0), np.float32)

    def compared_by(self, reference: Pixels) -> Callable[[Pixels], FloatMap]:
        """Maps against another reference with the same field of view, at this size or a smaller one."""
        return self.flip_against(reference, self._pixels_per_degree_of(reference))

    def _pixels_per_degree_of(self, reduced: Pixels) -> float:
        share: float = max(reduced.shape[:2]) / self.side
        return self.pixels_per_degree * share


def _visible(found: FloatMap) -> VisibleDifference:
    return VisibleDifference(flip_mean(found), smoothed(found))


def shrunk(pixels: Pixels, side: int) -> Pixels:
    """Averaged down to this longer side; unchanged if it is not longer."""
    height, width = shrunk_size(pixels.shape, side)
    return pixels if (height, width) == pixels.shape[:2] else averaged(pixels, width, height)


def shrunk_size(shape: tuple[int, ...], side: int) -> tuple[int, int]:
    """Height and width of a picture of this shape after `shrunk`."""
    height, width = shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return height, width
    return max(1, round(height * scale)), max(1, round(width * scale))


def ramp(found: FloatMap, start: float, span: float) -> FloatMap:
    """0 up to the start, then rising to 1 over the span."""
    return np.asarray(np.clip((found - start) / span, 0, 1), np.float32)


def resized_mask(mask: Mask, shape: tuple[int, int]) -> Mask:
    """The mask of a reduced picture at the original size, or at any other size."""
    import cv2

    if mask.shape == shape:
        return mask
    size, factor = (shape[1], shape[0]), shape[0] // mask.shape[0]
    if factor and (mask.shape[0] * factor, mask.shape[1] * factor) == shape and kernels.available():
        return footprints.enlarged(mask, factor)
    if mask.shape[0] > shape[0]:
        return np.asarray(cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA) >= 0.5)
    levels = np.ascontiguousarray(mask).view(np.uint8)
    return np.asarray(cv2.resize(levels, size, interpolation=cv2.INTER_NEAREST)).view(bool)
