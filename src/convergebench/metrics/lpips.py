"""Learned perceptual image patch similarity (Zhang et al. 2018), version 0.1, on AlexNet and VGG16.

A picture's features are unit length along the channels and scaled so that LPIPS is the mean squared
difference, summed over the taps. A source's features are thus computed once and compared with any result's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from convergebench.kernels import convolution, resampling
from convergebench.metrics._device import uses_cuda
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics._lpips_network import WEIGHT_FILES, Backbone
from convergebench.metrics.base import Metric, MetricOptions, NotMeasurable, Registration, register
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from PIL import Image

SIDE = 256
SMALLEST_SIDE = 32
_BATCH_PIXELS = 16 * SIDE**2


class Features(Protocol):
    def of(self, pictures: Sequence[Pixels]) -> list[Any]: ...

    def distances(self, features: Sequence[Any], pictures: Sequence[Pixels]) -> list[float]:
        """Of each picture from the one that has these features."""
        ...


@dataclass(frozen=True)
class Lpips:
    facts: MetricFacts
    features: Features
    fixed_size: bool

    def prepare(self, source: Pixels) -> Any:
        return self.features.of([self._fitted(source)])[0]

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> list[float]:
        fitted = [self._fitted(result) for result in results]
        values = [0.0] * len(results)
        for places in _batches(fitted):
            pictures, features = ([of[place] for place in places] for of in (fitted, prepared))
            for place, value in zip(places, self.features.distances(features, pictures), strict=True):
                values[place] = value
        return values

    def _fitted(self, pixels: Pixels) -> Pixels:
        if self.fixed_size:
            return _squared(pixels)
        height, width, _ = pixels.shape
        if min(height, width) < SMALLEST_SIDE:
            raise NotMeasurable(
                f"{self.facts.name} needs at least {SMALLEST_SIDE} pixels on each side; "
                f"this picture has {width} × {height}"
            )
        return pixels


def _squared(pixels: Pixels) -> Pixels:
    from PIL import Image

    height, width, _ = pixels.shape
    if (height, width) == (SIDE, SIDE):
        return pixels
    if height == width and resampling.available():
        return resampling.bilinear(pixels, SIDE)
    image: Image.Image = Image.fromarray(pixels)
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR))


def _batches(pictures: Sequence[Pixels]) -> Iterator[list[int]]:
    """Indices of pictures of one size, few enough that their features fit into memory."""

    def size(place: int) -> tuple[int, ...]:
        return pictures[place].shape

    for (height, width, _), group in groupby(sorted(range(len(pictures)), key=size), key=size):
        places = list(group)
        step = max(1, _BATCH_PIXELS // (height * width))
        yield from (places[start : start + step] for start in range(0, len(places), step))


def features_of(backbone: Backbone, options: MetricOptions) -> Features:
    """The network, on the GPU if one is used; raises MetricUnavailable if its weights are missing."""
    if uses_cuda(options):
        from convergebench.metrics._lpips_torch import TorchFeatures

        return TorchFeatures(backbone, "cuda")
    if convolution.available():
        from convergebench.metrics._lpips_compiled import CompiledFeatures

        return CompiledFeatures(backbone)
    from convergebench.metrics._lpips_onnx import OnnxFeatures

    return OnnxFeatures(backbone)


def _register(name: str, backbone: Backbone, summary: str, *, fixed_size: bool) -> None:
    facts = MetricFacts(
        name,
        "1",
        "lower",
        perfect=0.0,
        worst=1.0,
        dimension="quality",
        summary=summary,
        needs_weights=True,
    )

    def load(options: MetricOptions) -> Metric:
        return Lpips(facts, features_of(backbone, options), fixed_size)

    def on_gpu(options: MetricOptions, device: str) -> GpuMetric:
        from convergebench.metrics._gpu.perceptual import LpipsOnGpu
        from convergebench.metrics._lpips_torch import TorchFeatures

        side = SIDE if fixed_size else None
        return LpipsOnGpu(TorchFeatures(backbone, device), side, SMALLEST_SIDE, name)

    register(Registration(facts, load, weights=(WEIGHT_FILES[backbone],), on_gpu=on_gpu))


_register("lpips", "alex", "LPIPS on AlexNet, both pictures at 256 × 256.", fixed_size=True)
_register("lpips_vgg", "vgg", "LPIPS on VGG16, both pictures at 256 × 256.", fixed_size=True)
_register("lpips_full", "alex", "LPIPS on AlexNet, at the picture's own size.", fixed_size=False)
_register("lpips_vgg_full", "vgg", "LPIPS on VGG16, at the picture's own size.", fixed_size=False)
