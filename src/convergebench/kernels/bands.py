"""Bands of frequency of a plane; see bands.c."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_REACH = 32
MOST_LANES = 16
"""Floats of the widest registers that are used. With others the digits are the same."""


def block_bands(
    levels: NDArray[np.uint8], sigmas: tuple[float, float], most_lanes: int = MOST_LANES
) -> NDArray[np.float64]:
    """Of each block of 8 × 8 pixels, the mean of the coarse band and of the squares of the middle and the
    fine one; 3 × blocks. `sigmas`: of the fine and of the coarse Gaussian."""
    levels = np.ascontiguousarray(levels)
    height, width = levels.shape
    means = np.empty((3, (height // 8) * (width // 8)))
    weights = _weights(height, width, sigmas)
    if _functions().block_bands(address(levels), height, width, *weights, most_lanes, address(means)):
        raise MemoryError
    return means


def band_pass(
    plane: NDArray[np.float32], sigmas: tuple[float, float], most_lanes: int = MOST_LANES
) -> NDArray[np.float32]:
    """The plane blurred by the fine Gaussian, less the plane blurred by the coarse one."""
    plane = np.ascontiguousarray(plane, np.float32)
    height, width = plane.shape
    found = np.empty((height, width), np.float32)
    weights = _weights(height, width, sigmas)
    if _functions().band_pass(address(plane), height, width, *weights, most_lanes, address(found)):
        raise MemoryError
    return found


def _weights(height: int, width: int, sigmas: tuple[float, float]) -> tuple[int, int, int, int]:
    """As arguments."""
    assert min(height, width) > 1
    return _gaussians(sigmas)


@cache
def _gaussians(sigmas: tuple[float, float]) -> tuple[int, int, int, int]:
    """The address and reach of each half window, which are never freed."""
    fine, coarse = (_half_window(sigma) for sigma in sigmas)
    assert 5 <= len(fine) <= len(coarse) <= _MOST_REACH + 1
    return address(fine), len(fine) - 1, address(coarse), len(coarse) - 1


@cache
def _half_window(sigma: float) -> NDArray[np.float32]:
    """The weights of OpenCV's Gaussian of a plane of floats, from its middle outwards."""
    import cv2

    reach = round(4 * sigma)
    return np.ascontiguousarray(
        cv2.getGaussianKernel(2 * reach + 1, sigma, cv2.CV_32F)[reach:, 0], np.float32
    )


@cache
def _functions() -> Any:
    import ctypes

    library = kernels.loaded()
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    gaussians = (pointer, size, pointer, size)
    library.block_bands.argtypes = (pointer, size, size, *gaussians, size, pointer)
    library.band_pass.argtypes = (pointer, size, size, *gaussians, size, pointer)
    return library
