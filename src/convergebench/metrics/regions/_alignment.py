"""Alignment of one picture to another, if their registration is reliable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._area_average import averaged
from convergebench.metrics.drift._registration import (
    Level,
    RegistrationFit,
    in_pixels,
    register,
    register_planes,
)
from convergebench.metrics.regions.maps import (
    FOOTPRINT_SIDE,
    Mask,
    resized_mask,
    shrunk,
    shrunk_size,
)
from convergebench.types import Pixels

if TYPE_CHECKING:
    from convergebench.metrics.drift._registration import Matrix, Plane

STILL = 0.25
"""In pixels: if no corner moved further, the picture is not resampled, because interpolation would blur
it."""

MARGIN = 1 / 64
"""The width of the margin at the border of the uncovered part, as a share of the longer side."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """The alignment of a result to a reference, at any size of both."""

    matrix: Matrix | None
    doubt: str | None
    """The reason why the registration is unreliable; the result is then compared without alignment."""
    _laid: dict[int, tuple[Pixels, Pixels, Mask]] = field(default_factory=dict, repr=False)
    """By the id of a result: the result itself, so that its id stays its own, and how it was laid."""

    def moved(self, height: int, width: int, further: float = STILL) -> bool:
        """Whether any corner of a picture of this size has moved by more than so many pixels."""
        if self.matrix is None:
            return False
        (a, b, right), (c, d, down) = in_pixels(self.matrix, width, height).tolist()
        corners = ((x, y) for x in (0, width - 1) for y in (0, height - 1))
        return any(
            max(abs(a * x + b * y + right - x), abs(c * x + d * y + down - y)) > further for x, y in corners
        )

    def laid_small(self, result: Pixels, small: Pixels) -> tuple[Pixels, Mask]:
        """The same at the footprint's size, which is that of `small`, the result reduced; resampled at twice
        that size to preserve fine texture."""
        height, width, _ = small.shape
        if not self.moved(*shrunk_size(result.shape, 2 * FOOTPRINT_SIDE)):
            return small, np.ones((height, width), bool)
        laid, reached = self.laid(shrunk(result, 2 * FOOTPRINT_SIDE))
        return averaged(laid, width, height), resized_mask(reached, (height, width))

    def laid(self, result: Pixels) -> tuple[Pixels, Mask]:
        """The aligned result, and the part that it covers, without a margin that maps would blur; the same
        arrays for the same result."""
        if id(result) not in self._laid:
            self._laid[id(result)] = (result, *self._resampled(result))
        _, laid, reached = self._laid[id(result)]
        return laid, reached

    def _resampled(self, result: Pixels) -> tuple[Pixels, Mask]:
        import cv2

        height, width, _ = result.shape
        if self.matrix is None or not self.moved(height, width):
            return result, np.ones((height, width), bool)
        affine, size = in_pixels(self.matrix, width, height), (width, height)
        laid = cv2.warpAffine(
            result,
            affine,
            size,
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        inside = np.full((height, width), 255, np.uint8)
        reach = cv2.warpAffine(inside, affine, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        margin = 2 * max(1, round(MARGIN * max(size))) + 1
        reach = cv2.erode(reach, np.ones((margin, margin), np.uint8))
        return np.asarray(laid, np.uint8), np.asarray(reach == 255)


def alignment(levels: tuple[Level, ...], result: Pixels) -> Alignment:
    """The registration of a result to a reference's levels; both have the size from which the levels were
    computed."""
    return alignment_by(register(levels, result)) if levels else UNALIGNED


def alignment_of_planes(levels: tuple[Level, ...], planes: list[Plane]) -> Alignment:
    """The same of a result whose planes are known."""
    return alignment_by(register_planes(levels, planes)) if levels else UNALIGNED


def alignment_by(fit: RegistrationFit) -> Alignment:
    doubt = fit.distrust()
    return Alignment(fit.matrix if doubt is None else None, doubt)


UNALIGNED = Alignment(None, "the source is too small or too narrow to register by")
