"""Close-ups of many pictures at once, and how far they differ by LPIPS at every place.

A close-up lies in the upper left corner of a square of `SIDE` pixels, its differences in one of `CELLS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from convergebench.metrics._gpu.axis_weights import AREA, CUBIC, LINEAR, STRETCHED, Spans, resampled_parts
from convergebench.metrics._lpips_torch import Extents, TorchFeatures
from convergebench.metrics.regions.close_up import CELL, SIDE, CloseUp, cells_of, close_up_size

if TYPE_CHECKING:
    from torch import Tensor

CELLS = SIDE // CELL


class CloseUps(NamedTuple):
    """Boxes of pictures of one size. What follows from them alone is found on the processor."""

    boxes: Sequence[CloseUp]
    height: int
    width: int

    def sizes(self) -> Extents:
        """Of the close-ups."""
        return _extents([self._size(box) for box in self.boxes])

    def cells(self) -> Extents:
        return _extents([cells_of(*self._size(box)) for box in self.boxes])

    def spans(self, rows: int, columns: int, to: Extents) -> tuple[Spans, Spans]:
        """The boxes in an array of this size, down and along."""
        import torch

        sides = [box.slices(rows, columns) for box in self.boxes]
        numbers = [(down.start, down.stop, along.start, along.stop) for down, along in sides]
        top, bottom, left, right = torch.tensor(numbers).unbind(1)
        return Spans(top, bottom - top, to.heights), Spans(left, right - left, to.widths)

    def _size(self, box: CloseUp) -> tuple[int, int]:
        down, along = box.slices(self.height, self.width)
        return close_up_size(down.stop - down.start, along.stop - along.start)


def _extents(sizes: Sequence[tuple[int, int]]) -> Extents:
    import torch

    return Extents(*torch.tensor(sizes).unbind(1))


def close_up_levels(pictures: Tensor, close_ups: CloseUps) -> Tensor:
    """N × 3 × SIDE × SIDE whole levels of N × height × width × 3, as `CloseUp.of` has them."""
    import torch

    _, height, width, _ = pictures.shape
    down, along = close_ups.spans(height, width, close_ups.sizes())
    is_reduced = torch.maximum(down.length, along.length) > SIDE
    is_area = is_reduced & (down.scale >= 1) & (along.scale >= 1)
    is_halved = is_area & (down.scale == 2) & (along.scale == 2)
    methods = _methods(is_area, is_reduced, CUBIC)
    found = resampled_parts(pictures.permute(0, 3, 1, 2), down, along, methods, SIDE)
    # OpenCV rounds to the nearest, and between two levels to the even one where it averages, but for halves.
    is_even = (is_area & ~is_halved).to(found.device, non_blocking=True)[:, None, None, None]
    return torch.where(is_even, found.round(), (found + 0.5).floor()).clamp_(0, 255)


def _methods(is_area: Tensor, is_reduced: Tensor, otherwise: int) -> Tensor:
    import torch

    return torch.where(is_area, AREA, torch.where(is_reduced, STRETCHED, otherwise))


def in_cells(maps: Tensor, close_ups: CloseUps) -> Tensor:
    """N × CELLS × CELLS: each box of its map, as `CloseUp.in_cells` has it."""
    _, rows, columns = maps.shape
    down, along = close_ups.spans(rows, columns, close_ups.cells())
    return resampled(maps, down, along)


def resampled(maps: Tensor, down: Spans, along: Spans) -> Tensor:
    is_reduced = down.length > down.to
    is_area = is_reduced & (along.scale >= 1)
    methods = _methods(is_area, is_reduced, LINEAR)
    return resampled_parts(maps[:, None], down, along, methods, CELLS)[:, 0]


def structural_differences(
    network: TorchFeatures, sources: Tensor, results: Tensor, close_ups: CloseUps
) -> Tensor:
    """N × CELLS × CELLS: LPIPS at every place of two close-ups, as `structural_difference` has it."""
    import torch

    sizes, cells = close_ups.sizes(), close_ups.cells()
    both = Extents(*(torch.cat([size, size]) for size in sizes)).on(sources.device)
    total = torch.zeros((len(sources), CELLS, CELLS), device=sources.device)
    taps = network.taps(torch.cat([sources, results]), both)
    for tap, extents in zip(taps, network.extents_at_taps(sizes), strict=True):
        of_sources, of_results = tap.chunk(2)
        maps = (of_sources - of_results).square_().mean(1)
        down, along = (
            Spans(torch.zeros_like(size), size, to) for size, to in zip(extents, cells, strict=True)
        )
        total += resampled(maps, down, along)
    return total
