"""Pictures resized as in Pillow, antialiased, and averaged down as in OpenCV.

Levels are rounded after each direction, as in Pillow. Sums are in floating point, so about one level in ten
thousand is one higher or lower. Without kernels, these are products with matrices that are
nearly empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from convergebench.metrics._gpu.bands import Band, band_of
from convergebench.metrics._gpu.base import has_kernels
from convergebench.metrics._gpu.detail import luma

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

Filter: TypeAlias = Literal["bilinear", "bicubic"]


class Scaling(NamedTuple):
    """How one axis of pictures gets another size."""

    size: int
    to_size: int
    kind: Filter | Literal["area"]
    start: int = 0
    """The first output that is wanted."""
    length: int | None = None
    """How many are; all from the first one on without it."""

    def weights(self) -> NDArray[np.float32]:
        """Outputs × inputs."""
        every = (
            area_weights(self.size, self.to_size)
            if self.kind == "area"
            else weights(self.size, self.to_size, self.kind)
        )
        end = None if self.length is None else self.start + self.length
        return every[self.start : end]


def resized(pictures: Tensor, rows: Scaling, columns: Scaling) -> Tensor:
    """N × 3 × rows × columns, from N × height × width × 3; levels stay whole."""
    device = pictures.device
    if has_kernels(pictures):
        from convergebench.metrics._gpu import resampling_kernel

        return resampling_kernel.resized(pictures, band(rows, device), band(columns, device))
    levels = pictures.permute(0, 3, 1, 2).float()
    return _whole(matrix(rows, device) @ _whole(levels @ matrix(columns, device).T))


def averaged(pictures: Tensor, height: int, width: int) -> Tensor:
    """N × height × width × channels, averaged down as OpenCV does it; whole numbers stay whole."""
    if pictures.shape[1:3] == (height, width):
        return pictures
    if has_kernels(pictures):
        return _averaged_by_kernel(pictures, height, width, of_luma=False)
    down, along = area_matrices(pictures, height, width)
    means = (down @ (pictures.permute(0, 3, 1, 2).float() @ along.T)).permute(0, 2, 3, 1)
    if pictures.is_floating_point():
        return means
    is_halved = _is_halved(pictures, height, width)
    return ((means + 0.5).floor_() if is_halved else means.round()).to(pictures.dtype)


def averaged_luma(pictures: Tensor, height: int, width: int) -> Tensor:
    """The luma of pictures, N × height × width whole numbers, averaged down like them."""
    if has_kernels(pictures) and pictures.shape[1:3] != (height, width):
        return _averaged_by_kernel(pictures, height, width, of_luma=True)[..., 0]
    return averaged(luma(pictures)[..., None], height, width)[..., 0]


def _averaged_by_kernel(pictures: Tensor, height: int, width: int, *, of_luma: bool) -> Tensor:
    from convergebench.metrics._gpu import resampling_kernel as kernel

    rounding = kernel.HALF_UP if _is_halved(pictures, height, width) else kernel.NEAREST_EVEN
    if pictures.is_floating_point():
        rounding = kernel.FRACTIONS
    return kernel.averaged(pictures, *area_bands(pictures, height, width), rounding, of_luma)


def _is_halved(pictures: Tensor, height: int, width: int) -> bool:
    """OpenCV has a loop of its own for halves, which rounds up between two levels."""
    return (2 * height, 2 * width) == tuple(pictures.shape[1:3])


def _area_scalings(pictures: Tensor, rows: int, columns: int) -> tuple[Scaling, Scaling]:
    _, height, width, _ = pictures.shape
    return Scaling(height, rows, "area"), Scaling(width, columns, "area")


def area_matrices(pictures: Tensor, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    """What averages the pictures down to this size, down and along."""
    down, along = _area_scalings(pictures, rows, columns)
    return matrix(down, pictures.device), matrix(along, pictures.device)


def area_bands(pictures: Tensor, rows: int, columns: int) -> tuple[Band, Band]:
    """The same for kernels."""
    down, along = _area_scalings(pictures, rows, columns)
    return band(down, pictures.device), band(along, pictures.device)


@lru_cache(maxsize=256)
def matrix(scaling: Scaling, device: torch.device) -> Tensor:
    import torch

    return torch.from_numpy(scaling.weights()).to(device)


@lru_cache(maxsize=256)
def band(scaling: Scaling, device: torch.device) -> Band:
    """The same weights for kernels."""
    return band_of(scaling.weights(), device)


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
