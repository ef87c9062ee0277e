"""ꟻLIP of many pictures at once: features of sources and results, maps, and the numbers from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from convergebench.metrics._gpu.base import has_kernels
from convergebench.metrics._gpu.window_means import window_means
from convergebench.metrics.flip._model import FlipModel, model_for
from convergebench.metrics.flip.map import PIXELS_PER_DEGREE
from convergebench.metrics.flip.pooling import VISIBLE, smoothing_window

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics._reader import PixelPair
    from convergebench.metrics.flip._model import Numbers

DOWN, ALONG = -2, -1
"""The axes of a plane: down its columns, along its rows."""


class FlipReadings(NamedTuple):
    """One number per picture for each field."""

    mean: Tensor
    peak: Tensor
    area: Tensor


class FlipOnGpu:
    """ꟻLIP's three numbers of pairs at their own size."""

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor]:
        return (flip_features(pictures),)

    def summaries(self, sources: tuple[Tensor, ...], results: Tensor) -> FlipReadings:
        return flip_readings(maps_against(sources[0], results))

    def readings(self, summaries: Sequence[NDArray[np.float64]], pair: PixelPair) -> Mapping[str, float]:
        mean, peak, area = (float(each) for each in summaries)
        return {"flip": mean, "flip_peak": peak, "flip_area": area}


def flip_features(pictures: Tensor, pixels_per_degree: float = PIXELS_PER_DEGREE) -> Tensor:
    """Lightness, a, b, edges and points, N × 5 × height × width, of N × height × width × 3 whole numbers."""
    import torch

    if has_kernels(pictures):
        from convergebench.metrics._gpu.flip_kernel import features

        return features(pictures, pixels_per_degree)
    model = model_for(pixels_per_degree)
    filters = model.filters
    levels = _light_of_levels(pictures.device)
    luminance, red_green, blue_yellow = _transformed(model.to_opponent, levels[pictures.int()].unbind(-1))
    y = _blurred(luminance, filters.luminance)
    x = y + _blurred(red_green, filters.red_green)
    z = y - _blurred(blue_yellow, filters.blue_yellow[0]).add_(_blurred(blue_yellow, filters.blue_yellow[1]))
    slope_down, bend_down = _derivatives(luminance, model, DOWN)
    slope_along, bend_along = _derivatives(_filtered(luminance, filters.smooth, DOWN), model, ALONG)
    edges = torch.hypot(slope_along, _filtered(slope_down, filters.smooth, ALONG))
    points = torch.hypot(bend_along, _filtered(bend_down, filters.smooth, ALONG))
    return torch.stack([*_lab(x, y, z, model), edges, points], dim=1)


@lru_cache(maxsize=8)
def _light_of_levels(device: torch.device) -> Tensor:
    """Made once: a recorded graph cannot copy it to the device."""
    import torch

    return torch.tensor(model_for(PIXELS_PER_DEGREE).linear, dtype=torch.float32, device=device)


def maps_against(sources: Tensor, results: Tensor, pixels_per_degree: float = PIXELS_PER_DEGREE) -> Tensor:
    """The map of the i-th result, a picture, against the i-th source's features, N × height × width."""
    if has_kernels(results):
        from convergebench.metrics._gpu.flip_kernel import maps

        return maps(sources, results, pixels_per_degree)
    return flip_maps(sources, flip_features(results, pixels_per_degree))


def flip_maps(sources: Tensor, results: Tensor) -> Tensor:
    """The map of the i-th result's features against the i-th source's, N × height × width."""
    import torch

    model = model_for(PIXELS_PER_DEGREE)  # what follows the filters is the same for all
    lightness, a, b, edges, points = (results - sources).unbind(1)
    distance = lightness.abs_().add_(torch.hypot(a, b))
    u = distance.div_(model.largest_distance).pow_(model.exponent)
    colour = torch.minimum(u * model.below, u * model.above + model.offset).clamp_(max=1)
    feature = torch.maximum(edges.abs_(), points.abs_()).mul_(math.sqrt(0.5)).sqrt_()
    return colour.pow_(1 - feature)


def smoothed_maps(maps: Tensor) -> Tensor:
    """Like `smoothed` for one map: means over the part of the window inside the picture."""
    return window_means(maps, smoothing_window(*maps.shape[1:]))


def flip_readings(maps: Tensor) -> FlipReadings:
    """Mean, peak and visible share of each map."""
    import torch

    smooth = smoothed_maps(maps)
    return FlipReadings(
        maps.mean((1, 2), dtype=torch.float64),
        smooth.amax((1, 2)).double(),
        (smooth > VISIBLE).mean((1, 2), dtype=torch.float64),
    )


def _transformed(matrix: Numbers, planes: tuple[Tensor, ...]) -> list[Tensor]:
    """Uses single products: matrix products may use less than 32 bits on some devices, and convolutions
    do."""
    first, second, third = planes
    return [float(a) * first + float(b) * second + float(c) * third for a, b, c in matrix]


def _blurred(planes: Tensor, half: Numbers) -> Tensor:
    return _filtered(_filtered(planes, half, DOWN), half, ALONG)


def _filtered(planes: Tensor, half: Numbers, axis: int) -> Tensor:
    total = planes * float(half[0])
    for weight, (before, after) in zip(half[1:], _taps(planes, len(half) - 1, axis), strict=True):
        total.add_(before + after, alpha=float(weight))
    return total


def _derivatives(planes: Tensor, model: FlipModel, axis: int) -> tuple[Tensor, Tensor]:
    """First and second derivative, from differences to the centre, so that both are zero where nothing
    changes."""
    import torch

    edge, point = model.filters.edge[1:], model.filters.point[1:]
    slope, bend, twice = torch.zeros_like(planes), torch.zeros_like(planes), 2 * planes
    taps = _taps(planes, len(edge), axis)
    for edge_weight, point_weight, (before, after) in zip(edge, point, taps, strict=True):
        slope.add_(after - before, alpha=float(edge_weight))
        bend.add_((before + after).sub_(twice), alpha=float(point_weight))
    return slope, bend


def _taps(planes: Tensor, reach: int, axis: int) -> list[tuple[Tensor, Tensor]]:
    """The planes shifted by one, two and more in both directions; the border is repeated outwards."""
    from torch.nn import functional

    length = planes.shape[axis]
    sides = (0, 0, reach, reach) if axis == DOWN else (reach, reach, 0, 0)
    padded = functional.pad(planes[:, None], sides, mode="replicate")[:, 0]
    return [
        (padded.narrow(axis, reach - step, length), padded.narrow(axis, reach + step, length))
        for step in range(1, reach + 1)
    ]


def _lab(x: Tensor, y: Tensor, z: Tensor, model: FlipModel) -> tuple[Tensor, Tensor, Tensor]:
    import torch

    displayed = [channel.clamp_(0, 1) for channel in _transformed(model.to_rgb, (x, y, z))]
    roots = [
        torch.where(plane > (6 / 29) ** 3, plane.clamp(min=1e-3).pow(1 / 3), plane * (841 / 108) + 4 / 29)
        for plane in _transformed(model.to_xyz, tuple(displayed))
    ]
    lightness = 116 * roots[1] - 16
    hunt = 0.01 * lightness
    return lightness, hunt * (500 * (roots[0] - roots[1])), hunt * (200 * (roots[1] - roots[2]))
