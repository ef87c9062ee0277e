"""Means over blocks of 8 × 8 pixels, of bands and noise, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
import triton
import triton.language as tl

from convergebench.metrics._gpu.base import on_device
from convergebench.metrics.drift.detail import BLOCK

COLUMNS = 256
BLOCKS = 32
"""In a row of blocks, for each program."""
WARPS = 8
AT_ONCE = 32
"""Pictures between the two passes: each takes two planes of memory there."""


class BlockMeans(NamedTuple):
    grey: torch.Tensor
    """N × height × width, as OpenCV rounds it."""
    bands: torch.Tensor
    """N × 3 × blocks."""
    noise_of_luma: torch.Tensor
    noise: torch.Tensor


def block_means(pictures: torch.Tensor, fine: Sequence[float], coarse: Sequence[float]) -> BlockMeans:
    """Of pictures that are larger than the filters, which are halves from the centre outwards."""
    pictures = pictures.contiguous()
    count, height, width, _ = pictures.shape
    fine_reach, reach = len(fine) - 1, len(coarse) - 1
    rows_of_weights = np.zeros((2, reach + 1), np.float32)
    rows_of_weights[0, : len(fine)], rows_of_weights[1] = fine, coarse
    weights = on_device(rows_of_weights, pictures.device)
    rows, columns = height // BLOCK, width // BLOCK
    grid = (triton.cdiv(columns, BLOCKS), rows)
    grey = torch.empty((count, height, width), dtype=torch.uint8, device=pictures.device)
    bands = torch.empty((count, 3, rows * columns), device=pictures.device)
    for start in range(0, count, AT_ONCE):
        part, to_grey, to_bands = (each[start : start + AT_ONCE] for each in (pictures, grey, bands))
        filtered = torch.empty((len(part), 2, height, width), device=part.device)
        _down[(triton.cdiv(width, COLUMNS), height, len(part))](
            part, weights, to_grey, filtered, height, width,
            FINE_REACH=fine_reach, REACH=reach, COLUMNS=COLUMNS,
        )  # fmt: skip
        _blocks[(*grid, len(part))](
            to_grey, filtered, weights, to_bands, height, width, columns,
            FINE_REACH=fine_reach, REACH=reach, BLOCKS=BLOCKS, SIDE=BLOCK, num_warps=WARPS,
        )  # fmt: skip
    noise = torch.empty((2, count, rows * columns), device=pictures.device)
    for values, channels, to in ((grey, 1, noise[0]), (pictures, 3, noise[1])):
        _noise_of_blocks[(*grid, count)](
            values, to, height, width, columns, CHANNELS=channels, BLOCKS=BLOCKS, SIDE=BLOCK
        )
    return BlockMeans(grey, bands, *noise)


@triton.jit
def luma_at(pixel, there):
    red = tl.load(pixel, there, 0).to(tl.int32)
    green = tl.load(pixel + 1, there, 0).to(tl.int32)
    blue = tl.load(pixel + 2, there, 0).to(tl.int32)
    return (red * 9798 + green * 19235 + blue * 3735 + 16384) >> 15


# Rows are aligned by the width alone: the height is no reason to compile a kernel anew.
@triton.jit(do_not_specialize=["height"])
def _down(
    pixels_at, weights_at, grey_at, out_at, height, width,
    FINE_REACH: tl.constexpr, REACH: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The luma of one row of a picture, and both blurs of it down the columns; the border is mirrored."""
    strip, row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    column = strip * COLUMNS + tl.arange(0, COLUMNS)
    there = column < width
    pixels_at += picture * height * width * 3 + column * 3
    luma = luma_at(pixels_at + row * width * 3, there)
    centre = luma.to(tl.float32)
    fine = centre * tl.load(weights_at)
    coarse = centre * tl.load(weights_at + REACH + 1)
    for tap in range(1, REACH + 1):
        above = tl.abs(row - tap)
        below = height - 1 - tl.abs(height - 1 - row - tap)
        both = luma_at(pixels_at + above * width * 3, there) + luma_at(pixels_at + below * width * 3, there)
        if tap <= FINE_REACH:
            fine += both.to(tl.float32) * tl.load(weights_at + tap)
        coarse += both.to(tl.float32) * tl.load(weights_at + REACH + 1 + tap)
    plane = height * width
    place = row * width + column
    tl.store(grey_at + picture * plane + place, luma.to(tl.uint8), mask=there)
    tl.store(out_at + picture * 2 * plane + place, fine, mask=there)
    tl.store(out_at + picture * 2 * plane + plane + place, coarse, mask=there)


@triton.jit
def _means(values, BLOCKS: tl.constexpr, SIDE: tl.constexpr):
    """Of each block in a row of blocks."""
    return tl.sum(tl.reshape(tl.sum(values, 0), [BLOCKS, SIDE]), 1) / (SIDE * SIDE)


@triton.jit(do_not_specialize=["height"])
def _blocks(
    grey_at, filtered_at, weights_at, bands_at, height, width, blocks,
    FINE_REACH: tl.constexpr, REACH: tl.constexpr, BLOCKS: tl.constexpr, SIDE: tl.constexpr,
):  # fmt: skip
    """The second direction of both blurs, and the means of the bands over a row of blocks."""
    strip, block_row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    column = strip * BLOCKS * SIDE + tl.arange(0, BLOCKS * SIDE)
    column = tl.minimum(column, width - 1)[None, :]
    row = (block_row * SIDE + tl.arange(0, SIDE))[:, None] * width
    plane = height * width
    fine_at = filtered_at + picture * 2 * plane + row
    coarse_at = fine_at + plane
    fine = tl.load(fine_at + column) * tl.load(weights_at)
    coarse = tl.load(coarse_at + column) * tl.load(weights_at + REACH + 1)
    for tap in range(1, REACH + 1):
        left = tl.abs(column - tap)
        right = width - 1 - tl.abs(width - 1 - column - tap)
        if tap <= FINE_REACH:
            fine += (tl.load(fine_at + left) + tl.load(fine_at + right)) * tl.load(weights_at + tap)
        both = tl.load(coarse_at + left) + tl.load(coarse_at + right)
        coarse += both * tl.load(weights_at + REACH + 1 + tap)
    high = tl.load(grey_at + picture * plane + row + column).to(tl.float32) - fine
    mid = fine - coarse
    block = strip * BLOCKS + tl.arange(0, BLOCKS)
    there = block < blocks
    count = tl.num_programs(1) * blocks
    to = bands_at + picture * 3 * count + block_row * blocks + block
    tl.store(to, _means(coarse, BLOCKS, SIDE), mask=there)
    tl.store(to + count, _means(mid * mid, BLOCKS, SIDE), mask=there)
    tl.store(to + 2 * count, _means(high * high, BLOCKS, SIDE), mask=there)


@triton.jit(do_not_specialize=["height"])
def _noise_of_blocks(
    values_at, noise_at, height, width, blocks,
    CHANNELS: tl.constexpr, BLOCKS: tl.constexpr, SIDE: tl.constexpr,
):  # fmt: skip
    """The variance of the diagonal differences of 2 × 2 pixels in each block, whole numbers up to the end."""
    strip, block_row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    half: tl.constexpr = SIDE // 2
    row = block_row * SIDE + 2 * tl.arange(0, half)[:, None]
    column = strip * BLOCKS * SIDE + 2 * tl.arange(0, BLOCKS * half)[None, :]
    there = (column < blocks * SIDE) & (row < height)
    at = values_at + picture * height * width * CHANNELS + (row * width + column) * CHANNELS
    total = tl.zeros([half, BLOCKS * half], tl.int32)
    for channel in tl.static_range(CHANNELS):
        upper = tl.load(at + channel, there, 0).to(tl.int32)
        upper -= tl.load(at + CHANNELS + channel, there, 0).to(tl.int32)
        lower = tl.load(at + width * CHANNELS + channel, there, 0).to(tl.int32)
        lower -= tl.load(at + (width + 1) * CHANNELS + channel, there, 0).to(tl.int32)
        total += (upper - lower) * (upper - lower)
    sums = tl.sum(tl.reshape(tl.sum(total, 0), [BLOCKS, half]), 1)
    block = strip * BLOCKS + tl.arange(0, BLOCKS)
    to = noise_at + (picture * tl.num_programs(1) + block_row) * blocks + block
    tl.store(to, sums.to(tl.float32) / (CHANNELS * SIDE * SIDE), mask=block < blocks)
