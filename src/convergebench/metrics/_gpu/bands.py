"""Weights of which each output has a few in a row, without the zeros around them.

A picture is resampled by a matrix that is nearly empty; kernels read only what is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor


class Band(NamedTuple):
    """Every output has equally many weights, all of them for inputs that are there."""

    firsts: Tensor
    """The first input of each output, 32-bit whole numbers."""
    weights: Tensor
    """Taps × outputs."""

    @property
    def taps(self) -> int:
        return len(self.weights)


def band_of(matrix: NDArray[np.float32], device: torch.device) -> Band:
    """The band of a matrix of outputs × inputs."""
    import torch

    firsts, weights = band_arrays(matrix)
    return Band(torch.from_numpy(firsts).to(device), torch.from_numpy(weights).to(device))


def band_arrays(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """
    >>> firsts, weights = band_arrays(np.array([[2, 0, 0], [0, 3, 4]], np.float32))
    >>> firsts.tolist(), weights.tolist()
    ([0, 1], [[2.0, 3.0], [0.0, 4.0]])
    """
    _, inputs = matrix.shape
    is_there = matrix != 0
    starts, ends = is_there.argmax(axis=1), inputs - is_there[:, ::-1].argmax(axis=1)
    taps = int((ends - starts).max())
    firsts = np.minimum(starts, inputs - taps)
    places = firsts + np.arange(taps)[:, None]
    weights = np.ascontiguousarray(matrix[np.arange(len(matrix)), places])
    return firsts.astype(np.int32), weights
