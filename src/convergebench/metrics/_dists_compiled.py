"""The network of DISTS on a CPU with AVX2, in less time than ONNX Runtime takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from convergebench.kernels.convolution import (
    CentredPlane,
    centred,
    channel_distances,
    convolved,
    scaled_levels,
    smoothly_pooled,
)
from convergebench.metrics._dists_network import (
    IMAGENET_DEVIATION,
    IMAGENET_MEAN,
    POOLING_EPSILON,
    DistsStages,
    pooling_window,
)
from convergebench.metrics._lpips_compiled import packed_network
from convergebench.metrics._lpips_network import LAYERS, Convolution, Pooling
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CompiledDistsFeatures:
    """The stages of a picture, each height × width × channels; the first is the picture itself."""

    def __init__(self) -> None:
        self._kernels = packed_network("vgg").kernels
        mean, deviation = np.array(IMAGENET_MEAN), np.array(IMAGENET_DEVIATION)
        self._scale = (1 / 255 / deviation).astype(np.float32)
        self._shift = (-mean / deviation).astype(np.float32)
        self._window = pooling_window()

    def of(self, picture: Pixels) -> DistsStages:
        value = scaled_levels(picture, self._scale, self._shift)
        kernels = iter(self._kernels)
        stages = [_centred_picture(picture)]
        for layer in LAYERS["vgg"]:
            if isinstance(layer, Convolution):
                value = convolved(value, next(kernels))
            elif isinstance(layer, Pooling):
                value = smoothly_pooled(value, self._window, POOLING_EPSILON)
            else:
                stages.append(centred(value.copy()))
        planes, means, variances = zip(*stages, strict=True)
        return DistsStages(planes, np.concatenate(means), np.concatenate(variances).astype(np.float32))

    def between(
        self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]
    ) -> NDArray[np.float64]:
        of_pictures = np.square(one[0] - other[0]).mean(axis=(0, 1), dtype=np.float64)
        rest = [channel_distances(a, b) for a, b in zip(one[1:], other[1:], strict=True)]
        return np.concatenate([of_pictures, *rest])


def _centred_picture(picture: Pixels) -> CentredPlane:
    """Its three channels from 0 to 1."""
    plane = picture.astype(np.float32) / np.float32(255)
    means = plane.mean(axis=(0, 1), dtype=np.float64).astype(np.float32)
    plane -= means
    return CentredPlane(plane, means, np.square(plane).mean(axis=(0, 1), dtype=np.float64))
