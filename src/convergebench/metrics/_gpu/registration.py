"""Registration of many pictures at once: the method of `metrics.drift._registration`, step by step.

A similarity is four numbers as in the kernel in C: the first column and the shift of
x' = p·x − q·y + right, y' = q·x + p·y + down, in units of the longer side from the centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.base import has_kernels, on_device
from convergebench.metrics._gpu.medians import medians_within
from convergebench.metrics._gpu.phase_correlation import shifts
from convergebench.metrics._gpu.registration_planes import DeviceLevel
from convergebench.metrics.drift._registration import (
    COARSE_LEVELS,
    GOOD_START,
    MOST_STEPS,
    SAMPLED,
    SETTLED,
    SHARED,
    SINGULAR,
    ZOOMS,
    RegistrationFit,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

_STEPS, _SCALE = 32, 1024
"""OpenCV's places between two pixels, and its fixed point."""
_FARTHEST = 2**20
_BETTER = 0.02
"""A shift must raise the likeness by this to count."""
_TRIANGLE = np.array([0, 1, 2, 3, 1, 4, 5, 6, 2, 5, 7, 8, 3, 6, 8, 9])
"""Where the entries of a symmetric matrix are in its upper triangle."""


class _Equations(NamedTuple):
    """The weighted normal equations of one step, for each picture."""

    left: Tensor
    right: Tensor
    variance: Tensor

    @classmethod
    def of(cls, sums: Tensor) -> _Equations:
        """From what the kernel sums."""

        left = sums[:, on_device(_TRIANGLE, sums.device)].view(-1, 4, 4)
        return cls(left, sums[:, 10:14], SHARED * sums[:, 14] / sums[:, 15].clamp(min=1.0))

    def is_singular(self) -> Tensor:
        import torch

        values = torch.linalg.eigvalsh(self.left)
        return torch.logical_not(values[:, 0] > SINGULAR * values[:, -1])


def registered(
    levels: Sequence[DeviceLevel], planes: Sequence[Tensor], zooms: Sequence[float] = ZOOMS
) -> list[RegistrationFit]:
    """Like `register`: the i-th result, as planes of all sizes, registered to the i-th source's levels."""
    import torch

    found, _ = _started(levels, planes, zooms)
    found = _refined(levels[COARSE_LEVELS:], planes[COARSE_LEVELS:], found)
    finest, plane = levels[-1], planes[-1]
    equations = _equations(finest, plane, found)
    still = torch.zeros_like(found)
    still[:, 0] = 1
    likenesses = [_likeness(finest.planes, plane, each) for each in (found, still)]
    # The rest is some numbers a picture, and faster on the processor.
    parts = [found, torch.stack(likenesses, dim=1), equations.left.flatten(1), equations.variance[:, None]]
    columns = torch.cat(parts, dim=1).cpu().numpy()
    errors = _errors(columns[:, 6:22].reshape(-1, 4, 4), columns[:, 22]) * max(plane.shape[1:])
    return [_fit(*row) for row in np.column_stack([columns[:, :6], errors]).tolist()]


def _fit(
    p: float, q: float, right: float, down: float, likeness: float, before: float, error: float
) -> RegistrationFit:
    matrix = np.array([[p, -q, right], [q, p, down], [0, 0, 1]])
    return RegistrationFit(matrix, likeness, before, error)


def _started(
    levels: Sequence[DeviceLevel], planes: Sequence[Tensor], zooms: Sequence[float]
) -> tuple[Tensor, Tensor]:
    """The best start of each picture on the coarse levels, and its likeness there. Further zooms are tried
    for those that do not fit yet."""
    coarse = levels[:COARSE_LEVELS]
    found = _refined(coarse, planes[: len(coarse)], _first_guess(levels, planes, zooms[0]))
    likeness = _likeness(coarse[-1].planes, planes[len(coarse) - 1], found)
    open_places = (likeness < GOOD_START).nonzero()[:, 0]
    if len(zooms) == 1 or not len(open_places):
        return found, likeness
    other, of_other = _started(
        [level.of(open_places) for level in levels], [plane[open_places] for plane in planes], zooms[1:]
    )
    is_better = of_other > likeness[open_places]
    chosen = open_places[is_better]
    found[chosen], likeness[chosen] = other[is_better], of_other[is_better]
    return found, likeness


def _first_guess(levels: Sequence[DeviceLevel], planes: Sequence[Tensor], zoom: float) -> Tensor:
    """At this zoom, the better of no shift and the shift found by phase correlation."""
    import torch

    number = min(2, len(levels) - 1)
    source, plane = levels[number].planes, planes[number]
    zoomed = torch.zeros((len(plane), 4), dtype=torch.float64, device=plane.device)
    zoomed[:, 0] = zoom
    result = plane if zoom == 1 else _laid(plane, zoomed)[0].view_as(plane)
    shifted = zoomed.clone()
    shifted[:, 2:] = zoom * shifts(source, result) / max(plane.shape[1:])
    is_better = _likeness(source, plane, shifted) > _likeness(source, plane, zoomed) + _BETTER
    return torch.where(is_better[:, None], shifted, zoomed)


def _refined(levels: Sequence[DeviceLevel], planes: Sequence[Tensor], found: Tensor) -> Tensor:
    """Improved step by step on each level; a picture whose equations become singular stays as it is."""
    import torch

    searching = torch.ones(len(found), dtype=torch.bool, device=found.device)
    if has_kernels(found):
        from convergebench.metrics._gpu import registration_kernel

        for level, plane in zip(levels, planes, strict=True):
            found, searching = registration_kernel.refined(*level, plane, found, searching)
        return found
    identity = torch.eye(4, dtype=torch.float64, device=found.device)
    for level, plane in zip(levels, planes, strict=True):
        moving = searching.clone()
        for _ in range(MOST_STEPS):
            equations = _equations(level, plane, found)
            is_singular = equations.is_singular()
            searching &= ~(moving & is_singular)
            moving &= ~is_singular
            left = torch.where(is_singular[:, None, None], identity, equations.left)
            step = torch.linalg.solve(left, equations.right)
            found = torch.where(moving[:, None], _after_inverse(found, step), found)
            moving &= step.abs().sum(1) * max(plane.shape[1:]) >= SETTLED
            if not moving.any():
                break
    return found


def _after_inverse(found: Tensor, step: Tensor) -> Tensor:
    """First the inverse of the step, then what was found."""
    import torch

    stretch, turn, step_right, step_down = step.unbind(1)
    length = (1 + stretch) ** 2 + turn**2
    p, q = (1 + stretch) / length, -turn / length
    right, down = -(p * step_right - q * step_down), -(q * step_right + p * step_down)
    a, b, x, y = found.unbind(1)
    return torch.stack(
        [a * p - b * q, b * p + a * q, a * right - b * down + x, b * right + a * down + y], dim=1
    )


def _equations(level: DeviceLevel, plane: Tensor, found: Tensor) -> _Equations:
    import torch

    if has_kernels(found):
        from convergebench.metrics._gpu import registration_kernel

        return _Equations.of(registration_kernel.equation_sums(*level, plane, found))
    result, inside = _laid(plane, found)
    source = level.planes.flatten(1) * inside
    xx, yy = (each.square().sum(1, dtype=torch.float64) for each in (source, result))
    # Contrast and sharpness must not be mistaken for zoom.
    amplitude = torch.where(yy > 0, (xx / yy.clamp(min=1e-300)).sqrt(), 1.0).float()
    difference = result * amplitude[:, None] - source
    sampled = difference[:, ::SAMPLED].abs()
    spread = 3 * medians_within(sampled, torch.ones_like(sampled, dtype=torch.bool)) + 1e-3
    weights = inside / (1 + (difference / spread[:, None]).square())
    weighted = level.slopes * weights[:, None]
    squares = (weights * difference.square()).sum(1, dtype=torch.float64)
    total = weights.sum(1, dtype=torch.float64)
    return _Equations(
        (weighted @ level.slopes.transpose(1, 2)).double(),
        (weighted @ difference[:, :, None])[:, :, 0].double(),
        SHARED * squares / total.clamp(min=1.0),
    )


def _errors(left: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Three standard errors at a corner, half a unit from the centre in each direction.

    By NumPy: torch starts threads of its own for such small matrices.
    """
    is_finite = np.isfinite(left).all(axis=(1, 2), keepdims=True)
    values = np.linalg.eigvalsh(np.where(is_finite, left, 0.0))
    is_singular = np.logical_not(values[:, 0] > SINGULAR * values[:, -1])
    inverse = np.linalg.inv(np.where(is_singular[:, None, None], np.eye(4), left))
    stretch, turn, right, down = (inverse.diagonal(axis1=1, axis2=2) * variance[:, None]).T
    error: NDArray[np.float64] = 3 * np.sqrt((stretch + turn) / 2 + right + down)
    return np.where(is_singular, np.inf, error)


def _likeness(source: Tensor, plane: Tensor, found: Tensor) -> Tensor:
    """Correlation of the source and the plane laid on it, where that reaches."""
    import torch

    if has_kernels(found):
        from convergebench.metrics._gpu import registration_kernel

        xx, yy, xy = registration_kernel.products(source, plane, found).unbind(1)
    else:
        result, inside = _laid(plane, found)
        covered = source.flatten(1) * inside
        xx, yy, xy = (
            (a * b).sum(1, dtype=torch.float64)
            for a, b in ((covered, covered), (result, result), (covered, result))
        )
    both = xx * yy
    return torch.where(both > 0, xy / both.clamp(min=1e-300).sqrt(), 0.0)


def _laid(planes: Tensor, found: Tensor) -> tuple[Tensor, Tensor]:
    """Each plane laid on its source, bilinear between places 1/32 of a pixel apart as in OpenCV: 0 where it
    does not reach, and 1 where it does. Both N × pixels."""
    import torch

    _, height, width = planes.shape
    device, half_step = planes.device, _SCALE // _STEPS // 2
    x_at = torch.arange(width, dtype=torch.float64, device=device)
    y_at = torch.arange(height, dtype=torch.float64, device=device)
    p, q, right, down = (each[:, None] for each in found.unbind(1))
    side, x, y = max(height, width), (width - 1) / 2, (height - 1) / 2
    start_x = -q * y_at + (side * right + x - p * x + q * y)
    start_y = p * y_at + (side * down + y - q * x - p * y)
    is_near = (start_x.abs() <= _FARTHEST) & (start_y.abs() <= _FARTHEST)
    rows = [
        (each * _SCALE).nan_to_num().clamp(-(2**30), 2**30).round().int() + half_step
        for each in (start_x, start_y)
    ]
    across = [(each * x_at * _SCALE).clamp(-(2**29), 2**29).round().int() for each in (p, q)]
    at_x, at_y = (row[:, :, None] + step[:, None, :] for row, step in zip(rows, across, strict=True))
    last_x, last_y = ((size - 1) * _SCALE + _SCALE // _STEPS for size in (width, height))
    inside = (at_x >= 0) & (at_x < last_x) & (at_y >= 0) & (at_y < last_y) & is_near[:, :, None]
    at_x, at_y = at_x >> 5, at_y >> 5
    u, v = ((each & (_STEPS - 1)).flatten(1) * (1 / _STEPS) for each in (at_x, at_y))
    column, row = (at_x >> 5).clamp(0, width - 1), (at_y >> 5).clamp(0, height - 1)
    beyond, below = (column + 1).clamp(max=width - 1), (row + 1).clamp(max=height - 1)
    flat = planes.flatten(1)

    def at(row: Tensor, column: Tensor) -> Tensor:
        return flat.gather(1, (row * width + column).flatten(1).long())

    upper = (1 - u) * at(row, column) + u * at(row, beyond)
    lower = (1 - u) * at(below, column) + u * at(below, beyond)
    covered = inside.flatten(1).float()
    return ((1 - v) * upper + v * lower) * covered, covered
