"""Pictures laid on others in one pass, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

BLOCK = 512
_ROUNDING = tl.constexpr(6755399441055744.0)  # 1.5 · 2⁵²: adding it leaves no room for a fraction


def laid(
    pictures: torch.Tensor, affine: torch.Tensor, table: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The pictures by N × 2 × 3 maps in pixels, and what they cover. The table is `cubic_weights`."""
    count, height, width, _ = pictures.shape
    made = torch.empty_like(pictures)
    covered = torch.empty((count, height, width), dtype=torch.bool, device=pictures.device)
    _lay[(triton.cdiv(height * width, BLOCK), count)](
        pictures, affine.contiguous(), table, made, covered.view(torch.uint8), height, width, BLOCK=BLOCK
    )
    return made, covered


@triton.jit
def _along_axis(affine_at, row, column):
    """Where pixels come from, in 1/1024 of a pixel, rounded to steps of 1/32."""
    a, b, shift = tl.load(affine_at), tl.load(affine_at + 1), tl.load(affine_at + 2)
    start = ((b * row.to(tl.float64) + shift) * 1024 + _ROUNDING) - _ROUNDING
    step = (a * column.to(tl.float64) * 1024 + _ROUNDING) - _ROUNDING
    return start.to(tl.int32) + 16 + step.to(tl.int32)


@triton.jit
def _lay(pixels_at, affine_at, table_at, out_at, covered_at, height, width, BLOCK: tl.constexpr):
    picture = tl.program_id(1).to(tl.int64)
    count = height * width
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = place < count
    row, column = place // width, place % width
    x = _along_axis(affine_at + picture * 6, row, column)
    y = _along_axis(affine_at + picture * 6 + 3, row, column)
    covers = (x >= 0) & (x < (width - 1) * 1024 + 32) & (y >= 0) & (y < (height - 1) * 1024 + 32)
    tl.store(covered_at + picture * count + place, covers.to(tl.uint8), mask=there)
    x, y = x >> 5, y >> 5
    weights_at = table_at + ((y & 31) * 32 + (x & 31)) * 16
    left, top = (x >> 5) - 1, (y >> 5) - 1
    pixels_at += picture * count * 3
    red = tl.zeros([BLOCK], tl.int32)
    green = tl.zeros([BLOCK], tl.int32)
    blue = tl.zeros([BLOCK], tl.int32)
    for down in tl.static_range(4):
        from_row = tl.minimum(tl.maximum(top + down, 0), height - 1) * width
        for along in tl.static_range(4):
            weight = tl.load(weights_at + 4 * down + along)
            at = pixels_at + (from_row + tl.minimum(tl.maximum(left + along, 0), width - 1)) * 3
            red += weight * tl.load(at, there, 0).to(tl.int32)
            green += weight * tl.load(at + 1, there, 0).to(tl.int32)
            blue += weight * tl.load(at + 2, there, 0).to(tl.int32)
    to = out_at + (picture * count + place) * 3
    tl.store(to, _level(red), mask=there)
    tl.store(to + 1, _level(green), mask=there)
    tl.store(to + 2, _level(blue), mask=there)


@triton.jit
def _level(total):
    return tl.minimum(tl.maximum((total + 16384) >> 15, 0), 255).to(tl.uint8)
