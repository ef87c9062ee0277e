"""Deep image structure and texture similarity (Ding, Ma, Wang and Simoncelli 2020), on VGG16.

Written as a sum of distances, which is 0 for equal pictures without rounding: with a channel's means μ and
variances σ², and the covariance σₓᵧ, 1 − (2μₓμᵧ + c)/(μₓ² + μᵧ² + c) is (μₓ − μᵧ)²/(μₓ² + μᵧ² + c), and
1 − (2σₓᵧ + c)/(σₓ² + σᵧ² + c) is the variance of the difference over σₓ² + σᵧ² + c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from convergebench.kernels import convolution
from convergebench.metrics._dists_network import (
    IMPORTANCE_FILE,
    STABILISER,
    VGG_FILE,
    DistsFeatures,
    DistsStages,
    Importance,
    OnnxDistsFeatures,
    read_importance,
    shrunk_size,
)
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics.base import Metric, MetricOptions, Registration, register
from convergebench.types import MetricFacts, Pixels


@dataclass(frozen=True)
class Dists:
    facts: MetricFacts
    features: DistsFeatures
    importance: Importance
    shrinks: bool

    def prepare(self, source: Pixels) -> DistsStages:
        return self.features.of(shrunk(source) if self.shrinks else source)

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> list[float]:
        return [self._distance(one, result) for one, result in zip(prepared, results, strict=True)]

    def _distance(self, prepared: Any, result: Pixels) -> float:
        stages, means, variances = prepared
        result_stages, result_means, result_variances = self.prepare(result)
        between = self.features.between(stages, result_stages)
        of_means = (means - result_means) ** 2 / (means**2 + result_means**2 + STABILISER)
        of_structure = between / (variances + result_variances + STABILISER)
        importance = self.importance
        return float(importance.of_means @ of_means + importance.of_structure @ of_structure)


def shrunk(pixels: Pixels) -> Pixels:
    """The picture with its shorter side at 256 (bilinear, antialiased); a smaller one as it is."""
    from PIL import Image

    height, width = shrunk_size(*pixels.shape[:2])
    if (height, width) == pixels.shape[:2]:
        return pixels
    image: Image.Image = Image.fromarray(pixels)
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR))


def _features() -> DistsFeatures:
    """Raises MetricUnavailable if the weights are missing."""
    if convolution.available():
        from convergebench.metrics._dists_compiled import CompiledDistsFeatures

        return CompiledDistsFeatures()
    return OnnxDistsFeatures()


def _register(name: str, summary: str, *, shrinks: bool) -> None:
    facts = MetricFacts(
        name,
        "1",
        "lower",
        perfect=0.0,
        worst=1.0,
        dimension="quality",
        summary=summary,
        needs_weights=True,
        is_sampled=name == "dists",
    )

    def load(_: MetricOptions) -> Metric:
        importance = read_importance()
        return Dists(facts, _features(), importance, shrinks)

    def on_gpu(_: MetricOptions, device: str) -> GpuMetric:
        from convergebench.metrics._gpu.structure import DistsOnGpu

        return DistsOnGpu(read_importance(), device, shrinks=shrinks)

    register(Registration(facts, load, weights=(VGG_FILE, IMPORTANCE_FILE), on_gpu=on_gpu))


_register("dists", "DISTS on VGG16, the shorter side at 256.", shrinks=True)
_register("dists_full", "DISTS on VGG16, at the picture's own size.", shrinks=False)
