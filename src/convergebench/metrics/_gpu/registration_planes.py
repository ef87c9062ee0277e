"""Band-passed planes of many pictures, from which they are registered."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.bands import Band, band_of
from convergebench.metrics._gpu.base import has_kernels
from convergebench.metrics._gpu.detail import half_gaussian, mirrored
from convergebench.metrics._gpu.resampling import averaged, averaged_luma
from convergebench.metrics.drift._registration import plane_sizes

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

FINE, COARSE = 1.0, 5.0
"""Standard deviations of the Gaussians between which planes are kept."""


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
    sizes = plane_sizes(*pictures.shape[1:3])
    if not sizes:
        return []
    grey = averaged_luma(pictures, *sizes[0]).float()
    planes = []
    for height, width in sizes:
        grey = averaged(grey[..., None], height, width)[..., 0]
        planes.append(_band_passed(grey))
    return planes[::-1]


def _band_passed(grey: Tensor) -> Tensor:
    if has_kernels(grey):
        from convergebench.metrics._gpu import registration_planes_kernel

        fine, coarse = (_blur_bands(*grey.shape[1:], sigma, grey.device) for sigma in (FINE, COARSE))
        return registration_planes_kernel.band_passed(grey, fine, coarse)
    from_first = grey - grey[:, :1, :1]  # so that nothing is left of a flat picture, not even rounding
    return _blurred(from_first, FINE) - _blurred(from_first, COARSE)


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
    import torch

    return torch.from_numpy(_blur_weights(size, sigma)).to(device)


@lru_cache(maxsize=64)
def _blur_bands(height: int, width: int, sigma: float, device: torch.device) -> tuple[Band, Band]:
    """The same weights for kernels, down and along."""
    return band_of(_blur_weights(height, sigma), device), band_of(_blur_weights(width, sigma), device)


def _blur_weights(size: int, sigma: float) -> NDArray[np.float32]:
    """OpenCV's Gaussian of floats as a matrix; the border is mirrored."""
    half = half_gaussian(sigma)
    weights = np.array([*half[:0:-1], *half])
    matrix = np.zeros((size, size))
    from_places = mirrored(size, len(half) - 1).numpy()
    for row in range(size):
        np.add.at(matrix[row], from_places[row : row + len(weights)], weights)
    return matrix.astype(np.float32)
