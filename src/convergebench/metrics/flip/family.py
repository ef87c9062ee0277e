"""ꟻLIP as metrics: three numbers from one map."""

from __future__ import annotations

from collections.abc import Mapping

from convergebench.metrics._gpu.base import GpuFamily
from convergebench.metrics.base import MetricOptions, Reading, Result, family
from convergebench.metrics.flip.map import FlipSource, flip_map, flip_source
from convergebench.metrics.flip.pooling import flip_area, flip_mean, flip_peak, smoothed
from convergebench.types import MetricFacts

VERSION = "1"
NAMES = ("flip", "flip_peak", "flip_area")


def _facts(name: str, summary: str) -> MetricFacts:
    return MetricFacts(name, VERSION, "lower", 0.0, 1.0, "quality", summary=summary)


def _on_gpu(options: MetricOptions, device: str) -> GpuFamily:
    from convergebench.metrics._gpu.flip import FlipOnGpu

    return FlipOnGpu()


@family(
    "visibility",
    _facts("flip", "Mean of ꟻLIP's map of visible differences."),
    _facts("flip_peak", "Largest visible difference: the peak of ꟻLIP's smoothed map."),
    _facts("flip_area", "Share of the picture that differs visibly: ꟻLIP's smoothed map above 0.10."),
    prepare=flip_source,
    on_gpu=_on_gpu,
)
def visibility(source: FlipSource, result: Result) -> Mapping[str, Reading]:
    """ꟻLIP of one pair, at the pictures' own size and its default of pixels per degree."""
    found = flip_map(source, result.pixels)
    smooth = smoothed(found)
    return {"flip": flip_mean(found), "flip_peak": flip_peak(smooth), "flip_area": flip_area(smooth)}
