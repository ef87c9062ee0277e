"""LPIPS features on a CPU with AVX2, in less time than ONNX Runtime takes."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.kernels.convolution import (
    FoldedKernel,
    PackedKernel,
    convolved,
    normalised,
    packed,
    packed_for_folding,
    pixel_distances,
    pooled,
    scaled_levels,
)
from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    WEIGHT_FILES,
    Backbone,
    Convolution,
    Pooling,
    read_weights,
)
from convergebench.metrics._weights import path_of
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CompiledFeatures:
    """The features of pictures by tap, each height × width × channels."""

    def __init__(self, backbone: Backbone) -> None:
        network = packed_network(backbone)
        self._layers = LAYERS[backbone]
        self._kernels, self._gains = network.kernels, network.gains
        # LPIPS normalises channels in [−1, 1].
        shift, scale = np.array(SHIFT), np.array(SCALE)
        self._scale = (2 / 255 / scale).astype(np.float32)
        self._shift = (-(1 + shift) / scale).astype(np.float32)

    def of(self, pictures: Sequence[Pixels]) -> list[tuple[NDArray[np.float32], ...]]:
        return [tuple(self._taps(picture)) for picture in pictures]

    def distance(self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]) -> float:
        return sum(float(each.mean(dtype=np.float64)) for each in self.maps(one, other))

    def maps(
        self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], ...]:
        return tuple(pixel_distances(a, b) for a, b in zip(one, other, strict=True))

    def _taps(self, picture: Pixels) -> list[NDArray[np.float32]]:
        value = scaled_levels(picture, self._scale, self._shift)
        kernels, gains = iter(self._kernels), iter(self._gains)
        taps = []
        for layer in self._layers:
            if isinstance(layer, Convolution):
                value = convolved(value, next(kernels))
            elif isinstance(layer, Pooling):
                value = pooled(value, layer.side)
            else:
                taps.append(normalised(value, next(gains), EPSILON))
        return taps


class PackedNetwork(NamedTuple):
    kernels: tuple[PackedKernel | FoldedKernel, ...]
    gains: tuple[NDArray[np.float32], ...]


_PACKING = threading.Lock()
_STEPS: Mapping[Backbone, Sequence[int]] = {"alex": (6, 4, 5, 5, 5), "vgg": (4,) * 13}
"""Of the tiles of each convolution. At 256 pixels, the last planes of AlexNet have 15 × 15 and those of VGG16
16 × 16."""


def packed_network(backbone: Backbone) -> PackedNetwork:
    """Packed once for all metrics that use it, since that takes time and memory; raises MetricUnavailable if
    its weights are missing or damaged."""
    with _PACKING:
        return _packed_from(path_of(WEIGHT_FILES[backbone]), backbone)


@lru_cache(maxsize=len(WEIGHT_FILES))
def _packed_from(_: Path, backbone: Backbone) -> PackedNetwork:
    weights = read_weights(backbone)
    shapes = (layer for layer in LAYERS[backbone] if isinstance(layer, Convolution))
    given = zip(weights.kernels, weights.biases, shapes, _STEPS[backbone], strict=True)
    kernels = (
        (packed if shape.stride == 1 else packed_for_folding)(kernel, bias, shape.stride, shape.padding, step)
        for kernel, bias, shape, step in given
    )
    return PackedNetwork(tuple(kernels), weights.gains)
