"""LPIPS features on the CPU: the network as an ONNX graph, built once and stored in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    WEIGHT_FILES,
    Backbone,
    Convolution,
    Pooling,
    distance,
    read_weights,
)
from convergebench.metrics._onnx_graph import OnnxGraph, cached_graph, cpu_session, normalised_levels
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GRAPH_VERSION = 1


class OnnxFeatures:
    """The features of pictures of one size, by tap, each channels × height × width."""

    def __init__(self, backbone: Backbone) -> None:
        file = cached_graph(
            f"lpips_{backbone}", _GRAPH_VERSION, WEIGHT_FILES[backbone], lambda: _built(backbone)
        )
        self._session = cpu_session(file)

    def of(self, pictures: Sequence[Pixels]) -> list[tuple[NDArray[np.float32], ...]]:
        taps = self._session.run(None, {"pictures": np.stack(pictures)})
        return list(zip(*taps, strict=True))

    def distances(
        self, features: Sequence[Sequence[NDArray[np.float32]]], pictures: Sequence[Pixels]
    ) -> list[float]:
        return [distance(one, other) for one, other in zip(features, self.of(pictures), strict=True)]

    def maps(
        self, features: Sequence[NDArray[np.float32]], picture: Pixels
    ) -> tuple[NDArray[np.float32], ...]:
        pairs = zip(features, self.of([picture])[0], strict=True)
        return tuple(np.square(one - other).mean(axis=0) for one, other in pairs)


def _built(backbone: Backbone) -> bytes:
    weights = read_weights(backbone)
    graph = OnnxGraph()
    # LPIPS normalises channels in [−1, 1], which are twice the levels' share of 255, less 1.
    mean = [(1 + shift) / 2 for shift in SHIFT]
    value = normalised_levels(graph, "pictures", mean, [scale / 2 for scale in SCALE])
    taps = []
    convolutions = iter(zip(weights.kernels, weights.biases, strict=True))
    gains = iter(weights.gains)
    for layer in LAYERS[backbone]:
        if isinstance(layer, Convolution):
            kernel, bias = next(convolutions)
            value = graph.add(
                "Conv", value, kernel, bias, strides=[layer.stride] * 2, pads=[layer.padding] * 4
            )
            value = graph.add("Relu", value)
        elif isinstance(layer, Pooling):
            value = graph.add("MaxPool", value, kernel_shape=[layer.side] * 2, strides=[layer.stride] * 2)
        else:
            taps.append(_tap(graph, value, next(gains)))
    inputs = {"pictures": [None, None, None, 3]}
    return graph.serialised(f"lpips_{backbone}", inputs, dict.fromkeys(taps, 4))


def _tap(graph: OnnxGraph, value: str, gain: NDArray[np.float32]) -> str:
    length = graph.add("ReduceL2", value, axes=[1], keepdims=1)
    length = graph.add("Add", length, np.array(EPSILON, np.float32))
    unit = graph.add("Div", value, length)
    return graph.add("Mul", unit, gain.reshape(1, -1, 1, 1))
