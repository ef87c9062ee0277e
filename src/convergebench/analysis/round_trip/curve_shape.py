"""The shape of a degradation curve: a line, an exponential, or an exponential that levels off."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.share_matrix import ShareMatrix, cluster_index
from convergebench.analysis.statistics.cluster_bootstrap import RESAMPLES, cluster_draws, cluster_sums
from convergebench.analysis.statistics.clustered_mean import expanded_tail
from convergebench.analysis.statistics.confidence import CONFIDENCE

Shape: TypeAlias = Literal["linear", "exponential", "plateau"]
Curves: TypeAlias = NDArray[np.float64]
"""One row per curve, one column per round, starting at 0."""
_Profile: TypeAlias = Callable[
    [Curves, NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]
]

FEWEST_ROUNDS = 5
LEAD = 2.0
"""The amount by which the best shape's AICc must be lower than any other's."""
LEAST_WINS = 0.95
"""The share of resamples in which the best shape must be the best again."""
LEAST_LOSS = 0.005
_RATES = np.geomspace(1e-4, 10, 400)
_EXACT = 1e-12
"""The mean squared error of a perfect fit, so that its logarithm is finite."""
_PARAMETERS: dict[Shape, int] = {"linear": 1, "exponential": 1, "plateau": 2}


@dataclass(frozen=True)
class ShapeFit:
    """A shape fitted to a curve that begins at 1: rate a round, and the level that it tends to."""

    shape: Shape
    rate: float
    asymptote: float
    aicc: float


@dataclass(frozen=True)
class CurveShape:
    """The shape that fits the data, or the reason why none is chosen; intervals are clustered by source
    picture."""

    chosen: ShapeFit | None
    rate: tuple[float, float] | None
    asymptote: tuple[float, float] | None
    fits: tuple[ShapeFit, ...]
    """All candidates, best first."""
    undecided: str | None


def curve_shape(chains: ShareMatrix, resamples: int = RESAMPLES) -> CurveShape:
    """The shape of the model's mean curve over the trajectories that reached the last round."""
    whole = ~np.isnan(chains.bridged[:, -1])
    curves = chains.bridged[whole]
    rounds = curves.shape[1] - 1
    if not len(curves):
        return CurveShape(None, None, None, (), "no trajectory reached the last round")
    if rounds < FEWEST_ROUNDS:
        return CurveShape(None, None, None, (), f"a shape needs at least {FEWEST_ROUNDS} rounds")
    mean = curves.mean(axis=0)
    if mean.min() > 1 - LEAST_LOSS:
        return CurveShape(None, None, None, (), "too little was lost to see a shape")
    fits = fit_shapes(mean)
    if fits[1].aicc - fits[0].aicc < LEAD:
        names = " and ".join(sorted(fit.shape for fit in fits if fit.aicc - fits[0].aicc < LEAD))
        return CurveShape(None, None, None, fits, f"{names} fit about equally well")
    clusters = cluster_index([chains.pictures[row] for row in np.flatnonzero(whole)])
    if clusters.max() == 0:
        return CurveShape(fits[0], None, None, fits, None)
    refits = _refits(curves, clusters, resamples)
    wins = float(np.mean([best == fits[0].shape for best in refits.best]))
    if wins < LEAST_WINS:
        reason = f"{fits[0].shape} fits best in only {wins:.0%} of the resamples"
        return CurveShape(None, None, None, fits, reason)
    rates, levels = refits.found[fits[0].shape]
    tail = expanded_tail(CONFIDENCE, int(clusters.max()) + 1)
    asymptote = _interval(levels, tail) if fits[0].shape == "plateau" else None
    return CurveShape(fits[0], _interval(rates, tail), asymptote, fits, None)


def fit_shapes(curve: NDArray[np.float64]) -> tuple[ShapeFit, ...]:
    """Every shape fitted by least squares, the lowest corrected AIC first.

    >>> best = fit_shapes(0.4 + 0.6 * np.exp(-0.3 * np.arange(11)))[0]
    >>> best.shape, round(best.rate, 3), round(best.asymptote, 3)
    ('plateau', 0.3, 0.4)
    """
    fits = []
    for shape in _PARAMETERS:
        rates, levels, errors = _fitted(curve[None, :], shape)
        aicc = float(_aicc(errors, len(curve) - 1, _PARAMETERS[shape])[0])
        fits.append(ShapeFit(shape, float(rates[0]), float(levels[0]), aicc))
    return tuple(sorted(fits, key=lambda fit: fit.aicc))


def _aicc(squares: NDArray[np.float64], points: int, parameters: int) -> NDArray[np.float64]:
    """Akaike's criterion for least squares, corrected for few points; the variance is a parameter too."""
    counted = parameters + 1
    correction = 2 * counted * (counted + 1) / (points - counted - 1)
    criteria: NDArray[np.float64] = points * np.log(np.maximum(squares / points, _EXACT))
    return criteria + 2 * counted + correction


def _fitted(
    curves: Curves, shape: Shape
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Rate, asymptote and squared error of each curve; round 0 is 1 by definition and fits anything."""
    rounds = np.arange(1, curves.shape[1], dtype=np.float64)
    values = curves[:, 1:]
    if shape == "linear":
        slopes = (1 - values) @ rounds / (rounds @ rounds)
        errors = ((1 - slopes[:, None] * rounds - values) ** 2).sum(axis=1)
        return slopes, np.zeros(len(values)), errors
    profile = _plateau_at if shape == "plateau" else _exponential_at
    rates = _lowest(values, rounds, profile)
    levels, errors = profile(values, rounds, rates[:, None])
    return rates, levels[:, 0], errors[:, 0]


def _exponential_at(
    values: Curves, rounds: NDArray[np.float64], rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Asymptote and squared error of each curve (rows) at each rate (columns)."""
    decay = np.exp(-rates[..., None] * rounds)
    errors = ((decay - values[:, None, :]) ** 2).sum(axis=-1)
    return np.zeros(errors.shape), errors


def _plateau_at(
    values: Curves, rounds: NDArray[np.float64], rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same with a free level: at a given rate, it is a least-squares slope."""
    decay = np.exp(-rates[..., None] * rounds)
    risen = 1 - decay
    levels = ((values[:, None, :] - decay) * risen).sum(axis=-1) / (risen**2).sum(axis=-1)
    levels = np.clip(levels, 0.0, 1.0)
    errors = ((decay + levels[..., None] * risen - values[:, None, :]) ** 2).sum(axis=-1)
    return levels, errors


def _lowest(values: Curves, rounds: NDArray[np.float64], profile: _Profile) -> NDArray[np.float64]:
    """The rate with the smallest error for each curve: the best of a grid, then of finer grids around it."""
    _, errors = profile(values, rounds, _RATES[None, :])
    best = np.log(_RATES)[errors.argmin(axis=1)]
    step = math.log(_RATES[1] / _RATES[0])
    spread = np.linspace(-1, 1, 21)
    for _ in range(3):
        finer = best[:, None] + step * spread
        _, errors = profile(values, rounds, np.exp(finer))
        best = np.take_along_axis(finer, errors.argmin(axis=1)[:, None], axis=1)[:, 0]
        step /= 10
    rates: NDArray[np.float64] = np.exp(best)
    return rates


@dataclass(frozen=True)
class _Refits:
    """All shapes fitted again in every resample of whole clusters."""

    best: list[Shape]
    found: dict[Shape, tuple[NDArray[np.float64], NDArray[np.float64]]]
    """Rates and asymptotes."""


def _refits(curves: Curves, clusters: NDArray[np.intp], resamples: int) -> _Refits:
    sums, sizes = cluster_sums(curves, clusters), cluster_sums(np.ones(len(curves)), clusters)
    rounds = curves.shape[1] - 1
    shapes = list(_PARAMETERS)
    pieces: dict[Shape, list[tuple[NDArray[np.float64], ...]]] = {shape: [] for shape in shapes}
    for draws in cluster_draws(len(sums), resamples, width=len(_RATES) * rounds):
        means = (draws @ sums) / (draws @ sizes)[:, None]
        for shape in shapes:
            pieces[shape].append(_fitted(means, shape))
    joined = {shape: tuple(map(np.concatenate, zip(*pieces[shape], strict=True))) for shape in shapes}
    criteria = np.stack([_aicc(joined[shape][2], rounds, _PARAMETERS[shape]) for shape in shapes])
    best = [shapes[place] for place in criteria.argmin(axis=0)]
    return _Refits(best, {shape: (joined[shape][0], joined[shape][1]) for shape in shapes})


def _interval(values: NDArray[np.float64], tail: float) -> tuple[float, float]:
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
