"""LPIPS features on a CPU with AVX2, in less time than ONNX Runtime takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from convergebench.kernels.convolution import (
    PackedKernel,
    convolved,
    normalised,
    packed,
    pooled,
    scaled_levels,
)
from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    Backbone,
    Convolution,
    Layer,
    LpipsWeights,
    Pooling,
    distance,
    read_weights,
)
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CompiledFeatures:
    """The features of pictures by tap, each height × width × channels."""

    def __init__(self, backbone: Backbone) -> None:
        weights = read_weights(backbone)
        self._layers = LAYERS[backbone]
        self._kernels = packed_kernels(weights, self._layers)
        self._gains = weights.gains
        # LPIPS normalises channels in [−1, 1].
        shift, scale = np.array(SHIFT), np.array(SCALE)
        self._scale = (2 / 255 / scale).astype(np.float32)
        self._shift = (-(1 + shift) / scale).astype(np.float32)

    def of(self, pictures: Sequence[Pixels]) -> list[tuple[NDArray[np.float32], ...]]:
        return [tuple(self._taps(picture)) for picture in pictures]

    def distance(self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]) -> float:
        return distance(one, other)

    def maps(
        self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], ...]:
        return tuple(np.square(a - b).mean(axis=2) for a, b in zip(one, other, strict=True))

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


def packed_kernels(weights: LpipsWeights, layers: Sequence[Layer]) -> list[PackedKernel]:
    shapes = [layer for layer in layers if isinstance(layer, Convolution)]
    return [
        packed(kernel, bias, shape.stride, shape.padding)
        for kernel, bias, shape in zip(weights.kernels, weights.biases, shapes, strict=True)
    ]
