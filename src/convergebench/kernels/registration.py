"""Steps of registering a picture to another; see registration.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address

if TYPE_CHECKING:
    from numpy.typing import NDArray


_UPPER = np.triu_indices(4)


class RegistrationSums(NamedTuple):
    """The weighted normal equations of one registration step, before they are solved."""

    left: NDArray[np.float64]
    """Products of the slopes with each other, 4 × 4."""
    right: NDArray[np.float64]
    """Products of the slopes with the differences."""
    squares: float
    weights: float
    products: tuple[float, float, float]
    """As those of `products`, of the same planes."""


def slopes(plane: NDArray[np.float32], x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
    """How the plane changes with each of the four parameters, one row each.

    `x` and `y` are the places of columns and rows from the centre, in units of the longer side.
    """
    plane = np.ascontiguousarray(plane, np.float32)
    height, width = plane.shape
    assert min(height, width) >= 2 and len(x) == width and len(y) == height
    found = np.empty((4, height * width), np.float32)
    places = (address(x), address(y))
    side = max(height, width)
    kernels.loaded().plane_slopes(address(plane), height, width, *places, side, address(found))
    return found


def sums(
    source: NDArray[np.float32],
    slopes: NDArray[np.float32],
    result: NDArray[np.float32],
    affine: NDArray[np.float64],
    sampled: int,
) -> RegistrationSums:
    """Lay the result on the source by the affine matrix, in pixels, and sum the equations of the next step.

    `slopes` are four planes: how the source changes with each parameter. The median of every `sampled`-th
    difference says what counts as a large one.
    """
    height, width = source.shape
    assert result.shape == (height, width) and slopes.shape == (4, height * width)
    planes = [np.ascontiguousarray(each, np.float32) for each in (source, slopes, result)]
    affine, found = np.ascontiguousarray(affine, np.float64), np.empty(19)
    addresses = [address(plane) for plane in planes]
    if kernels.loaded().registration_sums(
        *addresses, height, width, address(affine), sampled, address(found)
    ):
        raise MemoryError
    return _sums_of(found)


def _sums_of(found: NDArray[np.float64]) -> RegistrationSums:
    left = np.empty((4, 4))
    left[_UPPER] = left[_UPPER[::-1]] = found[:10]
    squares, weights, xx, yy, xy = found[14:].tolist()
    return RegistrationSums(left, found[10:14], squares, weights, (xx, yy, xy))


Similarity: TypeAlias = tuple[float, float, float, float]
"""(p, q, right, down) for x' = p·x − q·y + right, y' = q·x + p·y + down, in units of the longer side."""


class StepLimits(NamedTuple):
    """When the steps of `refined` end: after so many, when one moves no corner further than `settled` pixels,
    or without a solution: when the smallest eigenvalue of the equations is at most `least` of the largest.
    `sampled`: as for `sums`."""

    most_steps: int
    settled: float
    least: float
    sampled: int


def refined(
    source: NDArray[np.float32],
    slopes: NDArray[np.float32],
    result: NDArray[np.float32],
    similarity: Similarity,
    limits: StepLimits,
) -> tuple[Similarity, bool]:
    """The similarity after some steps of `sums`, and whether it could be found."""
    return _refined(source, slopes, result, similarity, limits, None)


def finished(
    source: NDArray[np.float32],
    slopes: NDArray[np.float32],
    result: NDArray[np.float32],
    similarity: Similarity,
    limits: StepLimits,
) -> tuple[Similarity, RegistrationSums, tuple[float, float, float]]:
    """The same, with the sums at the end, and the `products` of both planes as they are."""
    sums = np.empty(22)
    found, _ = _refined(source, slopes, result, similarity, limits, sums)
    xx, yy, xy = sums[19:].tolist()
    return found, _sums_of(sums[:19]), (xx, yy, xy)


def _refined(
    source: NDArray[np.float32],
    slopes: NDArray[np.float32],
    result: NDArray[np.float32],
    similarity: Similarity,
    limits: StepLimits,
    sums: NDArray[np.float64] | None,
) -> tuple[Similarity, bool]:
    height, width = source.shape
    assert result.shape == (height, width) and slopes.shape == (4, height * width)
    planes = [np.ascontiguousarray(each, np.float32) for each in (source, slopes, result)]
    addresses = [address(plane) for plane in planes]
    found = np.array(similarity, np.float64)
    to = (address(found), None if sums is None else address(sums))
    ended: int = kernels.loaded().registration_refined(*addresses, height, width, *limits, *to)
    if ended < 0:
        raise MemoryError
    p, q, right, down = found.tolist()
    return (p, q, right, down), not ended


def products(
    source: NDArray[np.float32], result: NDArray[np.float32], affine: NDArray[np.float64]
) -> tuple[float, float, float]:
    """The sums of x·x, y·y and x·y over the source and the result laid on it, where that reaches."""
    height, width = source.shape
    assert result.shape == (height, width)
    planes = [np.ascontiguousarray(each, np.float32) for each in (source, result)]
    affine, found = np.ascontiguousarray(affine, np.float64), np.empty(3)
    addresses = [address(plane) for plane in planes]
    if kernels.loaded().registration_products(*addresses, height, width, address(affine), address(found)):
        raise MemoryError
    xx, yy, xy = found.tolist()
    return xx, yy, xy
