"""LPIPS features of AlexNet on a CPU with AVX2, in two thirds of the time that ONNX Runtime takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from convergebench.kernels.convolution import convolved, normalised, packed, pooled, scaled_levels
from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    Convolution,
    Pooling,
    distance,
    read_weights,
)
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


class AlexNetFeatures:
    """The features of pictures by tap, each height × width × channels."""

    def __init__(self) -> None:
        weights = read_weights("alex")
        shapes = [layer for layer in LAYERS["alex"] if isinstance(layer, Convolution)]
        self._kernels = [
            packed(kernel, bias, shape.stride, shape.padding)
            for kernel, bias, shape in zip(weights.kernels, weights.biases, shapes, strict=True)
        ]
        self._gains = weights.gains
        # LPIPS normalises channels in [−1, 1].
        self._scale = np.array([2 / 255 / scale for scale in SCALE], np.float32)
        self._shift = np.array([-(1 + shift) for shift in SHIFT], np.float32) / np.array(SCALE, np.float32)

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
        for layer in LAYERS["alex"]:
            if isinstance(layer, Convolution):
                value = convolved(value, next(kernels))
            elif isinstance(layer, Pooling):
                value = pooled(value)
            else:
                taps.append(normalised(value, next(gains), EPSILON))
        return taps
