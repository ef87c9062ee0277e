"""Means over a square window around each pixel of many planes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convergebench.metrics._gpu.base import has_kernels

if TYPE_CHECKING:
    from torch import Tensor


def window_means(planes: Tensor, window: int) -> Tensor:
    """Of N × height × width numbers from 0 to 1, over the part of the window that lies inside. The window has
    an odd number of pixels on each side."""
    if has_kernels(planes):
        from convergebench.metrics._gpu import window_means_kernel

        return window_means_kernel.window_means(planes, window)
    from torch.nn import functional

    means = planes[:, None]
    for size in ((window, 1), (1, window)):
        reach = (size[0] // 2, size[1] // 2)
        means = functional.avg_pool2d(means, size, stride=1, padding=reach, count_include_pad=False)
    return means[:, 0].clamp_(0, 1)
