"""Planes band-passed by two Gaussians in two passes, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

from convergebench.metrics._gpu.bands import Band

BLOCK = 512


def band_passed(grey: torch.Tensor, fine: tuple[Band, Band], coarse: tuple[Band, Band]) -> torch.Tensor:
    """N × height × width floats less their first pixel, blurred by the fine bands, down and along, less the
    same by the coarse ones."""
    count, height, width = grey.shape
    blocks = triton.cdiv(height * width, BLOCK)
    of_fine, of_coarse, made = (
        torch.empty_like(grey, memory_format=torch.contiguous_format) for _ in range(3)
    )
    _blur_along[(count * blocks,)](
        grey.contiguous(), *fine[1], *coarse[1], of_fine, of_coarse, height, width,
        fine[1].taps, coarse[1].taps, blocks, BLOCK=BLOCK,
    )  # fmt: skip
    _blur_down[(count * blocks,)](
        of_fine, of_coarse, *fine[0], *coarse[0], made, height, width, fine[0].taps, coarse[0].taps, blocks,
        BLOCK=BLOCK,
    )  # fmt: skip
    return made


@triton.jit
def _blurred(values_at, weights_at, output, first, number, outputs, taps, step, there):
    """For each lane the weighted sum of so many values, from the first one on, less a number."""
    total = tl.zeros_like(first).to(tl.float32)
    for tap in range(taps):
        value = tl.load(values_at + (first + tap) * step, there, 0.0) - number
        total += tl.load(weights_at + tap * outputs + output, there, 0.0) * value
    return total


@triton.jit(do_not_specialize=["height", "width", "fine_taps", "coarse_taps", "blocks"])
def _blur_along(
    grey_at, fine_firsts_at, fine_weights_at, coarse_firsts_at, coarse_weights_at, fine_at, coarse_at,
    height, width, fine_taps, coarse_taps, blocks, BLOCK: tl.constexpr,
):  # fmt: skip
    picture = (tl.program_id(0) // blocks).to(tl.int64) * height * width
    place = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    there = place < height * width
    column = place % width
    number = tl.load(grey_at + picture)
    row_at = grey_at + picture + place - column
    first = tl.load(fine_firsts_at + column, there, 0)
    fine = _blurred(row_at, fine_weights_at, column, first, number, width, fine_taps, 1, there)
    first = tl.load(coarse_firsts_at + column, there, 0)
    coarse = _blurred(row_at, coarse_weights_at, column, first, number, width, coarse_taps, 1, there)
    tl.store(fine_at + picture + place, fine, mask=there)
    tl.store(coarse_at + picture + place, coarse, mask=there)


@triton.jit(do_not_specialize=["height", "width", "fine_taps", "coarse_taps", "blocks"])
def _blur_down(
    fine_at, coarse_at, fine_firsts_at, fine_weights_at, coarse_firsts_at, coarse_weights_at, out_at,
    height, width, fine_taps, coarse_taps, blocks, BLOCK: tl.constexpr,
):  # fmt: skip
    picture = (tl.program_id(0) // blocks).to(tl.int64) * height * width
    place = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    there = place < height * width
    row, column = place // width, place % width
    first = tl.load(fine_firsts_at + row, there, 0)
    at = fine_at + picture + column
    fine = _blurred(at, fine_weights_at, row, first, 0.0, height, fine_taps, width, there)
    first = tl.load(coarse_firsts_at + row, there, 0)
    at = coarse_at + picture + column
    coarse = _blurred(at, coarse_weights_at, row, first, 0.0, height, coarse_taps, width, there)
    tl.store(out_at + picture + place, fine - coarse, mask=there)
