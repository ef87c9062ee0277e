"""ꟻLIP in two passes over the pixels, down the columns and along the rows, for CUDA devices."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
# ruff: noqa: N803
from functools import lru_cache

import numpy as np
import torch
import triton
import triton.language as tl

from convergebench.metrics.flip._model import model_for

COLUMNS = 256
BETWEEN_BYTES = 2**29
"""Of memory between the two passes, in which a picture takes seven planes."""
FEATURES = tl.constexpr(5)
_FILTERED = tl.constexpr(7)


def features(pictures: torch.Tensor, pixels_per_degree: float) -> torch.Tensor:
    """Like `flip_features`."""
    count, height, width, _ = pictures.shape
    made = torch.empty((count, FEATURES.value, height, width), device=pictures.device)
    _run(pictures, made, made, pixels_per_degree, compare=False)
    return made


def maps(sources: torch.Tensor, results: torch.Tensor, pixels_per_degree: float) -> torch.Tensor:
    """The map of each result, a picture, against the features of its source."""
    made = torch.empty(results.shape[:3], device=results.device)
    _run(results, sources.contiguous(), made, pixels_per_degree, compare=True)
    return made


def _run(
    pictures: torch.Tensor,
    sources: torch.Tensor,
    made: torch.Tensor,
    pixels_per_degree: float,
    *,
    compare: bool,
) -> None:
    weights, constants, light = _parameters(pixels_per_degree, pictures.device)
    _, height, width, _ = pictures.shape
    reach, short_reach = weights.shape[1] - 1, _short_reach(pixels_per_degree)
    step = max(1, BETWEEN_BYTES // (_FILTERED.value * 4 * height * width))
    for part, against, to in zip(
        *(torch.split(each, step) for each in (pictures, sources, made)), strict=True
    ):
        filtered = torch.empty((len(part), _FILTERED.value, height, width), device=part.device)
        grid = (triton.cdiv(width, COLUMNS), height, len(part))
        _down[grid](
            part.contiguous(), light, constants, weights, filtered, height, width,
            SHORT_REACH=short_reach, REACH=reach, COLUMNS=COLUMNS,
        )  # fmt: skip
        _along[grid](
            filtered, against, constants, weights, to, height, width,
            SHORT_REACH=short_reach, REACH=reach, COLUMNS=COLUMNS, COMPARE=compare,
        )  # fmt: skip


def _short_reach(pixels_per_degree: float) -> int:
    """Of the filters of luminance and red-green, which are half as long as the others."""
    filters = model_for(pixels_per_degree).filters
    return max(len(filters.luminance), len(filters.red_green)) - 1


@lru_cache(maxsize=64)
def _parameters(
    pixels_per_degree: float, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Half of each filter from the centre outwards, one row each; matrices and mappings; linear light."""
    model = model_for(pixels_per_degree)
    filters = model.filters
    colours = (filters.luminance, filters.red_green, *filters.blue_yellow)
    halves = (*colours, filters.smooth, filters.edge, filters.point)
    weights = np.zeros((len(halves), max(map(len, halves))))
    for row, half in zip(weights, halves, strict=True):
        row[: len(half)] = half
    constants = np.concatenate(
        [
            *(matrix.ravel() for matrix in (model.to_opponent, model.to_rgb, model.to_xyz)),
            [1 / model.largest_distance, model.exponent, model.below, model.above, model.offset],
        ]
    )
    return tuple(
        torch.tensor(each, dtype=torch.float32, device=device) for each in (weights, constants, model.linear)
    )  # type: ignore[return-value]


@triton.jit
def _row(at, a, b, c):
    """One row of a matrix times a colour."""
    return tl.load(at) * a + tl.load(at + 1) * b + tl.load(at + 2) * c


@triton.jit
def _opponent(pixel_at, light_at, constants_at, there):
    red = tl.load(light_at + tl.load(pixel_at, there, 0).to(tl.int32))
    green = tl.load(light_at + tl.load(pixel_at + 1, there, 0).to(tl.int32))
    blue = tl.load(light_at + tl.load(pixel_at + 2, there, 0).to(tl.int32))
    return (
        _row(constants_at, red, green, blue),
        _row(constants_at + 3, red, green, blue),
        _row(constants_at + 6, red, green, blue),
    )


# Rows are aligned by the width alone: the height is no reason to compile a kernel anew.
@triton.jit(do_not_specialize=["height"])
def _down(
    pixels_at,
    light_at,
    constants_at,
    weights_at,
    out_at,
    height,
    width,
    SHORT_REACH: tl.constexpr,
    REACH: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Seven planes of one row of a picture: luminance blurred, smoothed and its two derivatives, red-green,
    and blue-yellow by both of its filters."""
    strip, row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    column = strip * COLUMNS + tl.arange(0, COLUMNS)
    there = column < width
    pixels_at += picture * height * width * 3 + column * 3
    step = REACH + 1  # from one filter to the next
    centre, red_green, blue_yellow = _opponent(pixels_at + row * width * 3, light_at, constants_at, there)
    blurred = centre * tl.load(weights_at)
    rg = red_green * tl.load(weights_at + step)
    wide = blue_yellow * tl.load(weights_at + 2 * step)
    narrow = blue_yellow * tl.load(weights_at + 3 * step)
    smooth = centre * tl.load(weights_at + 4 * step)
    slope = tl.zeros([COLUMNS], tl.float32)
    bend = tl.zeros([COLUMNS], tl.float32)
    for tap in range(1, REACH + 1):
        above = tl.maximum(row - tap, 0) * width * 3
        below = tl.minimum(row + tap, height - 1) * width * 3
        y0, rg0, by0 = _opponent(pixels_at + above, light_at, constants_at, there)
        y1, rg1, by1 = _opponent(pixels_at + below, light_at, constants_at, there)
        at = weights_at + tap
        if tap <= SHORT_REACH:
            blurred += (y0 + y1) * tl.load(at)
            rg += (rg0 + rg1) * tl.load(at + step)
        wide += (by0 + by1) * tl.load(at + 2 * step)
        narrow += (by0 + by1) * tl.load(at + 3 * step)
        smooth += (y0 + y1) * tl.load(at + 4 * step)
        slope += (y1 - y0) * tl.load(at + 5 * step)
        bend += ((y0 + y1) - 2 * centre) * tl.load(at + 6 * step)
    plane = height * width
    to = out_at + picture * _FILTERED * plane + row * width + column
    tl.store(to, blurred, mask=there)
    tl.store(to + plane, rg, mask=there)
    tl.store(to + 2 * plane, wide, mask=there)
    tl.store(to + 3 * plane, narrow, mask=there)
    tl.store(to + 4 * plane, smooth, mask=there)
    tl.store(to + 5 * plane, slope, mask=there)
    tl.store(to + 6 * plane, bend, mask=there)


@triton.jit
def _root(value):
    """CIELAB's cube root, which is linear in the dark."""
    is_light = value > 0.008856451679035631
    root = tl.exp2(tl.log2(tl.maximum(value, 1e-3)) * 0.3333333333333333)
    return tl.where(is_light, root, value * 7.787037037037037 + 0.13793103448275862)


@triton.jit
def _lab(x, y, z, constants_at):
    """Lightness, a and b, lowered in the dark, of what a screen can show."""
    red = tl.minimum(tl.maximum(_row(constants_at + 9, x, y, z), 0.0), 1.0)
    green = tl.minimum(tl.maximum(_row(constants_at + 12, x, y, z), 0.0), 1.0)
    blue = tl.minimum(tl.maximum(_row(constants_at + 15, x, y, z), 0.0), 1.0)
    x = _root(_row(constants_at + 18, red, green, blue))
    y = _root(_row(constants_at + 21, red, green, blue))
    z = _root(_row(constants_at + 24, red, green, blue))
    lightness = 116 * y - 16
    return lightness, 0.01 * lightness * (500 * (x - y)), 0.01 * lightness * (200 * (y - z))


@triton.jit
def _visible(lightness, a, b, edges, points, constants_at):
    """The map's value from the differences of all features."""
    distance = tl.abs(lightness) + tl.sqrt(a * a + b * b)
    u = tl.exp2(tl.log2(distance * tl.load(constants_at + 27)) * tl.load(constants_at + 28))
    upper = u * tl.load(constants_at + 30) + tl.load(constants_at + 31)
    colour = tl.minimum(tl.minimum(u * tl.load(constants_at + 29), upper), 1.0)
    feature = tl.sqrt(tl.maximum(tl.abs(edges), tl.abs(points)) * 0.7071067811865476)
    found = tl.exp2(tl.log2(colour) * (1 - feature))
    return tl.where(colour > 0, found, tl.where(feature < 1, 0.0, 1.0))


@triton.jit(do_not_specialize=["height"])
def _along(
    filtered_at,
    sources_at,
    constants_at,
    weights_at,
    out_at,
    height,
    width,
    SHORT_REACH: tl.constexpr,
    REACH: tl.constexpr,
    COLUMNS: tl.constexpr,
    COMPARE: tl.constexpr,
):
    """The features of one row of a picture or, if they are compared with a source's, the row of the map."""
    strip, row, picture = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    column = strip * COLUMNS + tl.arange(0, COLUMNS)
    there = column < width
    plane = height * width
    at = filtered_at + picture * _FILTERED * plane + row * width
    step = REACH + 1
    centre = tl.load(at + 4 * plane + column, there, 0)
    y = tl.load(at + column, there, 0) * tl.load(weights_at)
    rg = tl.load(at + plane + column, there, 0) * tl.load(weights_at + step)
    wide = tl.load(at + 2 * plane + column, there, 0) * tl.load(weights_at + 2 * step)
    narrow = tl.load(at + 3 * plane + column, there, 0) * tl.load(weights_at + 3 * step)
    slope_down = tl.load(at + 5 * plane + column, there, 0) * tl.load(weights_at + 4 * step)
    bend_down = tl.load(at + 6 * plane + column, there, 0) * tl.load(weights_at + 4 * step)
    slope = tl.zeros([COLUMNS], tl.float32)
    bend = tl.zeros([COLUMNS], tl.float32)
    for tap in range(1, REACH + 1):
        left = at + tl.maximum(column - tap, 0)
        right = at + tl.minimum(column + tap, width - 1)
        weight = weights_at + tap
        smooth = tl.load(weight + 4 * step)
        if tap <= SHORT_REACH:
            y += (tl.load(left, there, 0) + tl.load(right, there, 0)) * tl.load(weight)
            of_rg = tl.load(left + plane, there, 0) + tl.load(right + plane, there, 0)
            rg += of_rg * tl.load(weight + step)
        left += 2 * plane
        right += 2 * plane
        wide += (tl.load(left, there, 0) + tl.load(right, there, 0)) * tl.load(weight + 2 * step)
        left += plane
        right += plane
        narrow += (tl.load(left, there, 0) + tl.load(right, there, 0)) * tl.load(weight + 3 * step)
        left += plane
        right += plane
        before, after = tl.load(left, there, 0), tl.load(right, there, 0)
        slope += (after - before) * tl.load(weight + 5 * step)
        bend += ((before + after) - 2 * centre) * tl.load(weight + 6 * step)
        left += plane
        right += plane
        slope_down += (tl.load(left, there, 0) + tl.load(right, there, 0)) * smooth
        left += plane
        right += plane
        bend_down += (tl.load(left, there, 0) + tl.load(right, there, 0)) * smooth
    lightness, a, b = _lab(y + rg, y, y - (wide + narrow), constants_at)
    edges = tl.sqrt(slope * slope + slope_down * slope_down)
    points = tl.sqrt(bend * bend + bend_down * bend_down)
    if COMPARE:
        source = sources_at + picture * FEATURES * plane + row * width + column
        lightness -= tl.load(source, there, 0)
        a -= tl.load(source + plane, there, 0)
        b -= tl.load(source + 2 * plane, there, 0)
        edges -= tl.load(source + 3 * plane, there, 0)
        points -= tl.load(source + 4 * plane, there, 0)
        found = _visible(lightness, a, b, edges, points, constants_at)
        tl.store(out_at + picture * plane + row * width + column, found, mask=there)
    else:
        to = out_at + picture * FEATURES * plane + row * width + column
        tl.store(to, lightness, mask=there)
        tl.store(to + plane, a, mask=there)
        tl.store(to + 2 * plane, b, mask=there)
        tl.store(to + 3 * plane, edges, mask=there)
        tl.store(to + 4 * plane, points, mask=there)
