"""PSNR and SSIM of many pictures at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convergebench.metrics._gpu.base import has_kernels
from convergebench.metrics._shared_values import shared
from convergebench.metrics._ssim_opencv import C1, C2, COUNT, WINDOW
from convergebench.metrics.base import refusal
from convergebench.metrics.psnr import PEAK
from convergebench.metrics.ssim import refuse_small

if TYPE_CHECKING:
    from torch import Tensor


class _OfPixels:
    """A metric whose features are the pixels themselves."""

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor]:
        return (pictures,)


class Psnr(_OfPixels):
    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        import torch

        source, result = sources[0], results[0]
        if has_kernels(result):
            from convergebench.metrics._gpu.psnr_kernel import squared_differences
        else:
            squared_differences = _squared_differences
        squared = squared_differences(source, result).double()
        return 10 * torch.log10(PEAK**2 * result[0].numel() / squared)


class Ssim(_OfPixels):
    def unfit(self, height: int, width: int) -> str | None:
        return refusal(refuse_small, height, width)

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        return shared(similarities, sources[0], results[0])


def similarities(source: Tensor, result: Tensor) -> Tensor:
    """SSIM of each pair."""
    _, height, width, channels = source.shape
    windows = (height - WINDOW + 1) * (width - WINDOW + 1) * channels
    if has_kernels(source):
        from convergebench.metrics._gpu.ssim_kernel import ssim_totals
    else:
        ssim_totals = _totals
    return (ssim_totals(source, result) / windows).clamp(max=1.0)


def _squared_differences(sources: Tensor, results: Tensor) -> Tensor:
    """Their sum over each pair, in whole numbers."""
    import torch

    return sources.int().sub_(results).square_().sum((1, 2, 3), dtype=torch.int64)


def _totals(source: Tensor, result: Tensor) -> Tensor:
    """For each picture, the sum of its windows' similarities, in whole numbers up to the last division."""
    import torch

    a, b = source.int(), result.int()
    x, y, products = _window_sums(a), _window_sums(b), _window_sums(a * b)
    squares = _window_sums(a * a + b * b)
    both, squared = x * y, x * x + y * y
    structure = (2 * (COUNT * products - both)).float() + C2
    contrast = (COUNT * squares - squared).float() + C2
    similarity = ((2 * both).float() + C1) * structure / ((squared.float() + C1) * contrast)
    return similarity.sum((1, 2, 3), dtype=torch.float64)


def _window_sums(values: Tensor) -> Tensor:
    for axis in (1, 2):
        length = values.shape[axis] - WINDOW + 1
        shifted = (values.narrow(axis, start, length) for start in range(WINDOW))
        values = sum(shifted, start=values.new_zeros(()))
    return values
