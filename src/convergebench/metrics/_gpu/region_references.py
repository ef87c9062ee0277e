"""What measuring by region needs of the pictures that others are compared with, kept on the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from convergebench.lru_cache import LruCache, array_bytes
from convergebench.metrics._gpu.flip import flip_features
from convergebench.metrics._gpu.pictures import brought
from convergebench.metrics._gpu.registration_planes import DeviceLevel, pyramids, registration_planes
from convergebench.metrics._gpu.resampling import averaged
from convergebench.metrics.regions.maps import COARSE_SIDE, FOOTPRINT_SIDE, ReferencePicture, shrunk_size
from convergebench.types import Digest

if TYPE_CHECKING:
    from torch import Tensor

SMALL_BYTES, FULL_BYTES = 2**30, 2 * 2**30


class Referenced(NamedTuple):
    """A picture that others are compared with."""

    digest: Digest
    picture: ReferencePicture


class SmallParts(NamedTuple):
    """Of each picture at the footprint's size."""

    small: Tensor
    features: Tensor
    levels: tuple[DeviceLevel, ...]
    """For registration; none if pictures of this size cannot be registered."""


class FullParts(NamedTuple):
    """Of each picture as it is, and at the size of the coarse map."""

    pixels: Tensor
    features: Tensor
    of_coarse: Tensor


class RegionReferences:
    """Prepared pictures; those of one call have one size."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._small: LruCache[Digest, tuple[Tensor, ...]] = LruCache(max_bytes=SMALL_BYTES, size=array_bytes)
        self._full: LruCache[Digest, tuple[Tensor, ...]] = LruCache(max_bytes=FULL_BYTES, size=array_bytes)

    def small(self, pictures: Sequence[Referenced]) -> SmallParts:
        small, features, *levels = self._prepared(self._small, pictures, _small_parts)
        pairs = zip(levels[::2], levels[1::2], strict=True)
        return SmallParts(small, features, tuple(DeviceLevel(*pair) for pair in pairs))

    def full(self, pictures: Sequence[Referenced]) -> FullParts:
        return FullParts(*self._prepared(self._full, pictures, _full_parts))

    def _prepared(
        self,
        cache: LruCache[Digest, tuple[Tensor, ...]],
        pictures: Sequence[Referenced],
        prepare: Callable[[Tensor, float], tuple[Tensor, ...]],
    ) -> list[Tensor]:
        import torch

        found = {each.digest: cache.find(each.digest) for each in pictures}
        known = {digest: parts for digest, parts in found.items() if parts is not None}
        new = {each.digest: each.picture for each in pictures if each.digest not in known}
        if new:
            degree = pictures[0].picture.pixels_per_degree
            made = prepare(brought([each.pixels for each in new.values()], self._device), degree)
            for place, digest in enumerate(new):
                known[digest] = tuple(part[place].clone() for part in made)
                cache.put(digest, known[digest])
        rows = [known[each.digest] for each in pictures]
        return [torch.stack(parts) for parts in zip(*rows, strict=True)]


def _small_parts(pictures: Tensor, degree: float) -> tuple[Tensor, ...]:
    small, of_small = reduced(pictures, FOOTPRINT_SIDE, degree)
    levels = pyramids(registration_planes(small))
    return small, flip_features(small, of_small), *(part for level in levels for part in level)


def _full_parts(pictures: Tensor, degree: float) -> tuple[Tensor, ...]:
    coarse, of_coarse = reduced(pictures, COARSE_SIDE, degree)
    return pictures, flip_features(pictures, degree), flip_features(coarse, of_coarse)


def reduced(pictures: Tensor, side: int, degree: float) -> tuple[Tensor, float]:
    """Like `shrunk`, and the pixels per degree at that size."""
    height, width = pictures.shape[1:3]
    small = averaged(pictures, *shrunk_size((height, width), side))
    return small, degree * max(small.shape[1:3]) / max(height, width)
