"""Peak signal-to-noise ratio."""

from __future__ import annotations

import math

from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics.base import MetricOptions, metric
from convergebench.types import Pixels

PEAK = 255


def _on_gpu(options: MetricOptions, device: str) -> GpuMetric:
    from convergebench.metrics._gpu.fidelity import Psnr

    return Psnr()


@metric("psnr", better="higher", perfect=math.inf, worst=0.0, unit="dB", dimension="quality", on_gpu=_on_gpu)
def psnr(source: Pixels, result: Pixels) -> float:
    """Peak signal-to-noise ratio over all pixels and channels; equal pictures give infinity.

    >>> import numpy as np
    >>> psnr(np.zeros((8, 8, 3), np.uint8), np.full((8, 8, 3), 255, np.uint8))
    0.0
    """
    import cv2

    squared = cv2.norm(source, result, cv2.NORM_L2SQR)
    return 10 * math.log10(PEAK**2 * source.size / squared) if squared else math.inf
