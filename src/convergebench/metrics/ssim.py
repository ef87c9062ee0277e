"""Structural similarity, as scikit-image defines it by default.

A 7 × 7 window of equal weights, sample covariance, the border left out, the channels averaged. All window
sums are whole numbers below 2³¹, so variances are exact before they become floats: no cancellation.
"""

from __future__ import annotations

from convergebench import kernels
from convergebench.metrics import _ssim_opencv
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics._shared_values import shared
from convergebench.metrics._ssim_opencv import C1, C2, WINDOW, SourceSums, sums_of_source
from convergebench.metrics.base import MetricOptions, NotMeasurable, metric
from convergebench.types import Pixels


def refuse_small(height: int, width: int) -> None:
    if min(height, width) < WINDOW:
        raise NotMeasurable(
            f"SSIM needs at least {WINDOW} × {WINDOW} pixels; this picture has {width} × {height}"
        )


def prepared_source(source: Pixels) -> Pixels | SourceSums:
    """The source itself, or its window sums where computing them is expensive."""
    refuse_small(*source.shape[:2])
    return source if kernels.available() else sums_of_source(source)


def _on_gpu(options: MetricOptions, device: str) -> GpuMetric:
    from convergebench.metrics._gpu.fidelity import Ssim

    return Ssim()


@metric(
    "ssim",
    better="higher",
    perfect=1.0,
    worst=0.0,
    dimension="quality",
    prepare=prepared_source,
    on_gpu=_on_gpu,
)
def ssim(source: Pixels | SourceSums, result: Pixels) -> float:
    """Structural similarity: scikit-image's, 7 × 7 windows, mean over channels.

    Unrelated pictures score about 0, which is given as the worst; inverted ones can fall below it.
    """
    height, width, channels = result.shape
    windows: int = (height - WINDOW + 1) * (width - WINDOW + 1) * channels
    if isinstance(source, SourceSums):
        total = _ssim_opencv.ssim_total(source, result)
    else:
        total = shared(_total, source, result)
    return min(total / windows, 1.0)


def _total(source: Pixels, result: Pixels) -> float:
    return kernels.ssim_total(source, result, C1, C2)
