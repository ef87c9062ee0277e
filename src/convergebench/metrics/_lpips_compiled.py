"""LPIPS features on a CPU with AVX2, in less time than ONNX Runtime takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.kernels.convolution import PackedKernel, packed
from convergebench.kernels.perceptual import FeatureNetwork, Folding, Stage
from convergebench.metrics._lpips_network import (
    LAYERS,
    SCALE,
    SHIFT,
    WEIGHT_FILES,
    Backbone,
    Convolution,
    Pooling,
    Tap,
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
        # LPIPS normalises channels in [−1, 1].
        shift, scale = np.array(SHIFT), np.array(SCALE)
        self._network = FeatureNetwork(
            network.folding,
            list(_stages(backbone, network)),
            (2 / 255 / scale).astype(np.float32),
            (-(1 + shift) / scale).astype(np.float32),
        )

    def of(self, pictures: Sequence[Pixels]) -> list[tuple[NDArray[np.float32], ...]]:
        return [self._network.features(picture) for picture in pictures]

    def distances(
        self, features: Sequence[Sequence[NDArray[np.float32]]], pictures: Sequence[Pixels]
    ) -> list[float]:
        return [
            self._network.compared(of_one, picture).distance
            for of_one, picture in zip(features, pictures, strict=True)
        ]

    def maps(
        self, features: Sequence[NDArray[np.float32]], picture: Pixels
    ) -> tuple[NDArray[np.float32], ...]:
        return self._network.compared(features, picture).maps


class PackedNetwork(NamedTuple):
    folding: Folding
    kernels: tuple[PackedKernel, ...]
    gains: tuple[NDArray[np.float32], ...]


def _stages(backbone: Backbone, network: PackedNetwork) -> Iterator[Stage]:
    kernels, gains = iter(network.kernels), iter(network.gains)
    pooled = 0
    for layer, after in zip_longest(LAYERS[backbone], LAYERS[backbone][1:]):
        if isinstance(layer, Convolution):
            yield Stage(next(kernels), pooled, next(gains) if isinstance(after, Tap) else None)
            pooled = 0
        elif isinstance(layer, Pooling):
            assert layer.stride == 2
            pooled = layer.side


_PACKING = threading.Lock()
_STEPS: Mapping[Backbone, Sequence[int]] = {"alex": (5, 4, 5, 5, 5), "vgg": (4,) * 13}
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
    shapes = [layer for layer in LAYERS[backbone] if isinstance(layer, Convolution)]
    kernels, borders = list(weights.kernels), [shape.padding for shape in shapes]
    folding = Folding()
    if shapes[0].stride > 1:
        folding = Folding(kernels[0].shape[2], shapes[0].stride, borders[0])
        kernels[0], borders[0] = folding.kernel(kernels[0]), 0
    given = zip(kernels, weights.biases, borders, _STEPS[backbone], strict=True)
    packed_kernels = tuple(packed(kernel, bias, 1, border, step) for kernel, bias, border, step in given)
    gains = tuple(np.ascontiguousarray(gain, np.float32) for gain in weights.gains)
    return PackedNetwork(folding, packed_kernels, gains)
