"""Pictures resized and averaged down by the few weights that each pixel has, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

from convergebench.metrics._gpu.bands import Band
from convergebench.metrics._gpu.detail_kernel import luma_at

BLOCK = 512
FRACTIONS, NEAREST_EVEN, HALF_UP = 0, 1, 2
"""How means are rounded."""
_NEAREST_EVEN, _HALF_UP = tl.constexpr(NEAREST_EVEN), tl.constexpr(HALF_UP)
_ROUNDING = tl.constexpr(12582912.0)  # 1.5 · 2²³: adding it leaves no room for a fraction


def resized(pictures: torch.Tensor, down: Band, along: Band) -> torch.Tensor:
    """Like `resampling.resized`, in two passes: what lies between them is whole levels, too."""
    count, height, width, channels = pictures.shape
    rows, columns = len(down.firsts), len(along.firsts)
    narrow = torch.empty((count, height, columns, channels), dtype=torch.uint8, device=pictures.device)
    blocks = triton.cdiv(height * columns * channels, BLOCK)
    _resize_along[(count * blocks,)](
        pictures.contiguous(), *along, narrow, height, width, columns, along.taps, blocks,
        CHANNELS=channels, BLOCK=BLOCK,
    )  # fmt: skip
    made = torch.empty((count, channels, rows, columns), device=pictures.device)
    blocks = triton.cdiv(rows * columns * channels, BLOCK)
    _resize_down[(count * blocks,)](
        narrow, *down, made, height, rows, columns, down.taps, blocks, CHANNELS=channels, BLOCK=BLOCK
    )
    return made


def averaged(
    pictures: torch.Tensor, down: Band, along: Band, rounding: int, of_luma: bool = False
) -> torch.Tensor:
    """The mean of what each output covers, N × rows × columns × channels, in the pictures' type; or of its
    luma, as the only channel."""
    count, height, width, channels = pictures.shape
    rows, columns, made_channels = len(down.firsts), len(along.firsts), 1 if of_luma else channels
    made = torch.empty((count, rows, columns, made_channels), dtype=pictures.dtype, device=pictures.device)
    blocks = triton.cdiv(rows * columns * made_channels, BLOCK)
    _average[(count * blocks,)](
        pictures.contiguous(), *down, *along, made, height, width, rows, columns, down.taps, along.taps,
        blocks, CHANNELS=channels, MADE=made_channels, ROUNDING=rounding, BLOCK=BLOCK,
    )  # fmt: skip
    return made


@triton.jit
def nearest(number):
    """The nearest whole number, of two the even one."""
    return (number + _ROUNDING) - _ROUNDING


@triton.jit
def _whole(levels):
    return tl.minimum(tl.maximum(tl.floor(levels + 0.5), 0.0), 255.0)


# Pictures and their number are of any size: a kernel for each kind of number would be compiled while they
# wait. Blocks of all pictures are along the first axis of the grid, which alone has room for them.
@triton.jit(do_not_specialize=["height", "width", "columns", "taps", "blocks"])
def _resize_along(
    pixels_at, firsts_at, weights_at, out_at, height, width, columns, taps, blocks,
    CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    place = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    length = columns * CHANNELS
    there = place < height * length
    row, channel = place // length, place % CHANNELS
    column = place % length // CHANNELS
    first = tl.load(firsts_at + column, there, 0)
    pixels_at += picture * height * width * CHANNELS + (row * width + first) * CHANNELS + channel
    total = tl.zeros([BLOCK], tl.float32)
    for tap in range(taps):
        weight = tl.load(weights_at + tap * columns + column, there, 0.0)
        total += weight * tl.load(pixels_at + tap * CHANNELS, there, 0).to(tl.float32)
    tl.store(out_at + picture * height * length + place, _whole(total).to(tl.uint8), mask=there)


@triton.jit(do_not_specialize=["height", "rows", "columns", "taps", "blocks"])
def _resize_down(
    levels_at, firsts_at, weights_at, out_at, height, rows, columns, taps, blocks,
    CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Writes planes: that is how networks read pictures."""
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    place = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    length = columns * CHANNELS
    there = place < rows * length
    row, channel = place // length, place % CHANNELS
    column = place % length // CHANNELS
    first = tl.load(firsts_at + row, there, 0)
    levels_at += picture * height * length + first * length + place % length
    total = tl.zeros([BLOCK], tl.float32)
    for tap in range(taps):
        weight = tl.load(weights_at + tap * rows + row, there, 0.0)
        total += weight * tl.load(levels_at + tap * length, there, 0).to(tl.float32)
    to = out_at + picture * rows * length + (channel * rows + row) * columns + column
    tl.store(to, _whole(total), mask=there)


@triton.jit(do_not_specialize=["height", "width", "rows", "columns", "taps_down", "taps_along", "blocks"])
def _average(
    pixels_at, down_firsts_at, down_weights_at, along_firsts_at, along_weights_at, out_at,
    height, width, rows, columns, taps_down, taps_along, blocks,
    CHANNELS: tl.constexpr, MADE: tl.constexpr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Both directions at once: outputs hardly overlap, so that no pixel is read often."""
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    place = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    there = place < rows * columns * MADE
    row, column, channel = place // (columns * MADE), place // MADE % columns, place % MADE
    first_row = tl.load(down_firsts_at + row, there, 0)
    first_column = tl.load(along_firsts_at + column, there, 0)
    pixels_at += picture * height * width * CHANNELS + (first_row * width + first_column) * CHANNELS + channel
    total = tl.zeros([BLOCK], tl.float32)
    for down in range(taps_down):
        of_row = tl.zeros([BLOCK], tl.float32)
        for along in range(taps_along):
            at = pixels_at + (down * width + along) * CHANNELS
            value = luma_at(at, there) if MADE < CHANNELS else tl.load(at, there, 0)
            weight = tl.load(along_weights_at + along * columns + column, there, 0.0)
            of_row += weight * value.to(tl.float32)
        total += tl.load(down_weights_at + down * rows + row, there, 0.0) * of_row
    if ROUNDING == _NEAREST_EVEN:
        total = nearest(total)
    if ROUNDING == _HALF_UP:
        total = tl.floor(total + 0.5)
    to = out_at + picture * rows * columns * MADE + place
    tl.store(to, total.to(out_at.dtype.element_ty), mask=there)
