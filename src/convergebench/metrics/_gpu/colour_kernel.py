"""CIEDE2000 and the cells of pictures, each in one pass over the pixels, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
import numpy as np
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from convergebench.metrics._gpu.bands import Band
from convergebench.metrics._gpu.base import on_device
from convergebench.metrics._gpu.resampling_kernel import nearest
from convergebench.metrics.drift._ciede2000 import TO_RELATIVE, light_of_levels

BLOCK = 512
BLOCKS = 16
"""Of a picture, for each program."""
CELLS = 128
"""For each program."""
_25_TO_THE_7 = tl.constexpr(25.0**7)


def mean_differences(sources: torch.Tensor, results: torch.Tensor) -> torch.Tensor:
    """The mean difference of each pair of N × height × width × 3."""
    count, height, width, _ = results.shape
    programs = triton.cdiv(height * width, BLOCK * BLOCKS)
    sums = torch.empty((count, programs), dtype=torch.float64, device=results.device)
    light, to_relative = (
        on_device(numbers, results.device) for numbers in (light_of_levels(), TO_RELATIVE.astype(np.float32))
    )
    _difference_sums[(programs, count)](
        sources.contiguous(), results.contiguous(), light, to_relative, sums, height * width,
        BLOCK=BLOCK, BLOCKS=BLOCKS,
    )  # fmt: skip
    return sums.sum(1) / (height * width)


def cells(pictures: torch.Tensor, down: Band, along: Band) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Like `colour._cells`, by the bands that average pictures down to so many cells."""
    count, height, width, _ = pictures.shape
    rows, columns, device = len(down.firsts), len(along.firsts), pictures.device
    levels = torch.empty((count, rows, columns, 3), device=device)
    clipped = torch.empty((count, rows, columns), device=device)
    numbers = torch.empty((count, rows * columns), dtype=torch.int32, device=device)
    blocks = triton.cdiv(rows * columns, CELLS)
    _cells[(count * blocks,)](
        pictures.contiguous(), *down, *along, levels, clipped, numbers, height, width, rows, columns,
        down.taps, along.taps, blocks, CELLS=CELLS,
    )  # fmt: skip
    return levels, clipped, numbers.sum(1).double() / (height * width)


@triton.jit
def _is_end(level):
    return (level == 0) | (level == 255)


@triton.jit(do_not_specialize=["height", "width", "rows", "columns", "taps_down", "taps_along", "blocks"])
def _cells(
    pixels_at, down_firsts_at, down_weights_at, along_firsts_at, along_weights_at,
    levels_at, clipped_at, numbers_at, height, width, rows, columns, taps_down, taps_along, blocks,
    CELLS: tl.constexpr,
):  # fmt: skip
    """Cells may have pixels in common at their edges; for the number of clipped ones, each pixel belongs to
    the cell in which it begins."""
    picture = (tl.program_id(0) // blocks).to(tl.int64)
    place = tl.program_id(0) % blocks * CELLS + tl.arange(0, CELLS)
    there = place < rows * columns
    row, column = place // columns, place % columns
    first_row = tl.load(down_firsts_at + row, there, 0)
    first_column = tl.load(along_firsts_at + column, there, 0)
    pixels_at += picture * height * width * 3
    red = tl.zeros([CELLS], tl.float32)
    green = tl.zeros([CELLS], tl.float32)
    blue = tl.zeros([CELLS], tl.float32)
    clipped = tl.zeros([CELLS], tl.float32)
    number = tl.zeros([CELLS], tl.int32)
    for down in range(taps_down):
        of_row = tl.load(down_weights_at + down * rows + row, there, 0.0)
        from_row = first_row + down
        begins_in_row = there & (from_row * rows // height == row)
        for along in range(taps_along):
            weight = of_row * tl.load(along_weights_at + along * columns + column, there, 0.0)
            from_column = first_column + along
            at = pixels_at + (from_row * width + from_column) * 3
            r = tl.load(at, there, 0)
            g = tl.load(at + 1, there, 0)
            b = tl.load(at + 2, there, 0)
            is_clipped = _is_end(r) | _is_end(g) | _is_end(b)
            red += weight * r.to(tl.float32)
            green += weight * g.to(tl.float32)
            blue += weight * b.to(tl.float32)
            clipped += weight * tl.where(is_clipped, 255.0, 0.0)
            begins = begins_in_row & (from_column * columns // width == column)
            number += tl.where(begins & is_clipped, 1, 0)
    cell = picture * rows * columns + place
    tl.store(levels_at + 3 * cell, nearest(red), mask=there)
    tl.store(levels_at + 3 * cell + 1, nearest(green), mask=there)
    tl.store(levels_at + 3 * cell + 2, nearest(blue), mask=there)
    tl.store(clipped_at + cell, nearest(clipped), mask=there)
    tl.store(numbers_at + cell, number, mask=there)


@triton.jit
def _root(matrix_at, red, green, blue):
    """CIELAB's cube root, which is linear in the dark, of one row of the matrix times a colour."""
    relative = tl.load(matrix_at) * red + tl.load(matrix_at + 1) * green + tl.load(matrix_at + 2) * blue
    linear = relative * 7.787037037037037 + 0.13793103448275862
    return tl.where(relative < 0.008856451679035631, linear, libdevice.cbrt(relative))


@triton.jit
def _lab(pixel_at, light_at, matrix_at, there):
    red = tl.load(light_at + tl.load(pixel_at, there, 0).to(tl.int32))
    green = tl.load(light_at + tl.load(pixel_at + 1, there, 0).to(tl.int32))
    blue = tl.load(light_at + tl.load(pixel_at + 2, there, 0).to(tl.int32))
    x = _root(matrix_at, red, green, blue)
    y = _root(matrix_at + 3, red, green, blue)
    z = _root(matrix_at + 6, red, green, blue)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@triton.jit
def _length(a, b):
    return tl.sqrt(a * a + b * b)


@triton.jit
def _saturating(chroma):
    squared = chroma * chroma
    power = squared * squared * squared * chroma
    return tl.sqrt(power / (power + _25_TO_THE_7))


@triton.jit
def _mean_hue(a1, b1, c1, a2, b2, c2, dot, cross):
    """Cosine and sine of the mean hue; of the other hue where one colour is grey."""
    turn = tl.where(cross < 0, -1.0, 1.0)
    a = tl.where(dot < 0, turn * (b2 * c1 - b1 * c2), a1 * c2 + a2 * c1)
    b = tl.where(dot < 0, turn * (a1 * c2 - a2 * c1), b1 * c2 + b2 * c1)
    is_grey = c1 * c2 == 0
    a, b = tl.where(is_grey, a1 + a2, a), tl.where(is_grey, b1 + b2, b)
    length = _length(a, b)
    length = tl.where(length == 0, 1.0, length)
    return a / length, b / length


@triton.jit
def _hue_weight(cosine, sine):
    """Cosines of the hue and its multiples, each less some degrees."""
    cos2, sin2 = cosine * cosine - sine * sine, 2 * sine * cosine
    cos3, sin3 = cos2 * cosine - sin2 * sine, sin2 * cosine + cos2 * sine
    cos4, sin4 = cos2 * cos2 - sin2 * sin2, 2 * sin2 * cos2
    weight = 1 - 0.17 * (cosine * 0.8660254037844387 + sine * 0.5) + 0.24 * cos2  # 30°
    weight += 0.32 * (cos3 * 0.9945218953682733 - sin3 * 0.10452846326765347)  # -6°
    return weight - 0.20 * (cos4 * 0.45399049973954675 + sin4 * 0.8910065241883679)  # 63°


@triton.jit
def _blue_turn(cosine, sine):
    """60° around a hue of 275°, less with every 25° from there."""
    along = cosine * 0.08715574274765817 - sine * 0.9961946980917455
    across = cosine * 0.9961946980917455 + sine * 0.08715574274765817
    from_blue = libdevice.atan2(across, along) / 0.4363323129985824
    return libdevice.sin(1.0471975511965976 * tl.exp(-from_blue * from_blue))


@triton.jit
def _ciede2000(l1, a1, b1, l2, a2, b2):
    """With hues as vectors, as in `ciede2000`."""
    stretch = 1.5 - 0.5 * _saturating((_length(a1, b1) + _length(a2, b2)) / 2)
    a1 *= stretch
    a2 *= stretch
    c1, c2 = _length(a1, b1), _length(a2, b2)
    product, dot, cross = c1 * c2, a1 * a2 + b1 * b2, a1 * b2 - b1 * a2
    cosine, sine = _mean_hue(a1, b1, c1, a2, b2, c2, dot, cross)
    half_cosine = tl.sqrt(tl.maximum(product + dot, 0.0) / 2)
    near = cross / tl.where(half_cosine == 0, 1.0, half_cosine)
    # Where hues lie more than a quarter turn apart, the other half angle keeps its digits.
    far = tl.where(cross < 0, -1.0, 1.0) * tl.sqrt(tl.maximum(2 * (product - dot), 0.0))
    mean_c, middle = (c1 + c2) / 2, (l1 + l2) / 2 - 50
    from_middle = middle * middle
    lightness = (l2 - l1) / (1 + 0.015 * from_middle / tl.sqrt(20 + from_middle))
    chroma = (c2 - c1) / (1 + 0.045 * mean_c)
    hue = tl.where(dot < 0, far, near) / (1 + 0.015 * mean_c * _hue_weight(cosine, sine))
    rotation = -2 * _saturating(mean_c) * _blue_turn(cosine, sine)
    squared = lightness * lightness + chroma * chroma + hue * hue + rotation * chroma * hue
    return tl.sqrt(tl.maximum(squared, 0.0))


@triton.jit
def _difference_sums(
    sources_at, results_at, light_at, matrix_at, sums_at, count, BLOCK: tl.constexpr, BLOCKS: tl.constexpr
):
    program, picture = tl.program_id(0), tl.program_id(1).to(tl.int64)
    sources_at += picture * count * 3
    results_at += picture * count * 3
    total = tl.zeros([BLOCK], tl.float32)
    for block in range(BLOCKS):
        place = (program * BLOCKS + block) * BLOCK + tl.arange(0, BLOCK)
        there = place < count
        l1, a1, b1 = _lab(sources_at + 3 * place, light_at, matrix_at, there)
        l2, a2, b2 = _lab(results_at + 3 * place, light_at, matrix_at, there)
        total += tl.where(there, _ciede2000(l1, a1, b1, l2, a2, b2), 0.0)
    tl.store(sums_at + picture * tl.num_programs(0) + program, tl.sum(total.to(tl.float64), 0))
