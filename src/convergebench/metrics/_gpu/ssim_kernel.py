"""SSIM in one pass over the pixels, for CUDA devices."""

# No postponed annotations: Triton reads them.
import torch
import triton
import triton.language as tl

from convergebench.metrics._ssim_opencv import C1, C2, WINDOW

ROWS = 32
COLUMNS = 256
_CHANNELS = 3


def ssim_totals(source: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """For each pair, the sum of its windows' similarities. Both inputs are N × height × width × 3,
    contiguous."""
    count, height, width, _ = source.shape
    length, windows = width * _CHANNELS, (width - WINDOW + 1) * _CHANNELS
    bands, strips = triton.cdiv(height - WINDOW + 1, ROWS), triton.cdiv(windows, COLUMNS)
    parts = torch.empty((count, bands, strips), dtype=torch.float64, device=source.device)
    _ssim[(strips, bands, count)](
        source.contiguous(), result.contiguous(), parts, height, length, windows, C1, C2,
        ROWS=ROWS, COLUMNS=COLUMNS,
    )  # fmt: skip
    return parts.sum((1, 2))


# Parts of pictures have any size: a kernel for each kind of number would be compiled while they wait.
@triton.jit(do_not_specialize=["height", "length", "windows"])  # type: ignore[untyped-decorator]
def _ssim(x_at, y_at, parts_at, height, length, windows, c1, c2, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
    """Processes a band of rows and a strip of columns of one picture: window sums move down one row at a
    time."""
    strip, band, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    column = strip * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < windows
    start = picture.to(tl.int64) * height * length + column
    x_at += start
    y_at += start
    top = band * ROWS
    x = tl.zeros([COLUMNS], tl.int32)
    y = tl.zeros([COLUMNS], tl.int32)
    squares = tl.zeros([COLUMNS], tl.int32)
    products = tl.zeros([COLUMNS], tl.int32)
    total = tl.zeros([COLUMNS], tl.float64)
    for step in range(ROWS + 6):
        row = top + step
        there = inside & (row < height)
        for tap in tl.static_range(7):
            a = tl.load(x_at + row * length + 3 * tap, mask=there, other=0).to(tl.int32)
            b = tl.load(y_at + row * length + 3 * tap, mask=there, other=0).to(tl.int32)
            x += a
            y += b
            squares += a * a + b * b
            products += a * b
        if step >= 6:
            both = x * y
            squared = x * x + y * y
            alike = ((2 * both).to(tl.float32) + c1) * ((2 * (49 * products - both)).to(tl.float32) + c2)
            apart = (squared.to(tl.float32) + c1) * ((49 * squares - squared).to(tl.float32) + c2)
            total += tl.where(there, alike / apart, 0.0).to(tl.float64)
            for tap in tl.static_range(7):
                a = tl.load(x_at + (row - 6) * length + 3 * tap, mask=there, other=0).to(tl.int32)
                b = tl.load(y_at + (row - 6) * length + 3 * tap, mask=there, other=0).to(tl.int32)
                x -= a
                y -= b
                squares -= a * a + b * b
                products -= a * b
    bands, strips = tl.num_programs(1), tl.num_programs(0)
    tl.store(parts_at + (picture * bands + band) * strips + strip, tl.sum(total, axis=0))
