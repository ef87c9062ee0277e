"""Steps of registering a picture to another; see registration.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


Similarity: TypeAlias = tuple[float, float, float, float]
"""(p, q, right, down) for x' = p·x − q·y + right, y' = q·x + p·y + down, in units of the longer side."""


class StepLimits(NamedTuple):
    """When the steps of `refined` end: after so many, when one moves no corner further than `settled` pixels,
    or without a solution: when the smallest eigenvalue of the equations is at most `least` of the largest.
    The median of every `sampled`-th difference says what counts as a large one."""

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
    """The similarity after some steps, and whether it could be found.

    Each step lays the result on the source and solves weighted normal equations. `slopes` are four planes:
    how the source changes with each parameter.
    """
    return _refined(source, slopes, result, similarity, limits, None)


class FinishedRegistration(NamedTuple):
    similarity: Similarity
    squares: float
    """The sum of the squared differences that are left, weighted."""
    weights: float
    products: tuple[float, float, float]
    """Of the source and the result laid on it."""
    unmoved: tuple[float, float, float]
    """Of both planes as they are."""
    inverse: tuple[float, float, float, float]
    """The diagonal of the inverse of the equations' matrix; infinite without a solution."""


def finished(
    source: NDArray[np.float32],
    slopes: NDArray[np.float32],
    result: NDArray[np.float32],
    similarity: Similarity,
    limits: StepLimits,
) -> FinishedRegistration:
    """The same, with what tells how well it fits."""
    sums = np.empty(26)
    found, _ = _refined(source, slopes, result, similarity, limits, sums)
    squares, weights, xx, yy, xy, *others = sums[14:].tolist()
    return FinishedRegistration(
        found, squares, weights, (xx, yy, xy), (others[0], others[1], others[2]),
        (others[3], others[4], others[5], others[6]),
    )  # fmt: skip


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
    ended: int = kernels.loaded().registration_improved(*addresses, height, width, *limits, *to)
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
