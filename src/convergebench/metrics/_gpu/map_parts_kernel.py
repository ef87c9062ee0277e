"""Histograms and sums of maps inside and outside of regions in one pass, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

from convergebench.metrics.flip import VISIBLE
from convergebench.metrics.regions.map_parts import BINS, KEPT_SPAN, KEPT_START

BLOCK = 4096
BLOCKS = 16
"""Of a map, for each program."""


def part_sums(maps: torch.Tensor, regions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """N × 2 × BINS counts, and N × 2 × 2 sums of visible pixels and of ramps; first outside, then inside."""
    count, height, width = maps.shape
    programs = triton.cdiv(height * width, BLOCK * BLOCKS)
    histograms = torch.zeros((count, 2 * BINS), dtype=torch.int32, device=maps.device)
    sums = torch.empty((count, programs, 4), dtype=torch.float64, device=maps.device)
    _sum_parts[(programs, count)](
        maps.contiguous(), regions.contiguous().view(torch.uint8), histograms, sums, height * width,
        VISIBLE, KEPT_START, KEPT_SPAN, BINS=BINS, BLOCK=BLOCK, BLOCKS=BLOCKS,
    )  # fmt: skip
    return histograms.view(count, 2, BINS), sums.sum(1).view(count, 2, 2)


@triton.jit
def _sum_parts(
    maps_at, regions_at, histograms_at, sums_at, count, visible, start, span,
    BINS: tl.constexpr, BLOCK: tl.constexpr, BLOCKS: tl.constexpr,
):  # fmt: skip
    program, picture = tl.program_id(0), tl.program_id(1).to(tl.int64)
    maps_at += picture * count
    regions_at += picture * count
    histogram = tl.zeros([2 * BINS], tl.int32)
    padding = 0
    seen_outside = tl.zeros([BLOCK], tl.float32)
    seen_inside = tl.zeros([BLOCK], tl.float32)
    ramp_outside = tl.zeros([BLOCK], tl.float32)
    ramp_inside = tl.zeros([BLOCK], tl.float32)
    for block in range(BLOCKS):
        place = (program * BLOCKS + block) * BLOCK + tl.arange(0, BLOCK)
        there = place < count
        value = tl.load(maps_at + place, there, 0.0)
        inside = tl.load(regions_at + place, there, 0).to(tl.int32)
        bins = tl.minimum((value * BINS).to(tl.int32), BINS - 1) + inside * BINS
        histogram += tl.histogram(bins, 2 * BINS)
        padding += tl.sum((there == 0).to(tl.int32), 0)
        seen = ((value > visible) & there).to(tl.float32)
        ramp = tl.minimum(tl.maximum((value - start) / span, 0.0), 1.0) * there.to(tl.float32)
        within = inside.to(tl.float32)
        seen_inside += seen * within
        seen_outside += seen * (1 - within)
        ramp_inside += ramp * within
        ramp_outside += ramp * (1 - within)
    number = tl.arange(0, 2 * BINS)
    histogram -= tl.where(number == 0, padding, 0)  # what is beyond the map was counted there
    tl.atomic_add(histograms_at + picture * 2 * BINS + number, histogram)
    to = sums_at + (picture * tl.num_programs(0) + program) * 4
    tl.store(to, tl.sum(seen_outside.to(tl.float64), 0))
    tl.store(to + 1, tl.sum(ramp_outside.to(tl.float64), 0))
    tl.store(to + 2, tl.sum(seen_inside.to(tl.float64), 0))
    tl.store(to + 3, tl.sum(ramp_inside.to(tl.float64), 0))
