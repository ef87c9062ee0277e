"""The network of DISTS: VGG16 as in LPIPS, but with smooth pooling, as an ONNX graph in the cache.

A stage's features are centred: their channels have mean 0, and the means and variances are stored separately.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from convergebench.metrics._lpips_network import LAYERS, WEIGHT_FILES, Convolution, Pooling, read_weights
from convergebench.metrics._onnx_graph import OnnxGraph, cached_graph, cpu_session, normalised_levels
from convergebench.metrics._torch_checkpoint import read_vectors
from convergebench.metrics._weights import damaged, path_of
from convergebench.packaged_files import PackagedFile
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

VGG_FILE = WEIGHT_FILES["vgg"]
IMPORTANCE_FILE = PackagedFile(
    "DISTS-pytorch==0.1",
    "DISTS_pytorch/weights.pt",
    "f5e65c96230b7f6ca995691647d482237e4cab8a50c5c4a5784f219ef0748218",
)
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_DEVIATION = (0.229, 0.224, 0.225)
POOLING_EPSILON = 1e-12
STABILISER = 1e-6
SHORTER_SIDE = 256
_GRAPH_VERSION = 1


@dataclass(frozen=True)
class Importance:
    """The weight of each channel of all stages, for its mean and for its structure; all sum to 1."""

    of_means: NDArray[np.float32]
    of_structure: NDArray[np.float32]


def read_importance() -> Importance:
    """α and β from the cache; they must have been pulled before."""
    content = path_of(IMPORTANCE_FILE).read_bytes()
    try:
        vectors = read_vectors(content)
        alpha, beta = vectors["alpha"], vectors["beta"]
    except (pickle.UnpicklingError, AttributeError, EOFError, KeyError, TypeError, ValueError) as error:
        raise damaged(IMPORTANCE_FILE) from error
    total = alpha.sum(dtype=np.float64) + beta.sum(dtype=np.float64)
    return Importance((alpha / total).astype(np.float32), (beta / total).astype(np.float32))


class DistsStages(NamedTuple):
    """The features of a picture: an array for each stage, its channels centred, and the means and variances
    of all channels."""

    stages: tuple[NDArray[np.float32], ...]
    means: NDArray[np.float32]
    variances: NDArray[np.float32]


class DistsFeatures(Protocol):
    def of(self, picture: Pixels) -> DistsStages: ...

    def between(
        self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]
    ) -> NDArray[np.floating]:
        """The mean squared difference of each channel of all stages."""


class OnnxDistsFeatures:
    """Stages are channels × pixels."""

    def __init__(self) -> None:
        self._session = cpu_session(cached_graph("dists_vgg", _GRAPH_VERSION, VGG_FILE, _built))

    def of(self, picture: Pixels) -> DistsStages:
        means, variances, *stages = self._session.run(None, {"pictures": picture[None]})
        planes = tuple(stage.reshape(stage.shape[1], -1) for stage in stages)
        return DistsStages(planes, means.ravel(), variances.ravel())

    def between(
        self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]
    ) -> NDArray[np.floating]:
        differences = (a - b for a, b in zip(one, other, strict=True))
        return np.concatenate([np.vecdot(each, each) / each.shape[1] for each in differences])


def shrunk_size(height: int, width: int) -> tuple[int, int]:
    """Height and width with the shorter side at 256; those of a smaller picture.

    >>> shrunk_size(512, 768), shrunk_size(200, 900)
    ((256, 384), (200, 900))
    """
    shorter = min(height, width)
    if shorter <= SHORTER_SIDE:
        return height, width
    return height * SHORTER_SIDE // shorter, width * SHORTER_SIDE // shorter


def pooling_window() -> NDArray[np.float32]:
    """A Hann window of 3 × 3 pixels."""
    window = np.hanning(5)[1:-1]
    return np.asarray(np.outer(window, window) / window.sum() ** 2, np.float32)


def _built() -> bytes:
    weights = read_weights("vgg")
    graph = OnnxGraph()
    stages = [normalised_levels(graph, "pictures", (0, 0, 0), (1, 1, 1))]
    value = normalised_levels(graph, "pictures", IMAGENET_MEAN, IMAGENET_DEVIATION)
    channels = 3
    convolutions = iter(zip(weights.kernels, weights.biases, strict=True))
    for layer in LAYERS["vgg"]:
        if isinstance(layer, Convolution):
            kernel, bias = next(convolutions)
            channels = len(bias)
            value = graph.add("Relu", graph.add("Conv", value, kernel, bias, pads=[1] * 4))
        elif isinstance(layer, Pooling):
            value = _smoothly_pooled(graph, value, channels)
        else:
            stages.append(value)
    centred, means, variances = zip(*(_centred(graph, stage) for stage in stages), strict=True)
    outputs = {graph.add("Concat", *means, axis=1): 4, graph.add("Concat", *variances, axis=1): 4}
    return graph.serialised(
        "dists_vgg", {"pictures": [1, None, None, 3]}, outputs | dict.fromkeys(centred, 4)
    )


def _smoothly_pooled(graph: OnnxGraph, value: str, channels: int) -> str:
    """The root mean square under a 3 × 3 Hann window, with stride 2."""
    kernels = np.broadcast_to(pooling_window(), (channels, 1, 3, 3))
    squared = graph.add("Mul", value, value)
    mean = graph.add("Conv", squared, kernels, strides=[2, 2], pads=[1] * 4, group=channels)
    return graph.add("Sqrt", graph.add("Add", mean, np.array(POOLING_EPSILON, np.float32)))


def _centred(graph: OnnxGraph, stage: str) -> tuple[str, str, str]:
    mean = graph.add("ReduceMean", stage, axes=[2, 3])
    centred = graph.add("Sub", stage, mean)
    return centred, mean, graph.add("ReduceMean", graph.add("Mul", centred, centred), axes=[2, 3])
