"""Phase correlation of many planes at once, as in OpenCV."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._gpu.base import on_device
from convergebench.metrics.drift._registration import hanning_window

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_REACH = 2
"""The peak is the centroid of the pixels up to so many away from the highest."""


def shifts(sources: Tensor, results: Tensor) -> Tensor:
    """How far each result is moved against its source, N × 2: to the right and down, in pixels."""
    import cv2
    import torch

    _, height, width = sources.shape
    window = _window(height, width, sources.device)
    size = (cv2.getOptimalDFTSize(height), cv2.getOptimalDFTSize(width))
    one, other = (torch.fft.rfft2(each * window, s=size) for each in (sources, results))
    product = one * other.conj()
    peaks = torch.fft.irfft2(product / product.abs().clamp(min=1e-12), s=size)
    peaks = torch.fft.fftshift(peaks, dim=(1, 2))
    centre = on_device(np.array([size[1] / 2, size[0] / 2]), sources.device)
    return centre - _centroids(peaks)


def _centroids(peaks: Tensor) -> Tensor:
    """Column and row of the highest peak of each plane, by the pixels around it."""
    import torch

    _, rows, columns = peaks.shape
    highest = peaks.flatten(1).argmax(1)
    near = torch.arange(-_REACH, _REACH + 1, device=peaks.device)
    row = (highest // columns)[:, None] + near
    column = (highest % columns)[:, None] + near
    there = ((row >= 0) & (row < rows))[:, :, None] & ((column >= 0) & (column < columns))[:, None, :]
    places = row.clamp(0, rows - 1)[:, :, None] * columns + column.clamp(0, columns - 1)[:, None, :]
    values = peaks.flatten(1).gather(1, places.flatten(1)).view_as(places).double() * there
    total = values.sum((1, 2))
    total = torch.where(total == 0, 1.0, total)
    return torch.stack([(values.sum(1) * column).sum(1) / total, (values.sum(2) * row).sum(1) / total], dim=1)


@lru_cache(maxsize=64)
def _window(height: int, width: int, device: torch.device) -> Tensor:
    import torch

    return torch.from_numpy(hanning_window(height, width)).to(device)
