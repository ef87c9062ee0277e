"""MS-SSIM in three passes over each scale: along the rows, down the columns, and halved; for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import math

import numpy as np
import torch
import triton
import triton.language as tl

from convergebench.metrics._gpu.base import on_device
from convergebench.metrics.ms_ssim import C1, C2, MIDDLE, WEIGHTS, WINDOW

COLUMNS = 256
ROWS = 16
BETWEEN_BYTES = 2**30
"""Of memory between two passes, in which a picture takes twelve planes."""
_CHANNELS = 3
_BLURRED = tl.constexpr(4)


def mean_similarities(
    sources: torch.Tensor, results: torch.Tensor, window: tuple[float, ...]
) -> torch.Tensor:
    """Like those of `multi_scale`. Pictures are N × height × width × 3, and stay in this order."""
    weights = on_device(np.array(window, np.float32), sources.device)
    x, y = sources.contiguous(), results.contiguous()
    found, middle = [], MIDDLE
    for scale in range(len(WEIGHTS)):
        if scale:
            (x, y), middle = (_halved(each, middle) for each in (x, y)), 0.0
        step = max(1, BETWEEN_BYTES // (_BLURRED.value * 4 * math.prod(x.shape[1:])))
        parts = [
            _scale(one, other, weights, middle, with_luminance=scale == len(WEIGHTS) - 1)
            for one, other in zip(torch.split(x, step), torch.split(y, step), strict=True)
        ]
        found.append(torch.cat(parts))
    return torch.stack(found)


def _scale(
    x: torch.Tensor, y: torch.Tensor, weights: torch.Tensor, middle: float, *, with_luminance: bool
) -> torch.Tensor:
    count, height, width, _ = x.shape
    rows, windows = height - WINDOW + 1, (width - WINDOW + 1) * _CHANNELS
    strips, bands = triton.cdiv(windows, COLUMNS), triton.cdiv(rows, ROWS)
    blurred = torch.empty((count, _BLURRED.value, height, windows), device=x.device)
    _along[(strips, height, count)](
        x, y, weights, blurred, height, width * _CHANNELS, windows, middle, WINDOW=WINDOW, COLUMNS=COLUMNS
    )
    sums = torch.empty((count, bands * strips, _CHANNELS), dtype=torch.float64, device=x.device)
    _down[(strips, bands, count)](
        blurred, weights, sums, height, windows, C1, C2, MIDDLE,
        WINDOW=WINDOW, ROWS=ROWS, COLUMNS=COLUMNS, WITH_LUMINANCE=with_luminance,
    )  # fmt: skip
    return sums.sum(1) * (_CHANNELS / (rows * windows))


def _halved(pictures: torch.Tensor, middle: float) -> torch.Tensor:
    """From the middle; a side of odd length gets a black row or column in front."""
    count, height, width, channels = pictures.shape
    rows, columns = (height + 1) // 2, (width + 1) // 2
    halves = torch.empty((count, rows, columns, channels), device=pictures.device)
    _halve[(triton.cdiv(columns * channels, COLUMNS), rows, count)](
        pictures, halves, height, width, columns, middle, MIDDLE, COLUMNS=COLUMNS
    )
    return halves


# Rows are aligned by the width alone: the height is no reason to compile a kernel anew.
@triton.jit(do_not_specialize=["height"])
def _along(
    x_at, y_at, weights_at, out_at, height, length, windows, middle,
    WINDOW: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Four planes of one row of a pair, blurred: both pictures, the sum of their squares, their product."""
    strip, row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    column = strip * COLUMNS + tl.arange(0, COLUMNS)
    there = column < windows
    start = (picture * height + row) * length + column
    x = tl.zeros([COLUMNS], tl.float32)
    y = tl.zeros([COLUMNS], tl.float32)
    squares = tl.zeros([COLUMNS], tl.float32)
    products = tl.zeros([COLUMNS], tl.float32)
    for tap in tl.static_range(WINDOW):
        weight = tl.load(weights_at + tap)
        a = tl.load(x_at + start + 3 * tap, there, 0).to(tl.float32) - middle
        b = tl.load(y_at + start + 3 * tap, there, 0).to(tl.float32) - middle
        x += weight * a
        y += weight * b
        squares += weight * (a * a + b * b)
        products += weight * (a * b)
    plane = height * windows
    to = out_at + picture * _BLURRED * plane + row * windows + column
    tl.store(to, x, mask=there)
    tl.store(to + plane, y, mask=there)
    tl.store(to + 2 * plane, squares, mask=there)
    tl.store(to + 3 * plane, products, mask=there)


@triton.jit
def _four_rows(at, row, height, windows, weights_at, there, WINDOW: tl.constexpr):
    """Blurs down the columns at a row and the three below it, which need most of the same rows."""
    one = tl.zeros(there.shape, tl.float32)
    two = tl.zeros(there.shape, tl.float32)
    three = tl.zeros(there.shape, tl.float32)
    four = tl.zeros(there.shape, tl.float32)
    for tap in tl.static_range(WINDOW + 3):
        value = tl.load(at + (row + tap) * windows, there & (row + tap < height), 0)
        if tap < WINDOW:
            one += tl.load(weights_at + tap) * value
        if (tap >= 1) & (tap < WINDOW + 1):
            two += tl.load(weights_at + tap - 1) * value
        if (tap >= 2) & (tap < WINDOW + 2):
            three += tl.load(weights_at + tap - 2) * value
        if tap >= 3:
            four += tl.load(weights_at + tap - 3) * value
    return one, two, three, four


@triton.jit
def _similarity(x, y, squares, products, c1, c2, middle, WITH_LUMINANCE: tl.constexpr):
    similarity = (2 * (products - x * y) + c2) / (squares - x * x - y * y + c2)
    if WITH_LUMINANCE:
        x += middle
        y += middle
        similarity *= (2 * x * y + c1) / (x * x + y * y + c1)
    return similarity


@triton.jit(do_not_specialize=["height"])
def _down(
    blurred_at, weights_at, sums_at, height, windows, c1, c2, middle,
    WINDOW: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, WITH_LUMINANCE: tl.constexpr,
):  # fmt: skip
    """The sum of the similarities in a band of rows and a strip of columns, by channel."""
    strip, band, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    column = strip * COLUMNS + tl.arange(0, COLUMNS)
    there = column < windows
    plane = height * windows
    at = blurred_at + picture * _BLURRED * plane + column
    total = tl.zeros([COLUMNS], tl.float32)
    last = height - WINDOW
    for step in range(0, ROWS, 4):
        row = band * ROWS + step
        x = _four_rows(at, row, height, windows, weights_at, there, WINDOW)
        y = _four_rows(at + plane, row, height, windows, weights_at, there, WINDOW)
        squares = _four_rows(at + 2 * plane, row, height, windows, weights_at, there, WINDOW)
        products = _four_rows(at + 3 * plane, row, height, windows, weights_at, there, WINDOW)
        for below in tl.static_range(4):
            similarity = _similarity(
                x[below], y[below], squares[below], products[below], c1, c2, middle, WITH_LUMINANCE
            )
            total += tl.where(there & (row + below <= last), similarity, 0.0)
    to = sums_at + (picture * tl.num_programs(0) * tl.num_programs(1) + band * tl.num_programs(0) + strip) * 3
    for channel in tl.static_range(3):
        tl.store(to + channel, tl.sum(tl.where(column % 3 == channel, total, 0.0).to(tl.float64), 0))


@triton.jit(do_not_specialize=["height"])
def _halve(at, out_at, height, width, columns, middle, black, COLUMNS: tl.constexpr):
    strip, row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    place = strip * COLUMNS + tl.arange(0, COLUMNS)
    there = place < columns * 3
    column, channel = place // 3, place % 3
    total = tl.zeros([COLUMNS], tl.float32)
    for down in tl.static_range(2):
        for along in tl.static_range(2):
            y = 2 * row - height % 2 + down
            x = 2 * column - width % 2 + along
            inside = there & (y >= 0) & (x >= 0)
            level = tl.load(at + (picture * height + y) * width * 3 + x * 3 + channel, inside, 0)
            total += tl.where(inside, level.to(tl.float32) - middle, -black)
    tl.store(out_at + (picture * tl.num_programs(1) + row) * columns * 3 + place, total / 4, mask=there)
