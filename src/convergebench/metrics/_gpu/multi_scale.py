"""MS-SSIM of many pictures at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._gpu.base import has_kernels
from convergebench.metrics.base import refusal
from convergebench.metrics.ms_ssim import C1, C2, MIDDLE, SIGMA, WEIGHTS, WINDOW, refuse_small

if TYPE_CHECKING:
    from torch import Tensor


class MsSsim:
    def unfit(self, height: int, width: int) -> str | None:
        return refusal(refuse_small, height, width)

    def features(self, pictures: Tensor) -> tuple[Tensor]:
        return (pictures,)

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        import torch

        if has_kernels(results[0]):
            from convergebench.metrics._gpu.ms_ssim_kernel import mean_similarities
        else:
            mean_similarities = _mean_similarities
        means = mean_similarities(sources[0], results[0], _gaussian())
        powers = [mean.clamp(min=0) ** weight for mean, weight in zip(means, WEIGHTS, strict=True)]
        return torch.stack(powers).prod(0).mean(1)


def _mean_similarities(sources: Tensor, results: Tensor, window: tuple[float, ...]) -> Tensor:
    """Scales × N × 3: the mean over all windows, at the last scale with luminance."""
    import torch

    # Variances do not change when the middle is subtracted, and lose fewer digits.
    x, y = (each.permute(0, 3, 1, 2).float() - MIDDLE for each in (sources, results))
    found = []
    for scale in range(len(WEIGHTS)):
        if scale:
            x, y = _halved(x), _halved(y)
        similarity = _similarity(x, y, window, with_luminance=scale == len(WEIGHTS) - 1)
        found.append(similarity.mean((2, 3), dtype=torch.float64))
    return torch.stack(found)


def _similarity(x: Tensor, y: Tensor, window: tuple[float, ...], *, with_luminance: bool) -> Tensor:
    mean_x, mean_y = _blurred(x, window), _blurred(y, window)
    covariance = _blurred(x * y, window).sub_(mean_x * mean_y)
    variances = _blurred((x * x).add_(y * y), window).sub_(mean_x * mean_x).sub_(mean_y * mean_y)
    similarity = covariance.mul_(2).add_(C2).div_(variances.add_(C2))
    if with_luminance:
        mean_x, mean_y = mean_x + MIDDLE, mean_y + MIDDLE
        similarity *= (2 * mean_x * mean_y + C1) / (mean_x.square() + mean_y.square() + C1)
    return similarity


def _halved(planes: Tensor) -> Tensor:
    from torch.nn import functional

    height, width = planes.shape[2:]
    even = functional.pad(planes, (width % 2, 0, height % 2, 0), value=-MIDDLE)
    return functional.avg_pool2d(even, 2)


def _blurred(planes: Tensor, window: tuple[float, ...]) -> Tensor:
    """Uses sums of shifted planes instead of a convolution, for which cuDNN would use less than 32 bits."""
    import torch

    for axis in (2, 3):
        length = planes.shape[axis] - WINDOW + 1
        total = torch.zeros_like(planes.narrow(axis, 0, length))
        for place, weight in enumerate(window):
            total.add_(planes.narrow(axis, place, length), alpha=weight)
        planes = total
    return planes


@lru_cache(maxsize=1)
def _gaussian() -> tuple[float, ...]:
    bell = np.exp(-((np.arange(WINDOW) - WINDOW // 2) ** 2) / (2 * SIGMA**2))
    return tuple((bell / bell.sum()).tolist())
