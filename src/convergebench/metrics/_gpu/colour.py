"""Colour drift of many pictures at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from convergebench.metrics._gpu.resampling import area_matrix
from convergebench.metrics.drift._ciede2000 import TO_RELATIVE, light_of_levels
from convergebench.metrics.drift.colour import averaged_cells, averaged_size, colour_readings

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

_LINEAR_BELOW = (6 / 29) ** 3
AT_ONCE = 8
"""Pictures whose colours are compared together: each takes some fifty planes of memory meanwhile."""


class ColourOnGpu:
    """Cells and the mean difference are made on the device; casts, contrast and saturation follow from a
    few thousand cells on the processor, by the same functions."""

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        return (pictures, *_cells(pictures))

    def summaries(self, sources: tuple[Tensor, ...], results: Tensor) -> list[Tensor]:
        import torch

        source, *cells = sources
        differences = [
            _difference(_lab(one), _lab(other)).mean((1, 2), dtype=torch.float64)
            for one, other in zip(source.split(AT_ONCE), results.split(AT_ONCE), strict=True)
        ]
        return [torch.cat(differences), *cells, *_cells(results)]

    def readings(self, summaries: Sequence[NDArray[Any]]) -> Mapping[str, float | str]:
        delta_e, cells, clipped, share, cells_after, clipped_after, share_after = summaries
        before, after = averaged_cells(cells, clipped), averaged_cells(cells_after, clipped_after)
        return colour_readings(before, after, float(delta_e), float(share_after - share))


def _cells(pictures: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The mean levels of each cell, its mean of 255 where a pixel is clipped, and the share that is."""
    import torch

    _, height, width, _ = pictures.shape
    columns, rows = averaged_size(height, width)
    down = area_matrix(height, rows, pictures.device)
    along = area_matrix(width, columns, pictures.device).T
    clipped = ((pictures == 0) | (pictures == 255)).any(-1)
    planes = torch.cat([pictures.permute(0, 3, 1, 2).float(), 255 * clipped[:, None].float()], dim=1)
    cells = (down @ (planes @ along)).round()
    share = clipped.flatten(1).mean(1, dtype=torch.float64)
    return cells[:, :3].permute(0, 2, 3, 1).contiguous(), cells[:, 3], share


def _lab(pictures: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    import torch

    light = torch.from_numpy(light_of_levels()).to(pictures.device)
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
