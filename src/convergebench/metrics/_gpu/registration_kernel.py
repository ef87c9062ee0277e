"""Steps of registration, one program for each picture, for CUDA devices: what kernels/registration.c does."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import torch
import triton
import triton.language as tl

from convergebench.metrics.drift._registration import MOST_STEPS, SAMPLED, SETTLED, SINGULAR

BLOCK = 2048
WARPS = 16
SUMS = 16
_SWEEPS = tl.constexpr(8)
_ROUNDING = tl.constexpr(6755399441055744.0)  # 1.5 · 2⁵²: adding it leaves no room for a fraction
_FARTHEST = tl.constexpr(2.0**20)
_AWAY = tl.constexpr(-(2**30))
"""For a row that lies nowhere near the result."""
_STARTS = tl.constexpr(256)


def refined(
    sources: torch.Tensor,
    slopes: torch.Tensor,
    results: torch.Tensor,
    found: torch.Tensor,
    searching: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The similarities after the steps of one level, and which pictures can be searched further."""
    count, height, width = results.shape
    found, searching = found.contiguous().clone(), searching.int()
    scratch = torch.empty((count, 2, height * width), device=results.device)
    samples = triton.next_power_of_2(triton.cdiv(height * width, SAMPLED))
    _refine[(count,)](
        sources.contiguous(), slopes.contiguous(), results.contiguous(), found, searching, scratch,
        _room_for_starts(results), found, height, width, SETTLED, SINGULAR,
        MOST_STEPS=MOST_STEPS, SAMPLED=SAMPLED, SAMPLES=samples, BLOCK=BLOCK, ONLY_SUMS=False,
        num_warps=WARPS,
    )  # fmt: skip
    return found, searching.bool()


def equation_sums(
    sources: torch.Tensor, slopes: torch.Tensor, results: torch.Tensor, found: torch.Tensor
) -> torch.Tensor:
    """N × 16 sums of the equations: the upper triangle of the left side, the right side, the weighted squares
    of the differences, and the weights."""
    count, height, width = results.shape
    scratch = torch.empty((count, 2, height * width), device=results.device)
    sums = torch.empty((count, SUMS), dtype=torch.float64, device=results.device)
    searching = torch.ones(count, dtype=torch.int32, device=results.device)
    samples = triton.next_power_of_2(triton.cdiv(height * width, SAMPLED))
    _refine[(count,)](
        sources.contiguous(), slopes.contiguous(), results.contiguous(), found.contiguous(), searching,
        scratch, _room_for_starts(results), sums, height, width, SETTLED, SINGULAR,
        MOST_STEPS=1, SAMPLED=SAMPLED, SAMPLES=samples, BLOCK=BLOCK, ONLY_SUMS=True, num_warps=WARPS,
    )  # fmt: skip
    return sums


def products(sources: torch.Tensor, results: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
    """N × 3 sums of x·x, y·y and x·y: the source where the result reaches, and the result laid on it."""
    count, height, width = results.shape
    sums = torch.empty((count, 3), dtype=torch.float64, device=results.device)
    _products[(count,)](
        sources.contiguous(), results.contiguous(), found.contiguous(), _room_for_starts(results), sums,
        height, width, BLOCK=BLOCK, num_warps=WARPS,
    )  # fmt: skip
    return sums


def _room_for_starts(results: torch.Tensor) -> torch.Tensor:
    count, height, width = results.shape
    return torch.empty((count, 2 * (height + width)), dtype=torch.int32, device=results.device)


@triton.jit
def _rounded(value):
    return ((value + _ROUNDING) - _ROUNDING).to(tl.int32)


@triton.jit
def _write_starts(starts_at, height, width, p, q, right, down):
    """Where each row and each column of the source lies in the result, in 1/1024 of a pixel: a pixel's place
    is the sum of both. So few numbers are in 64 bits."""
    side = tl.maximum(height, width).to(tl.float64)
    middle_x, middle_y = (width - 1).to(tl.float64) / 2, (height - 1).to(tl.float64) / 2
    for start in range(0, height, _STARTS):
        row = start + tl.arange(0, _STARTS)
        x = -q * row.to(tl.float64) + (side * right + middle_x - p * middle_x + q * middle_y)
        y = p * row.to(tl.float64) + (side * down + middle_y - q * middle_x - p * middle_y)
        near = (tl.abs(x) <= _FARTHEST) & (tl.abs(y) <= _FARTHEST)
        x = tl.where(near, _rounded(tl.where(near, x, 0.0) * 1024) + 16, _AWAY)
        tl.store(starts_at + row, x, row < height)
        tl.store(starts_at + height + row, _rounded(tl.where(near, y, 0.0) * 1024) + 16, row < height)
    for start in range(0, width, _STARTS):
        column = start + tl.arange(0, _STARTS)
        to = starts_at + 2 * height + column
        tl.store(to, _rounded(p * column.to(tl.float64) * 1024), column < width)
        tl.store(to + width, _rounded(q * column.to(tl.float64) * 1024), column < width)
    tl.debug_barrier()


@triton.jit
def _laid(result_at, starts_at, place, there, height, width):
    """The result at places of the source, bilinear between steps of 1/32 pixel, and whether it reaches."""
    row, column = place // width, place % width
    row_x, row_y = tl.load(starts_at + row, there, _AWAY), tl.load(starts_at + height + row, there, 0)
    x = row_x + tl.load(starts_at + 2 * height + column, there, 0)
    y = row_y + tl.load(starts_at + 2 * height + width + column, there, 0)
    inside = (row_x > _AWAY) & (x >= 0) & (x < (width - 1) * 1024 + 32)
    inside &= (y >= 0) & (y < (height - 1) * 1024 + 32)
    x, y = x >> 5, y >> 5
    u, v = (x & 31).to(tl.float32) * 0.03125, (y & 31).to(tl.float32) * 0.03125
    left, top = x >> 5, y >> 5
    beyond, below = tl.minimum(left + 1, width - 1), tl.minimum(top + 1, height - 1)
    upper = (1 - u) * tl.load(result_at + top * width + left, inside, 0.0)
    upper += u * tl.load(result_at + top * width + beyond, inside, 0.0)
    lower = (1 - u) * tl.load(result_at + below * width + left, inside, 0.0)
    lower += u * tl.load(result_at + below * width + beyond, inside, 0.0)
    return (1 - v) * upper + v * lower, inside.to(tl.float32)


@triton.jit
def _products(sources_at, results_at, found_at, starts_at, sums_at, height, width, BLOCK: tl.constexpr):
    picture = tl.program_id(0).to(tl.int64)
    count = height * width
    sources_at += picture * count
    results_at += picture * count
    starts_at += picture * 2 * (height + width)
    found_at += picture * 4
    p, q, right, down = tl.load(found_at), tl.load(found_at + 1), tl.load(found_at + 2), tl.load(found_at + 3)
    _write_starts(starts_at, height, width, p, q, right, down)
    xx = tl.zeros([BLOCK], tl.float64)
    yy = tl.zeros([BLOCK], tl.float64)
    xy = tl.zeros([BLOCK], tl.float64)
    for start in range(0, count, BLOCK):
        place = start + tl.arange(0, BLOCK)
        there = place < count
        y, inside = _laid(results_at, starts_at, place, there, height, width)
        x = tl.load(sources_at + place, there, 0.0) * inside
        xx += (x * x).to(tl.float64)
        yy += (y * y).to(tl.float64)
        xy += (x * y).to(tl.float64)
    tl.store(sums_at + picture * 3, tl.sum(xx, 0))
    tl.store(sums_at + picture * 3 + 1, tl.sum(yy, 0))
    tl.store(sums_at + picture * 3 + 2, tl.sum(xy, 0))


@triton.jit
def _median(values, there, count):
    """Of values that are not negative: their bits are in the same order."""
    bits = tl.where(there, values.to(tl.int32, bitcast=True), 0x7FFFFFFF)
    lower = (count - 1) // 2
    found = tl.zeros([], tl.int32)
    for step in range(31):
        tried = found + (1 << (30 - step))
        found = tl.where(tl.sum((bits < tried).to(tl.int32), 0) <= lower, tried, found)
    up_to = tl.sum((bits <= found).to(tl.int32), 0)
    above = tl.min(tl.where(bits > found, bits, 0x7FFFFFFF), 0)
    upper = tl.where(up_to > count // 2, found, above)
    return (found.to(tl.float32, bitcast=True) + upper.to(tl.float32, bitcast=True)) / 2


@triton.jit
def _spread(sources_at, scratch_at, amplitude, count, SAMPLED: tl.constexpr, SAMPLES: tl.constexpr):
    """Three times the median of the differences, of every so many pixels."""
    place = tl.arange(0, SAMPLES) * SAMPLED
    there = place < count
    source = tl.load(sources_at + place, there, 0.0) * tl.load(scratch_at + count + place, there, 0.0)
    difference = tl.load(scratch_at + place, there, 0.0) * amplitude - source
    return 3 * _median(tl.abs(difference), there, (count + SAMPLED - 1) // SAMPLED) + 1e-3


@triton.jit
def _turned(aii, ajj, aij, aik, ajk, ail, ajl):
    """One of Jacobi's rotations, which makes the entry i, j zero."""
    is_zero = aij == 0
    theta = (ajj - aii) / tl.where(is_zero, 1.0, 2 * aij)
    t = tl.where(theta < 0, -1.0, 1.0) / (tl.abs(theta) + tl.sqrt(theta * theta + 1))
    t = tl.where(is_zero, 0.0, t)
    c = 1 / tl.sqrt(t * t + 1)
    s = t * c
    return (
        aii - t * aij, ajj + t * aij, aij * 0, c * aik - s * ajk, s * aik + c * ajk,
        c * ail - s * ajl, s * ail + c * ajl,
    )  # fmt: skip


@triton.jit
def _is_singular(a, b, c, d, e, f, g, h, i, j, least):
    """Whether the smallest eigenvalue of a symmetric matrix, given by its upper triangle, is at most this
    share of the largest."""
    for _ in range(_SWEEPS):
        a, e, b, c, f, d, g = _turned(a, e, b, c, f, d, g)  # rows 0 and 1
        a, h, c, b, f, d, i = _turned(a, h, c, b, f, d, i)  # 0 and 2
        a, j, d, b, g, c, i = _turned(a, j, d, b, g, c, i)  # 0 and 3
        e, h, f, b, c, g, i = _turned(e, h, f, b, c, g, i)  # 1 and 2
        e, j, g, b, d, f, i = _turned(e, j, g, b, d, f, i)  # 1 and 3
        h, j, i, c, d, f, g = _turned(h, j, i, c, d, f, g)  # 2 and 3
    low = tl.minimum(tl.minimum(a, e), tl.minimum(h, j))
    high = tl.maximum(tl.maximum(a, e), tl.maximum(h, j))
    return (low > least * high) == 0


@triton.jit
def _solved(a, b, c, d, e, f, g, h, i, j, w, x, y, z):
    """Gaussian elimination without pivots, which a positive definite matrix does not need."""
    factor = b / a
    e, f, g, x = e - factor * b, f - factor * c, g - factor * d, x - factor * w
    factor = c / a
    h, i, y = h - factor * c, i - factor * d, y - factor * w
    factor = d / a
    j, z = j - factor * d, z - factor * w
    factor = f / e
    h, i, y = h - factor * f, i - factor * g, y - factor * x
    factor = g / e
    j, z = j - factor * g, z - factor * x
    factor = i / h
    j, z = j - factor * i, z - factor * y
    z = z / j
    y = (y - i * z) / h
    x = (x - f * y - g * z) / e
    w = (w - b * x - c * y - d * z) / a
    return w, x, y, z


@triton.jit
def _total(values):
    return tl.sum(values.to(tl.float64), 0)


@triton.jit
def _refine(
    sources_at, slopes_at, results_at, found_at, searching_at, scratch_at, starts_at, out_at, height, width,
    settled, least,
    MOST_STEPS: tl.constexpr, SAMPLED: tl.constexpr, SAMPLES: tl.constexpr, BLOCK: tl.constexpr,
    ONLY_SUMS: tl.constexpr,
):  # fmt: skip
    picture = tl.program_id(0).to(tl.int64)
    count = height * width
    sources_at += picture * count
    results_at += picture * count
    slopes_at += picture * count * 4
    scratch_at += picture * count * 2
    starts_at += picture * 2 * (height + width)
    found_at += picture * 4
    p, q, right, down = tl.load(found_at), tl.load(found_at + 1), tl.load(found_at + 2), tl.load(found_at + 3)
    side = tl.maximum(height, width).to(tl.float64)
    moving = tl.load(searching_at + picture)
    step = 0
    while (step < MOST_STEPS) & (moving != 0):
        _write_starts(starts_at, height, width, p, q, right, down)
        xx = tl.zeros([BLOCK], tl.float64)
        yy = tl.zeros([BLOCK], tl.float64)
        for start in range(0, count, BLOCK):
            place = start + tl.arange(0, BLOCK)
            there = place < count
            laid, inside = _laid(results_at, starts_at, place, there, height, width)
            source = tl.load(sources_at + place, there, 0.0) * inside
            tl.store(scratch_at + place, laid, there)
            tl.store(scratch_at + count + place, inside, there)
            xx += (source * source).to(tl.float64)
            yy += (laid * laid).to(tl.float64)
        energy, wanted = tl.sum(yy, 0), tl.sum(xx, 0)
        # contrast and sharpness must not look like zoom
        amplitude = tl.where(energy > 0, tl.sqrt(wanted / tl.maximum(energy, 1e-300)), 1.0).to(tl.float32)
        tl.debug_barrier()
        spread = _spread(sources_at, scratch_at, amplitude, count, SAMPLED, SAMPLES)
        aa = tl.zeros([BLOCK], tl.float32)
        ab = tl.zeros([BLOCK], tl.float32)
        ac = tl.zeros([BLOCK], tl.float32)
        ad = tl.zeros([BLOCK], tl.float32)
        bb = tl.zeros([BLOCK], tl.float32)
        bc = tl.zeros([BLOCK], tl.float32)
        bd = tl.zeros([BLOCK], tl.float32)
        cc = tl.zeros([BLOCK], tl.float32)
        cd = tl.zeros([BLOCK], tl.float32)
        dd = tl.zeros([BLOCK], tl.float32)
        ae = tl.zeros([BLOCK], tl.float32)
        be = tl.zeros([BLOCK], tl.float32)
        ce = tl.zeros([BLOCK], tl.float32)
        de = tl.zeros([BLOCK], tl.float32)
        squares = tl.zeros([BLOCK], tl.float32)
        weights = tl.zeros([BLOCK], tl.float32)
        for start in range(0, count, BLOCK):
            place = start + tl.arange(0, BLOCK)
            there = place < count
            inside = tl.load(scratch_at + count + place, there, 0.0)
            laid = tl.load(scratch_at + place, there, 0.0)
            e = laid * amplitude - tl.load(sources_at + place, there, 0.0) * inside
            scaled = e / spread
            weight = inside / (1 + scaled * scaled)
            a = tl.load(slopes_at + place, there, 0.0)
            b = tl.load(slopes_at + count + place, there, 0.0)
            c = tl.load(slopes_at + 2 * count + place, there, 0.0)
            d = tl.load(slopes_at + 3 * count + place, there, 0.0)
            wa, wb, wc, wd = weight * a, weight * b, weight * c, weight * d
            aa += wa * a
            ab += wa * b
            ac += wa * c
            ad += wa * d
            bb += wb * b
            bc += wb * c
            bd += wb * d
            cc += wc * c
            cd += wc * d
            dd += wd * d
            ae += wa * e
            be += wb * e
            ce += wc * e
            de += wd * e
            squares += weight * e * e
            weights += weight
        m0, m1, m2, m3, m4 = _total(aa), _total(ab), _total(ac), _total(ad), _total(bb)
        m5, m6, m7, m8, m9 = _total(bc), _total(bd), _total(cc), _total(cd), _total(dd)
        r0, r1, r2, r3 = _total(ae), _total(be), _total(ce), _total(de)
        if ONLY_SUMS:
            to = out_at + picture * 16
            tl.store(to, m0)
            tl.store(to + 1, m1)
            tl.store(to + 2, m2)
            tl.store(to + 3, m3)
            tl.store(to + 4, m4)
            tl.store(to + 5, m5)
            tl.store(to + 6, m6)
            tl.store(to + 7, m7)
            tl.store(to + 8, m8)
            tl.store(to + 9, m9)
            tl.store(to + 10, r0)
            tl.store(to + 11, r1)
            tl.store(to + 12, r2)
            tl.store(to + 13, r3)
            tl.store(to + 14, _total(squares))
            tl.store(to + 15, _total(weights))
        else:
            ended = _is_singular(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, least)
            s0, s1, s2, s3 = _solved(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, r0, r1, r2, r3)
            length = (1 + s0) * (1 + s0) + s1 * s1
            back_p, back_q = (1 + s0) / length, -s1 / length
            back_right, back_down = -(back_p * s2 - back_q * s3), -(back_q * s2 + back_p * s3)
            right, down = (
                tl.where(ended, right, p * back_right - q * back_down + right),
                tl.where(ended, down, q * back_right + p * back_down + down),
            )
            p, q = (
                tl.where(ended, p, p * back_p - q * back_q),
                tl.where(ended, q, q * back_p + p * back_q),
            )
            size = (tl.abs(s0) + tl.abs(s1) + tl.abs(s2) + tl.abs(s3)) * side
            moving = ((ended == 0) & (size >= settled)).to(tl.int32)
            tl.store(searching_at + picture, (ended == 0).to(tl.int32))
        tl.debug_barrier()
        step += 1
    if not ONLY_SUMS:
        out_at += picture * 4
        tl.store(out_at, p)
        tl.store(out_at + 1, q)
        tl.store(out_at + 2, right)
        tl.store(out_at + 3, down)
