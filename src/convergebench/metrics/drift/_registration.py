"""Image registration: the shift, zoom and rotation from one picture to another, and whether the fit is
reliable.

Uses the inverse compositional method (Baker and Matthews 2004) from coarse to fine, with robust weights that
reduce the influence of edited regions. Both pictures are band-passed first, so light and colour do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.kernels import bands, registration
from convergebench.metrics._area_average import averaged
from convergebench.metrics._grey import grey_levels
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Plane = NDArray[np.float32]
    Matrix = NDArray[np.float64]
    """A 3 × 3 transform from points of the source to points of the result.

    The origin is the centre of the picture and the unit its longer side, so that it applies to every size.
    """

BAND = (1.0, 5.0)
"""In pixels of a level: the Gaussians between which the structure lies that is registered."""
FINEST_SIDE = 256
_COARSEST_SIDE = 32
_NARROWEST = 8
COARSE_LEVELS = 2
MOST_STEPS = 12
SETTLED = 0.01
"""In pixels of the level: iteration ends when a step moves no corner further than this."""
SINGULAR = 1e-6
"""The smallest eigenvalue of solvable equations, as a share of the largest."""
ZOOMS = (1.0, 0.92, 1.09, 0.85, 1.18)
"""Initial zooms, tried in turn until one fits."""
GOOD_START = 0.6
_BETTER = 0.02
"""By how much a shift must increase the likeness to be a better start than none."""
_ROUNDING = 1e-5
"""By how much a likeness may exceed 1."""
SAMPLED = 7
SHARED = 10
"""Band-passed neighbours are correlated: about this number of pixels counts as one observation."""
_STEP_LIMITS = registration.StepLimits(MOST_STEPS, SETTLED, SINGULAR, SAMPLED)
LEAST_LIKENESS = 0.4
LARGEST_ERROR = 0.5
"""In pixels of the finest level, at a corner: three standard errors of the fit."""


class Level(NamedTuple):
    """The band-passed source at one size, and the derivative of each pixel by the four parameters."""

    plane: Plane
    slopes: Plane


class RegistrationFit(NamedTuple):
    matrix: Matrix
    likeness: float
    """Correlation of the source and the registered result, from −1 to 1."""
    before: float
    """The same without registration."""
    error: float
    """Three standard errors at a corner, in pixels of the finest level; infinite without structure."""

    def distrust(self) -> str | None:
        """The reason why the fit is unreliable, or None if it is reliable."""
        if math.isinf(self.error):
            return "the source has too little structure to register by"
        if self.likeness < LEAST_LIKENESS:
            return "the result cannot be registered to the source"
        if self.error > LARGEST_ERROR:
            return "the source has too little structure to register by exactly"
        if self.likeness < self.before - 0.01:
            return "registering the result to the source makes them less similar"
        return None


def pyramid(source: Pixels) -> tuple[Level, ...]:
    """The levels, coarsest first; sizes halve from the finest, at most FINEST_SIDE. Empty for pictures that
    are too small or too narrow."""
    return levels_of(planes_of(source))


def levels_of(planes: Sequence[Plane]) -> tuple[Level, ...]:
    """The levels of a source, from its band-passed planes."""
    return tuple(Level(plane, _slopes(plane)) for plane in planes)


def register(levels: tuple[Level, ...], result: Pixels, zooms: Sequence[float] = ZOOMS) -> RegistrationFit:
    """The similarity transform that fits best: found on the coarse levels, from several zooms if
    necessary."""
    return register_planes(levels, planes_of(result), zooms)


def register_planes(
    levels: tuple[Level, ...], planes: list[Plane], zooms: Sequence[float] = ZOOMS
) -> RegistrationFit:
    """`register` of a result whose planes are known."""
    coarse = levels[:COARSE_LEVELS]
    found: list[tuple[float, Matrix]] = []
    for zoom in zooms:
        start = _refined(coarse, planes[:COARSE_LEVELS], _first_guess(levels, planes, zoom))
        found.append((_likeness_after(coarse[-1].plane, planes[len(coarse) - 1], start), start))
        if found[-1][0] >= GOOD_START:
            break
    _, start = max(found, key=lambda one: one[0])
    return _finished(levels, planes, start)


def planes_of(pixels: Pixels) -> list[Plane]:
    """The band-passed planes of a picture, coarsest first."""
    import cv2

    sizes = plane_sizes(*pixels.shape[:2])
    if not sizes:
        return []
    height, width = sizes[0]
    grey: Any = averaged(grey_levels(pixels), width, height)
    grey = grey.astype(np.float32)
    planes = []
    for height, width in sizes:
        if grey.shape != (height, width):
            grey = cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA)
        planes.append(_band_passed(grey))
    return planes[::-1]


def _band_passed(grey: Plane) -> Plane:
    import cv2

    if kernels.available():
        return bands.band_pass(grey, BAND)
    fine, coarse = (cv2.GaussianBlur(grey, (0, 0), sigma) for sigma in BAND)
    return np.asarray(fine - coarse, np.float32)


def plane_sizes(height: int, width: int) -> list[tuple[int, int]]:
    """Heights and widths of the planes of a picture, finest first; none if it is too small or too narrow.

    >>> plane_sizes(1024, 768)
    [(256, 192), (128, 96), (64, 48), (32, 24)]
    """
    sizes = []
    side = min(FINEST_SIDE, max(height, width))
    while side >= _COARSEST_SIDE and side * min(height, width) >= _NARROWEST * max(height, width):
        scale = side / max(height, width)
        sizes.append((round(height * scale), round(width * scale)))
        side //= 2
    return sizes


def _slopes(plane: Plane) -> Plane:
    """How the plane changes with each parameter of `_similarity`, one row each."""
    side = max(plane.shape)
    y, x = (_places(length, side) for length in plane.shape)
    if kernels.available():
        return registration.slopes(plane, x, y)
    down, across = np.gradient(plane)
    y = y[:, None]
    rows = (across * x + down * y, down * x - across * y, across, down)
    return np.stack([row.ravel() for row in rows]) * np.float32(side)


@lru_cache(maxsize=64)
def _places(length: int, side: int) -> Plane:
    """Of so many columns or rows, from the centre in units of the longer side."""
    return np.asarray((np.arange(length, dtype=np.float32) - (length - 1) / 2) / side, np.float32)


def _similarity(stretch: float, turn: float, right: float, down: float) -> Matrix:
    return np.array([[1 + stretch, -turn, right], [turn, 1 + stretch, down], [0, 0, 1]])


def _first_guess(levels: tuple[Level, ...], planes: list[Plane], zoom: float) -> Matrix:
    """At this zoom, the better of no shift and the shift found by phase correlation."""
    import cv2

    number = min(2, len(levels) - 1)
    source, side = levels[number].plane, max(levels[number].plane.shape)
    zoomed = _similarity(zoom - 1, 0, 0, 0)
    without = _likeness_after(source, planes[number], zoomed)
    if without + _BETTER > 1 + _ROUNDING:
        return zoomed
    result = planes[number] if zoom == 1 else _warped(planes[number], zoomed)[0]
    # Multiplied here, because phaseCorrelate would modify our planes in place if no padding is needed.
    window = hanning_window(*source.shape)
    (right, down), _ = cv2.phaseCorrelate(source * window, result * window)
    shifted = zoomed @ _similarity(0, 0, right / side, down / side)
    return shifted if _likeness_after(source, planes[number], shifted) > without + _BETTER else zoomed


@lru_cache(maxsize=64)
def hanning_window(height: int, width: int) -> Plane:
    import cv2

    return np.asarray(cv2.createHanningWindow((width, height), cv2.CV_32F), np.float32)


def _refined(levels: tuple[Level, ...], planes: list[Plane], matrix: Matrix) -> Matrix:
    return (_refined_in_c if kernels.available() else _refined_in_numpy)(levels, planes, matrix)[0]


def _finished(levels: tuple[Level, ...], planes: list[Plane], matrix: Matrix) -> RegistrationFit:
    """After the coarse levels: the others, and how well the finest one fits."""
    refined = _refined_in_c if kernels.available() else _refined_in_numpy
    matrix, is_solved = refined(levels[COARSE_LEVELS:-1], planes[COARSE_LEVELS:-1], matrix)
    goes_on = is_solved and len(levels) > COARSE_LEVELS
    level, plane, side = levels[-1], planes[-1], max(planes[-1].shape)
    if kernels.available():
        limits = _STEP_LIMITS if goes_on else _STEP_LIMITS._replace(most_steps=0)
        found = registration.finished(*level, plane, _parameters(matrix), limits)
        error = _error(found.inverse, _variance(found.squares, found.weights)) * side
        likeness, before = _correlation(*found.products), _correlation(*found.unmoved)
        return RegistrationFit(_matrix(found.similarity), likeness, before, error)
    matrix = refined(levels[-1:], planes[-1:], matrix)[0] if goes_on else matrix
    equations = _equations(level, plane, matrix)
    before = _likeness_after(level.plane, plane, np.eye(3))
    return RegistrationFit(matrix, equations.likeness, before, equations.error() * side)


def _refined_in_numpy(levels: tuple[Level, ...], planes: list[Plane], matrix: Matrix) -> tuple[Matrix, bool]:
    """The matrix after some steps at each level, and whether all had a solution."""
    for level, plane in zip(levels, planes, strict=True):
        for _ in range(MOST_STEPS):
            equations = _equations(level, plane, matrix)
            if equations.is_singular():
                return matrix, False
            step = equations.solution()
            matrix = matrix @ np.linalg.inv(_similarity(*step))
            if float(np.abs(step).sum()) * max(plane.shape) < SETTLED:
                break
    return matrix, True


def _refined_in_c(levels: tuple[Level, ...], planes: list[Plane], matrix: Matrix) -> tuple[Matrix, bool]:
    found = _parameters(matrix)
    for level, plane in zip(levels, planes, strict=True):
        found, is_solved = registration.refined(*level, plane, found, _STEP_LIMITS)
        if not is_solved:
            return _matrix(found), False
    return _matrix(found), True


def _parameters(matrix: Matrix) -> registration.Similarity:
    (p, _, right), (q, _, down), _ = matrix.tolist()
    return p, q, right, down


def _matrix(found: registration.Similarity) -> Matrix:
    p, q, right, down = found
    return _similarity(p - 1, q, right, down)


class _Equations(NamedTuple):
    """The weighted normal equations of one step."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    variance: float
    likeness: float
    """Correlation of the source and the plane laid on it."""

    def is_singular(self) -> bool:
        values = np.linalg.eigvalsh(self.left)
        return bool(values[0] <= SINGULAR * values[-1])

    def solution(self) -> NDArray[np.float64]:
        return np.asarray(np.linalg.solve(self.left, self.right), np.float64)

    def error(self) -> float:
        return math.inf if self.is_singular() else _error(np.diag(np.linalg.inv(self.left)), self.variance)


def _error(inverse: Iterable[float], variance: float) -> float:
    """Three standard errors at a corner, half a unit from the centre in each direction."""
    stretch, turn, right, down = inverse
    if math.isinf(stretch):
        return math.inf
    return 3 * math.sqrt(variance * ((stretch + turn) / 2 + right + down))


def _variance(squares: float, weights: float) -> float:
    return SHARED * squares / max(weights, 1.0)


def _equations(level: Level, plane: Plane, matrix: Matrix) -> _Equations:
    result, inside = _warped(plane, matrix)
    source = level.plane * inside
    difference = (result * _amplitude(source, result) - source).ravel()
    spread = 3 * float(np.median(np.abs(difference[::SAMPLED]))) + 1e-3
    weights = inside.ravel() / (1 + np.square(difference / np.float32(spread)))
    weighted = level.slopes * weights
    return _Equations(
        (weighted @ level.slopes.T).astype(np.float64),
        (weighted @ difference).astype(np.float64),
        _variance(float(np.dot(weights, np.square(difference))), float(weights.sum())),
        _correlation(*_products(source, result)),
    )


def _amplitude(source: Plane, result: Plane) -> np.float32:
    """The factor that gives the result the amplitude of the source, so that contrast and sharpness are not
    mistaken for zoom."""
    energy, wanted = np.vdot(result, result), np.vdot(source, source)
    return np.float32(math.sqrt(wanted / energy)) if energy > 0 else np.float32(1)


def _warped(plane: Plane, matrix: Matrix) -> tuple[Plane, Plane]:
    """The result transformed to the source's coordinates, and a mask: 1 where the result covers the
    source."""
    import cv2

    height, width = plane.shape
    affine, size = in_pixels(matrix, width, height), (width, height)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cover = cv2.warpAffine(np.ones_like(plane), affine, size, flags=flags)
    inside = (np.asarray(cover) > 0.999).astype(np.float32)
    return np.asarray(cv2.warpAffine(plane, affine, size, flags=flags), np.float32) * inside, inside


def in_pixels(matrix: Matrix, width: int, height: int) -> Matrix:
    """The upper two rows of the same transform for pixel coordinates of a picture of this size."""
    side, x, y = max(width, height), (width - 1) / 2, (height - 1) / 2
    (a, b, right), (c, d, down), _ = matrix.tolist()
    return np.array(
        [[a, b, side * right + x - a * x - b * y], [c, d, side * down + y - c * x - d * y]], np.float64
    )


def _likeness_after(source: Plane, plane: Plane, matrix: Matrix) -> float:
    """Correlation of the source and the plane laid on it, where that reaches."""
    if kernels.available():
        height, width = plane.shape
        xx, yy, xy = registration.products(source, plane, in_pixels(matrix, width, height))
    else:
        result, inside = _warped(plane, matrix)
        xx, yy, xy = _products(source * inside, result)
    return _correlation(xx, yy, xy)


def _products(source: Plane, result: Plane) -> tuple[float, float, float]:
    return float(np.vdot(source, source)), float(np.vdot(result, result)), float(np.vdot(source, result))


def _correlation(xx: float, yy: float, xy: float) -> float:
    return xy / math.sqrt(xx * yy) if xx * yy > 0 else 0.0
