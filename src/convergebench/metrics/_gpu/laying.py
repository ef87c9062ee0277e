"""Pictures laid on others by their registration, many at once, as OpenCV resamples them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._gpu.base import has_kernels, sent
from convergebench.metrics._gpu.resampling import averaged
from convergebench.metrics._gpu.window_means import window_means
from convergebench.metrics.drift._registration import in_pixels
from convergebench.metrics.regions._alignment import MARGIN

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics.drift._registration import Matrix

_STEPS, _SCALE, _ONE = 32, 1024, 32768
_SHARPNESS = -0.75
AT_ONCE = 8
"""Pictures that are laid together: each takes some twenty planes of memory meanwhile."""


def laid_pictures(pictures: Tensor, matrices: Sequence[Matrix]) -> tuple[Tensor, Tensor]:
    """Each picture laid on its reference (cubic, its border repeated), and a mask of what it covers."""
    import torch

    if has_kernels(pictures):
        from convergebench.metrics._gpu import laying_kernel

        _, height, width, _ = pictures.shape
        affine = _affine(matrices, height, width, pictures.device)
        return laying_kernel.laid(pictures.contiguous(), affine, _cubic_table(pictures.device))
    parts = [
        _laid(pictures[start : start + AT_ONCE], matrices[start : start + AT_ONCE])
        for start in range(0, len(pictures), AT_ONCE)
    ]
    laid, covered = (torch.cat(part) for part in zip(*parts, strict=True))
    return laid, covered


def _laid(pictures: Tensor, matrices: Sequence[Matrix]) -> tuple[Tensor, Tensor]:
    import torch

    count, height, width, _ = pictures.shape
    x, y = _places(matrices, height, width, pictures.device)
    last_x, last_y = ((size - 1) * _SCALE + _SCALE // _STEPS for size in (width, height))
    covered = (x >= 0) & (x < last_x) & (y >= 0) & (y < last_y)
    x, y = x >> 5, y >> 5
    weights = _cubic_table(pictures.device)[(y & 31) * _STEPS + (x & 31)]
    left, top = (x >> 5) - 1, (y >> 5) - 1
    flat = pictures.reshape(count, -1, 3).int()
    total = torch.zeros_like(flat)
    for down in range(4):
        row = (top + down).clamp_(0, height - 1) * width
        for along in range(4):
            places = (row + (left + along).clamp_(0, width - 1)).flatten(1).long()
            taken = flat.gather(1, places[..., None].expand(-1, -1, 3))
            total += taken * weights[..., 4 * down + along].flatten(1)[..., None]
    laid = ((total + _ONE // 2) >> 15).clamp_(0, 255).to(torch.uint8)
    return laid.view_as(pictures), covered


def without_margin(covered: Tensor) -> Tensor:
    """Without the margin that maps would blur."""
    margin = max(1, round(MARGIN * max(covered.shape[1:])))
    # Where anything around is not covered, the mean of what is not is above 0.
    return window_means((~covered).float(), 2 * margin + 1) == 0


def reduced_masks(masks: Tensor, height: int, width: int) -> Tensor:
    """Like `resized_mask`, for masks that become smaller."""
    if masks.shape[1:] == (height, width):
        return masks
    return averaged(masks[..., None].float(), height, width)[..., 0] >= 0.5


def _places(
    matrices: Sequence[Matrix], height: int, width: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Where each pixel comes from, in 1/1024 of a pixel, rounded to steps of 1/32."""
    import torch

    affine = _affine(matrices, height, width, device)
    columns, rows = (torch.arange(size, dtype=torch.float64, device=device) for size in (width, height))
    half_step = _SCALE // _STEPS // 2

    def along(axis: int) -> Tensor:
        a, b, shift = (affine[:, axis, place, None] for place in range(3))
        start = ((b * rows + shift) * _SCALE).round().int() + half_step
        return start[:, :, None] + (a * columns * _SCALE).round().int()[:, None, :]

    return along(0), along(1)


def _affine(matrices: Sequence[Matrix], height: int, width: int, device: torch.device) -> Tensor:
    """N × 2 × 3, in pixels."""
    return sent(np.stack([in_pixels(matrix, width, height) for matrix in matrices]), device)


@lru_cache(maxsize=8)
def _cubic_table(device: torch.device) -> Tensor:
    import torch

    return torch.from_numpy(cubic_weights()).to(device)


def cubic_weights() -> NDArray[np.int32]:
    """OpenCV's 16 weights for each of 32 × 32 places between pixels, in 1/32768, which they add up to."""
    t, a = np.arange(_STEPS, dtype=np.float32) / np.float32(_STEPS), np.float32(_SHARPNESS)
    before = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1
    line = np.stack([before, near, far, 1 - before - near - far], axis=1)
    products = line[:, None, :, None] * line[None, :, None, :]
    weights: NDArray[np.int32] = np.rint(products * _ONE).astype(np.int32).reshape(-1, 16)
    excess = weights.sum(axis=1) - _ONE
    middle = weights[:, [5, 6, 9, 10]]  # rounding is made up for at the largest or smallest of these
    place = np.where(excess < 0, middle.argmax(axis=1), middle.argmin(axis=1))
    weights[np.arange(len(weights)), np.array([5, 6, 9, 10])[place]] -= excess
    return weights
