"""Squared differences of levels in one pass over the pixels, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

BLOCK = 4096
BLOCKS = 4
"""Of a picture, for each program: their squares add up to less than 2³¹."""


def squared_differences(sources: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    """The exact sum over each pair of 8-bit pictures."""
    count, numbers = len(results), results[0].numel()
    programs = triton.cdiv(numbers, BLOCK * BLOCKS)
    sums = torch.empty((count, programs), dtype=torch.int32, device=results.device)
    _squared[(count * programs,)](
        sources.contiguous(), results.contiguous(), sums, numbers, programs, BLOCK=BLOCK, BLOCKS=BLOCKS
    )
    return sums.sum(1, dtype=torch.int64)


# Of most pictures the numbers are a multiple of 16, so that several are read at once.
@triton.jit(do_not_specialize=["programs"])
def _squared(sources_at, results_at, sums_at, numbers, programs, BLOCK: tl.constexpr, BLOCKS: tl.constexpr):
    picture, part = (tl.program_id(0) // programs).to(tl.int64), tl.program_id(0) % programs
    sources_at += picture * numbers
    results_at += picture * numbers
    total = tl.zeros([BLOCK], tl.int32)
    for block in tl.static_range(BLOCKS):
        place = (part * BLOCKS + block) * BLOCK + tl.arange(0, BLOCK)
        there = place < numbers
        source = tl.load(sources_at + place, there, 0).to(tl.int32)
        difference = source - tl.load(results_at + place, there, 0).to(tl.int32)
        total += difference * difference
    tl.store(sums_at + picture * programs + part, tl.sum(total, 0))
