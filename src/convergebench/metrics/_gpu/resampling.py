"""Pictures resized as in Pillow, antialiased, by two matrix products.

Levels are rounded after each direction, as in Pillow. Sums are in floating point, so about one level in ten
thousand is one higher or lower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

Filter: TypeAlias = Literal["bilinear", "bicubic"]


def resized(pictures: Tensor, height: Tensor, width: Tensor) -> Tensor:
    """N × 3 × the matrices' rows, from N × height × width × 3; levels stay whole."""
    levels = pictures.permute(0, 3, 1, 2).float()
    return _whole(height @ _whole(levels @ width.T))


def averaged(pictures: Tensor, height: int, width: int) -> Tensor:
    """N × height × width × channels, averaged down as OpenCV does it; whole numbers stay whole."""
    if pictures.shape[1:3] == (height, width):
        return pictures
    device = pictures.device
    down, along = (
        area_matrix(size, to, device) for size, to in zip(pictures.shape[1:3], (height, width), strict=True)
    )
    means = (down @ (pictures.permute(0, 3, 1, 2).float() @ along.T)).permute(0, 2, 3, 1)
    if pictures.is_floating_point():
        return means
    is_halved = (2 * height, 2 * width) == tuple(pictures.shape[1:3])
    # OpenCV has a loop of its own for halves, which rounds up between two levels.
    return ((means + 0.5).floor_() if is_halved else means.round()).to(pictures.dtype)


@lru_cache(maxsize=256)
def matrix(size: int, to_size: int, kind: Filter, device: torch.device) -> Tensor:
    """The matrix that resizes a row or column from one size to the other."""
    import torch

    return torch.from_numpy(weights(size, to_size, kind)).to(device)


@lru_cache(maxsize=256)
def area_matrix(size: int, to_size: int, device: torch.device) -> Tensor:
    """The matrix that averages a row or column down as in OpenCV, by what each output covers."""
    import torch

    return torch.from_numpy(area_weights(size, to_size)).to(device)


def area_weights(size: int, to_size: int) -> NDArray[np.float32]:
    """
    >>> area_weights(4, 2).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]
    """
    edges = np.arange(to_size + 1) * (size / to_size)
    inputs = np.arange(size)
    covered = np.minimum(edges[1:, None], inputs + 1) - np.maximum(edges[:-1, None], inputs)
    share = np.clip(covered, 0, 1)
    return np.asarray(share / share.sum(axis=1, keepdims=True), np.float32)


def weights(size: int, to_size: int, kind: Filter) -> NDArray[np.float32]:
    """The share of each input in each output; a filter is as wide as the distance between outputs.

    >>> (7 * weights(4, 2, "bilinear")).round().tolist()
    [[3.0, 3.0, 1.0, 0.0], [0.0, 1.0, 3.0, 3.0]]
    """
    function, reach = _FILTERS[kind]
    apart = size / to_size
    wide = max(apart, 1.0)
    centres = (np.arange(to_size)[:, None] + 0.5) * apart
    inputs = np.arange(size)[None, :]
    first, last = np.trunc(centres - reach * wide + 0.5), np.trunc(centres + reach * wide + 0.5)
    share = function((inputs + 0.5 - centres) / wide) * ((inputs >= first) & (inputs < last))
    return np.asarray(share / share.sum(axis=1, keepdims=True), np.float32)


def _triangle(x: NDArray[np.float64]) -> NDArray[np.float64]:
    height: NDArray[np.float64] = np.maximum(1 - np.abs(x), 0)
    return height


def _cubic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keys' cubic with a = −1/2."""
    x = np.abs(x)
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


_FILTERS: Mapping[Filter, tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], float]] = {
    "bilinear": (_triangle, 1.0),
    "bicubic": (_cubic, 2.0),
}


def _whole(levels: Tensor) -> Tensor:
    return (levels + 0.5).floor_().clamp_(0, 255)
