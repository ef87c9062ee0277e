"""Colour drift of many pictures at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from convergebench.metrics._gpu.base import has_kernels, on_device
from convergebench.metrics._gpu.resampling import area_bands, area_matrices
from convergebench.metrics.drift._ciede2000 import TO_RELATIVE, light_of_levels
from convergebench.metrics.drift.colour import (
    CLIPPED_IN_CELL,
    LEAST_FREE,
    QUANTILES,
    TO_YCBCR,
    ToneStatistics,
    averaged_size,
    readings_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics._reader import PixelPair

_LINEAR_BELOW = (6 / 29) ** 3
AT_ONCE = 8
"""Pictures whose colours are compared together: each takes some fifty planes of memory meanwhile."""


class ColourOnGpu:
    """Cells, their statistics and the mean difference are made on the device; casts, contrast and saturation
    follow from these on the processor, by the same functions."""

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        return (pictures, *_cells(pictures))

    def summaries(self, sources: tuple[Tensor, ...], results: Tensor) -> list[Tensor]:
        source, *cells = sources
        if has_kernels(results):
            from convergebench.metrics._gpu.colour_kernel import mean_differences
        else:
            mean_differences = _mean_differences
        before, after = cells[:2], _cells(results)
        return [
            mean_differences(source, results),
            after[2] - cells[2],
            *_statistics(before[0], after[0], _free(before[1]) & _free(after[1])),
        ]

    def readings(self, summaries: Sequence[NDArray[Any]], pair: PixelPair) -> Mapping[str, float | str]:
        delta_e, clipped, *numbers = (float(number) for number in summaries)
        return readings_of(ToneStatistics(*numbers[::2]), ToneStatistics(*numbers[1::2]), delta_e, clipped)


def _cells(pictures: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The mean levels of each cell, its mean of 255 where a pixel is clipped, and the share that is."""
    import torch

    _, height, width, _ = pictures.shape
    columns, rows = averaged_size(height, width)
    if has_kernels(pictures):
        from convergebench.metrics._gpu import colour_kernel

        return colour_kernel.cells(pictures, *area_bands(pictures, rows, columns))
    down, along = area_matrices(pictures, rows, columns)
    clipped = ((pictures == 0) | (pictures == 255)).any(-1)
    planes = torch.cat([pictures.permute(0, 3, 1, 2).float(), 255 * clipped[:, None].float()], dim=1)
    cells = (down @ (planes @ along.T)).round()
    share = clipped.flatten(1).mean(1, dtype=torch.float64)
    return cells[:, :3].permute(0, 2, 3, 1).contiguous(), cells[:, 3], share


def _free(clipped: Tensor) -> Tensor:
    """Which cells have hardly any clipped pixel."""
    return (clipped < 255 * CLIPPED_IN_CELL).flatten(1)


def _statistics(before: Tensor, after: Tensor, free: Tensor) -> list[Tensor]:
    """The fields of `ToneStatistics` over cells that are free, or over all if nearly none are: each of the
    sources, then of the results."""
    import torch

    free = free | (free.mean(1, dtype=torch.float64) < LEAST_FREE)[:, None]
    count = free.sum(1)
    to_tones = on_device(TO_YCBCR.T, before.device)
    fields = []
    for cells in (before, after):
        luma, blue, red = (cells.flatten(1, 2).double() @ to_tones).unbind(-1)
        quantiles = _quantiles(luma, free, count)
        chroma = torch.stack([blue, red])
        means = (chroma * free).sum(2) / count
        squares = ((chroma - means[..., None]).square() * free).sum(2) / count
        spread = quantiles.std(1, correction=0)
        fields.append((quantiles.mean(1), spread, means[0], means[1], squares.sum(0).sqrt()))
    return [field for pair in zip(*fields, strict=True) for field in pair]


def _quantiles(values: Tensor, there: Tensor, count: Tensor) -> Tensor:
    """Like numpy's, of the values that are there."""
    import torch

    ordered = values.masked_fill(~there, torch.inf).sort(1).values
    at = on_device(QUANTILES, values.device) * (count[:, None] - 1)
    low = at.floor().long()
    high = torch.minimum(low + 1, count[:, None] - 1)
    lower, upper = ordered.gather(1, low), ordered.gather(1, high)
    return lower + (upper - lower) * (at - low)


def _mean_differences(sources: Tensor, results: Tensor) -> Tensor:
    """CIEDE2000 of each pair."""
    import torch

    parts = zip(torch.split(sources, AT_ONCE), torch.split(results, AT_ONCE), strict=True)
    means = [_difference(_lab(one), _lab(other)).mean((1, 2), dtype=torch.float64) for one, other in parts]
    return torch.cat(means)


def _lab(pictures: Tensor) -> tuple[Tensor, Tensor, Tensor]:

    light = on_device(light_of_levels(), pictures.device)
    red, green, blue = light[pictures.int()].unbind(-1)
    x, y, z = (_compressed(float(a) * red + float(b) * green + float(c) * blue) for a, b, c in TO_RELATIVE)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _compressed(relative: Tensor) -> Tensor:
    import torch

    linear = relative * ((29 / 6) ** 2 / 3) + 4 / 29
    return torch.where(relative < _LINEAR_BELOW, linear, relative.clamp(min=1e-6).pow(1 / 3))


def _difference(one: tuple[Tensor, Tensor, Tensor], other: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """CIEDE2000, with hues as vectors as in `ciede2000`."""
    import torch

    (l1, a1, b1), (l2, a2, b2) = one, other
    stretch = 1.5 - 0.5 * _saturating((torch.hypot(a1, b1) + torch.hypot(a2, b2)) / 2)
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = torch.hypot(a1, b1), torch.hypot(a2, b2)
    product, dot, cross = c1 * c2, a1 * a2 + b1 * b2, a1 * b2 - b1 * a2
    cosine, sine = _mean_hue(a1, b1, c1, a2, b2, c2)
    half_cosine = ((product + dot).clamp(min=0) / 2).sqrt()
    near = cross / torch.where(half_cosine == 0, 1.0, half_cosine)
    # Where hues lie more than a quarter turn apart, the other half angle keeps its digits.
    far = torch.where(cross < 0, -1.0, 1.0) * (2 * (product - dot)).clamp(min=0).sqrt()
    turned = torch.where(dot < 0, far, near)
    mean_c, from_middle = (c1 + c2) / 2, ((l1 + l2) / 2 - 50) ** 2
    lightness = (l2 - l1) / (1 + 0.015 * from_middle / (20 + from_middle).sqrt())
    chroma = (c2 - c1) / (1 + 0.045 * mean_c)
    hue = turned / (1 + 0.015 * mean_c * _hue_weight(cosine, sine))
    rotation = -2 * _saturating(mean_c) * _blue_turn(cosine, sine)
    return (lightness**2 + chroma**2 + hue**2 + rotation * chroma * hue).clamp(min=0).sqrt()


def _mean_hue(
    a1: Tensor, b1: Tensor, c1: Tensor, a2: Tensor, b2: Tensor, c2: Tensor
) -> tuple[Tensor, Tensor]:
    """Cosine and sine of the mean hue; of the other hue where one colour is grey."""
    import torch

    is_grey, is_far = c1 * c2 == 0, a1 * a2 + b1 * b2 < 0
    turn = torch.where(a1 * b2 - b1 * a2 < 0, -1.0, 1.0)
    a = torch.where(is_far, turn * (b2 * c1 - b1 * c2), a1 * c2 + a2 * c1)
    b = torch.where(is_far, turn * (a1 * c2 - a2 * c1), b1 * c2 + b2 * c1)
    a, b = torch.where(is_grey, a1 + a2, a), torch.where(is_grey, b1 + b2, b)
    length = torch.hypot(a, b)
    length = torch.where(length == 0, 1.0, length)
    return a / length, b / length


def _saturating(chroma: Tensor) -> Tensor:
    power = chroma**7
    return (power / (power + 25.0**7)).sqrt()


def _hue_weight(cosine: Tensor, sine: Tensor) -> Tensor:
    cos2, sin2 = cosine**2 - sine**2, 2 * sine * cosine
    cos3, sin3 = cos2 * cosine - sin2 * sine, sin2 * cosine + cos2 * sine
    cos4, sin4 = cos2**2 - sin2**2, 2 * sin2 * cos2
    weight = 1 - 0.17 * _turned(cosine, sine, 30) + 0.24 * cos2
    return weight + 0.32 * _turned(cos3, sin3, -6) - 0.20 * _turned(cos4, sin4, 63)


def _turned(cosine: Tensor, sine: Tensor, degrees: float) -> Tensor:
    """Cosine of the angle less these degrees."""
    return cosine * math.cos(math.radians(degrees)) + sine * math.sin(math.radians(degrees))


def _blue_turn(cosine: Tensor, sine: Tensor) -> Tensor:
    import torch

    from_blue = torch.atan2(_turned(cosine, sine, 275 + 90), _turned(cosine, sine, 275)) / math.radians(25)
    return torch.sin(math.radians(60) * torch.exp(-from_blue * from_blue))
