"""Means over windows in two passes, down the columns and along the rows, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

BLOCK = 512


def window_means(planes: torch.Tensor, window: int) -> torch.Tensor:
    """Like `window_means.window_means`."""
    count, height, width = planes.shape
    blocks = triton.cdiv(height * width, BLOCK)
    between, made = (torch.empty((count, height, width), device=planes.device) for _ in range(2))
    for given, to, is_down in ((planes.contiguous(), between, True), (between, made, False)):
        _means[(count * blocks,)](given, to, height, width, window // 2, blocks, IS_DOWN=is_down, BLOCK=BLOCK)
    return made


# Blocks of all planes are along the first axis of the grid, which alone has room for them.
@triton.jit(do_not_specialize=["height", "width", "reach", "blocks"])
def _means(planes_at, out_at, height, width, reach, blocks, IS_DOWN: tl.constexpr, BLOCK: tl.constexpr):
    start = (tl.program_id(0) // blocks).to(tl.int64) * height * width
    pixel = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    there = pixel < height * width
    place = pixel // width if IS_DOWN else pixel % width
    length = height if IS_DOWN else width
    step = width if IS_DOWN else 1
    total = tl.zeros([BLOCK], tl.float32)
    for tap in range(-reach, reach + 1):
        inside = there & (place + tap >= 0) & (place + tap < length)
        total += tl.load(planes_at + start + pixel + tap * step, inside, 0.0)
    number = tl.minimum(place, reach) + tl.minimum(length - 1 - place, reach) + 1
    mean = tl.minimum(total / number.to(tl.float32), 1.0)
    tl.store(out_at + start + pixel, mean, mask=there)
