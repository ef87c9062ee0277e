"""Parts of pictures resampled in one pass, each by a method of its own, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import math

import torch
import triton
import triton.language as tl

from convergebench.metrics._gpu.axis_weights import Spans

BLOCK = 256
_AREA, _STRETCHED, _CUBIC = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)
_CUBIC_TAPS = 4
_ROUNDING = tl.constexpr(6755399441055744.0)  # 1.5 · 2⁵²: adding it leaves no room for a fraction


def resampled(
    planes: torch.Tensor, down: Spans, along: Spans, methods: torch.Tensor, out: int
) -> torch.Tensor:
    """Like `resampled_parts`, of planes in any order in memory."""
    count, channels, _, _ = planes.shape
    largest = max(float(spans.scale.max()) for spans in (down, along))
    spans = torch.stack([*down, *along, methods], dim=1).int().to(planes.device, non_blocking=True)
    taps = max(_CUBIC_TAPS, math.ceil(largest) + 1)
    numbers = torch.empty((count, 2, taps, out), dtype=torch.int32, device=planes.device)
    weights = torch.empty((count, 2, taps, out), device=planes.device)
    _find_taps[(2, count)](spans, numbers, weights, taps, out, BLOCK=triton.next_power_of_2(out))
    made = torch.empty((count, channels, out, out), device=planes.device)
    _resample[(triton.cdiv(out * out, BLOCK), channels, count)](
        planes, spans, numbers, weights, made, *planes.stride(), taps, out, BLOCK=BLOCK
    )
    return made


@triton.jit
def _scale(span_at):
    return tl.load(span_at + 1).to(tl.float64) / tl.load(span_at + 2).to(tl.float64)


@triton.jit
def _tap(place, span_at, method, tap):
    """Which pixel of the part is the n-th for a place of the result, and its weight."""
    scale, last = _scale(span_at), tl.load(span_at + 1) - 1
    start = place.to(tl.float64) * scale
    at = tl.where(method >= _CUBIC, start + 0.5 * scale - 0.5, start)
    whole = tl.floor(at)
    t = at - whole
    area = tl.minimum(tl.maximum(tl.minimum(tap + 1, t + scale) - tl.maximum(tap, t), 0.0), 1.0) / scale
    before = ((-0.75 * (t + 1) + 3.75) * (t + 1) - 6.0) * (t + 1) + 3.0
    near = (1.25 * t - 2.25) * t * t + 1
    far = (1.25 * (1 - t) - 2.25) * (1 - t) * (1 - t) + 1
    behind = 1 - before - near - far
    cubic = tl.where(tap == 0, before, tl.where(tap == 1, near, tl.where(tap == 2, far, behind)))
    cubic = tl.where(tap < 4, ((cubic * 2048 + _ROUNDING) - _ROUNDING) / 2048, 0.0)
    stretched = (place + 1).to(tl.float64) - (whole + 1) / scale
    stretched = tl.where(stretched <= 0, 0.0, stretched - tl.floor(stretched))
    t = tl.where(method == _STRETCHED, stretched, t)
    linear = tl.where(tap == 0, 1 - t, tl.where(tap == 1, t, 0.0))
    weight = tl.where(method == _AREA, area, tl.where(method == _CUBIC, cubic, linear))
    number = whole.to(tl.int32) + tap - tl.where(method == _CUBIC, 1, 0)
    return tl.load(span_at) + tl.minimum(tl.maximum(number, 0), last), weight.to(tl.float32)


@triton.jit(do_not_specialize=["taps"])
def _find_taps(spans_at, numbers_at, weights_at, taps, out, BLOCK: tl.constexpr):
    """All taps of one axis of a picture: a few thousand, which millions of products use."""
    axis, picture = tl.program_id(0), tl.program_id(1).to(tl.int64)
    span_at = spans_at + picture * 7
    method = tl.load(span_at + 6)
    place = tl.arange(0, BLOCK)
    to = (picture * 2 + axis) * taps * out + place
    for tap in range(taps):
        number, weight = _tap(place, span_at + 3 * axis, method, tap)
        tl.store(numbers_at + to + tap * out, number, mask=place < out)
        tl.store(weights_at + to + tap * out, weight, mask=place < out)


@triton.jit(do_not_specialize=["taps"])
def _resample(
    planes_at, spans_at, numbers_at, weights_at, out_at, step_picture, step_channel, step_row, step_column,
    taps, out, BLOCK: tl.constexpr,
):  # fmt: skip
    channel, picture = tl.program_id(1), tl.program_id(2).to(tl.int64)
    down_at, along_at = spans_at + picture * 7, spans_at + picture * 7 + 3
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = place // out, place % out
    there = (row < tl.load(down_at + 2)) & (column < tl.load(along_at + 2))
    planes_at += picture * step_picture + channel * step_channel
    down = picture * 2 * taps * out + row
    along = (picture * 2 + 1) * taps * out + column
    total = tl.zeros([BLOCK], tl.float32)
    for tap_down in range(taps):
        from_row = tl.load(numbers_at + down + tap_down * out, there, 0)
        of_row = tl.zeros([BLOCK], tl.float32)
        for tap_along in range(taps):
            from_column = tl.load(numbers_at + along + tap_along * out, there, 0)
            of_column = tl.load(weights_at + along + tap_along * out, there, 0.0)
            at = planes_at + from_row * step_row + from_column * step_column
            of_row += of_column * tl.load(at, there, 0).to(tl.float32)
        total += tl.load(weights_at + down + tap_down * out, there, 0.0) * of_row
    to = out_at + (picture * tl.num_programs(1) + channel) * out * out + place
    tl.store(to, tl.where(there, total, 0.0), mask=place < out * out)
