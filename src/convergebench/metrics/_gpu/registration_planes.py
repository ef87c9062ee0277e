"""Band-passed planes of many pictures, from which they are registered."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.detail import half_gaussian, luma, mirrored
from convergebench.metrics._gpu.resampling import averaged
from convergebench.metrics.drift._registration import plane_sizes

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class DeviceLevel(NamedTuple):
    """The `Level` of many sources."""

    planes: Tensor
    """N × height × width."""
    slopes: Tensor
    """N × 4 × pixels."""

    def of(self, places: Tensor) -> DeviceLevel:
        return DeviceLevel(self.planes[places], self.slopes[places])


def pyramids(planes: list[Tensor]) -> list[DeviceLevel]:
    """The levels of sources, coarsest first, from their planes."""
    return [DeviceLevel(each, _slopes(each)) for each in planes]


def registration_planes(pictures: Tensor) -> list[Tensor]:
    """Coarsest first, each N × height × width; none for pictures that are too small or too narrow."""
    grey = luma(pictures)
    planes = []
    for height, width in plane_sizes(*pictures.shape[1:3]):
        grey = averaged(grey[..., None], height, width)[..., 0]
        grey = grey.float()
        from_first = grey - grey[:, :1, :1]  # so that nothing is left of a flat picture, not even rounding
        planes.append(_blurred(from_first, 1.0) - _blurred(from_first, 5.0))
    return planes[::-1]


def _slopes(planes: Tensor) -> Tensor:
    """How each plane changes with each parameter of a similarity."""
    import torch

    _, height, width = planes.shape
    side = max(height, width)
    down, across = torch.gradient(planes, dim=(1, 2))
    x = (torch.arange(width, device=planes.device) - (width - 1) / 2) / side
    y = ((torch.arange(height, device=planes.device) - (height - 1) / 2) / side)[:, None]
    rows = (across * x + down * y, down * x - across * y, across, down)
    return torch.stack([row.flatten(1) for row in rows], dim=1) * side


def _blurred(planes: Tensor, sigma: float) -> Tensor:
    _, height, width = planes.shape
    down, along = (_blur_matrix(size, sigma, planes.device) for size in (height, width))
    return down @ planes @ along.T


@lru_cache(maxsize=64)
def _blur_matrix(size: int, sigma: float, device: torch.device) -> Tensor:
    """OpenCV's Gaussian of floats as a matrix; the border is mirrored."""
    import torch

    half = half_gaussian(sigma)
    weights = np.array([*half[:0:-1], *half])
    matrix = np.zeros((size, size))
    from_places = mirrored(size, len(half) - 1).numpy()
    for row in range(size):
        np.add.at(matrix[row], from_places[row : row + len(weights)], weights)
    return torch.tensor(matrix, dtype=torch.float32, device=device)
