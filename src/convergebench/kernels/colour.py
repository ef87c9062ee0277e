"""Colour differences and clipped pixels; see colour.c."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 256
"""Pixels of a block in colour.c."""


MOST_LANES = 16
"""Floats of the widest registers that are used. With others the digits are the same."""


def _colour_constants(light: NDArray[np.float32], to_relative: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.concatenate([light, to_relative.ravel()]).astype(np.float32)


def lab_blocks(
    pixels: Pixels,
    light: NDArray[np.float32],
    to_relative: NDArray[np.float64],
    most_lanes: int = MOST_LANES,
) -> NDArray[np.float32]:
    """CIELAB of a picture for `delta_e_total`, in blocks of pixels."""
    pixels = np.ascontiguousarray(pixels)
    count = pixels.shape[0] * pixels.shape[1]
    blocks = np.empty((-(-count // _BLOCK), 3, _BLOCK), np.float32)
    constants = _colour_constants(light, to_relative)
    addresses = (address(constants), most_lanes, address(blocks))
    kernels.loaded().lab_blocks(address(pixels), count, *addresses)
    return blocks


def delta_e_total(
    source: Pixels,
    result: Pixels,
    light: NDArray[np.float32],
    to_relative: NDArray[np.float64],
    blocks: NDArray[np.float32] | None = None,
    most_lanes: int = MOST_LANES,
) -> float:
    """The sum over all pixels of CIEDE2000.

    `light` is the linear light of each of the 256 levels, `to_relative` the matrix from linear RGB to XYZ
    relative to white, `blocks` the source's `lab_blocks` if they are known.
    """
    source, result = np.ascontiguousarray(source), np.ascontiguousarray(result)
    assert source.shape == result.shape
    blocks = lab_blocks(source, light, to_relative, most_lanes) if blocks is None else blocks
    constants = _colour_constants(light, to_relative)
    pixels = source.shape[0] * source.shape[1]
    assert blocks.flags.c_contiguous and blocks.size >= 3 * pixels
    total: float = kernels.loaded().delta_e_total(
        address(source), address(blocks), address(result), pixels, address(constants), most_lanes
    )
    return total


def clipped(pixels: Pixels) -> NDArray[np.uint8]:
    """255 where a channel is 0 or 255, 0 elsewhere; height × width."""
    pixels = np.ascontiguousarray(pixels)
    marked = np.empty(pixels.shape[:2], np.uint8)
    kernels.loaded().mark_clipped(address(pixels), marked.size, address(marked))
    return marked
