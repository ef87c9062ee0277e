"""From which round on, and below which values of the headline's measures, people see a difference."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile
from convergebench.analysis.statistics.two_way_clusters import (
    cluster_numbers,
    two_way_mean,
    two_way_variances,
)
from convergebench.analysis.votes.staircase import first_visible_round
from convergebench.analysis.votes.vote import VisibilityVote

FEWEST_PICTURES = 8
FEWEST_ANSWERS = 100
LAPSE = 0.05
"""The assumed share of answers that a slip decides."""
_STEP = 1e-5


@dataclass(frozen=True)
class VisibleRound:
    """The first round at which people tell a model's return from the source."""

    model: str
    round: Interval
    """The mean over staircases; one more than the rounds of a chain stands for never."""
    staircases: int
    never: int
    """Staircases in which the last round is likelier not to be seen than seen."""
    rounds: int


def visible_rounds(votes: Iterable[VisibilityVote]) -> list[VisibleRound]:
    """By model, the latest round first. A staircase is one rater's answers on one chain."""
    staircases: defaultdict[tuple[str, str, int, str], list[VisibilityVote]] = defaultdict(list)
    for vote in votes:
        staircases[vote.model, vote.case, vote.seed, vote.rater].append(vote)
    by_model: defaultdict[str, list[tuple[float, VisibilityVote]]] = defaultdict(list)
    for given in staircases.values():
        found = first_visible_round([(one.round, one.seen) for one in given], given[0].rounds)
        if found is not None:
            by_model[given[0].model].append((found.round, given[0]))
    return sorted(
        (_of_model(model, found) for model, found in by_model.items()), key=lambda one: -one.round.mean
    )


def _of_model(model: str, found: Sequence[tuple[float, VisibilityVote]]) -> VisibleRound:
    rounds = max(vote.rounds for _, vote in found)
    mean = two_way_mean(
        np.array([value for value, _ in found]),
        [vote.picture for _, vote in found],
        [vote.rater for _, vote in found],
        possible=(1.0, rounds + 1.0),
    )
    never = sum(value > vote.rounds + 0.5 for value, vote in found)
    return VisibleRound(model, mean, len(found), never, rounds)


@dataclass(frozen=True)
class VisibilityTrial:
    """One answer, with what was measured of the return; `kept` is None for an edit of the whole picture."""

    seen: bool
    undid: float
    kept: float | None
    picture: str
    rater: str


@dataclass(frozen=True)
class MeasuredThresholds:
    """The values at which half of the answers see a difference; above them, fewer do."""

    undone: Interval
    kept: Interval


def measured_thresholds(trials: Sequence[VisibilityTrial]) -> MeasuredThresholds | str:
    """By maximum likelihood in P(no difference) = σ((undid − u)/s) · σ((kept − k)/t), with slips; or why not.

    A difference is seen if the edit is not undone or the rest has changed, so both thresholds are found
    together. Intervals are by picture and by rater.
    """
    pictures = len({one.picture for one in trials})
    if len(trials) < FEWEST_ANSWERS or pictures < FEWEST_PICTURES:
        return (
            f"{len(trials)} answers on {pictures} pictures are too few to measure thresholds: "
            f"it takes {FEWEST_ANSWERS} on {FEWEST_PICTURES}"
        )
    data = _Trials.of(trials)
    fitted = _fit(data)
    if fitted is None:
        return "the answers do not settle on a threshold: they hardly depend on what was measured"
    values, variances = fitted
    clusters = min(pictures, len({one.rater for one in trials}) if data.raters.max() else pictures)
    reach = student_quantile((1 + CONFIDENCE) / 2, clusters - 1)
    errors = reach * np.sqrt(variances)
    undone, kept = (
        Interval(
            float(values[n]),
            float(values[n] - errors[n]),
            float(values[n] + errors[n]),
            len(trials),
            clusters,
        )
        for n in (0, 1)
    )
    return MeasuredThresholds(undone, kept)


@dataclass(frozen=True)
class _Trials:
    seen: NDArray[np.float64]
    undid: NDArray[np.float64]
    kept: NDArray[np.float64]
    has_rest: NDArray[np.bool_]
    pictures: NDArray[np.intp]
    raters: NDArray[np.intp]

    @classmethod
    def of(cls, trials: Sequence[VisibilityTrial]) -> _Trials:
        return cls(
            np.array([float(one.seen) for one in trials]),
            np.array([one.undid for one in trials]),
            np.array([1.0 if one.kept is None else one.kept for one in trials]),
            np.array([one.kept is not None for one in trials]),
            cluster_numbers([one.picture for one in trials]),
            cluster_numbers([one.rater for one in trials]),
        )


def _log_likelihoods(parameters: NDArray[np.float64], data: _Trials) -> NDArray[np.float64]:
    """Of each answer; parameters are both thresholds and the logarithms of both spreads."""
    undone, kept, log_spread_undone, log_spread_kept = parameters
    same = _logistic((data.undid - undone) / math.exp(log_spread_undone))
    rest = _logistic((data.kept - kept) / math.exp(log_spread_kept))
    sees = LAPSE + (1 - 2 * LAPSE) * (1 - same * np.where(data.has_rest, rest, 1.0))
    found: NDArray[np.float64] = np.log(np.where(data.seen > 0, sees, 1 - sees))
    return found


def _fit(data: _Trials) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    from scipy.optimize import minimize

    begin = np.array([0.5, 0.8, math.log(0.1), math.log(0.1)])
    bounds = [(-0.5, 1.5), (-0.5, 1.5), (math.log(0.005), math.log(1.0)), (math.log(0.005), math.log(1.0))]
    found = minimize(
        lambda at: -_log_likelihoods(at, data).sum(), begin, jac=lambda at: -_slopes(at, data).sum(0),
        bounds=bounds, method="L-BFGS-B",
    )  # fmt: skip
    at = np.asarray(found.x, np.float64)
    inside = all(low + 1e-6 < value < high - 1e-6 for value, (low, high) in zip(at[:2], bounds, strict=False))
    free = [n for n, (low, high) in enumerate(bounds) if low + 1e-6 < at[n] < high - 1e-6]
    if not found.success or not inside:
        return None
    slopes = _slopes(at, data)[:, free]
    columns = [(_slopes(at + _shift(n), data) - _slopes(at - _shift(n), data)).sum(0)[free] for n in free]
    information = -np.stack(columns) / (2 * _STEP)
    if np.linalg.eigvalsh((information + information.T) / 2).min() <= 0:
        return None
    influences = slopes @ np.linalg.inv(information)
    return at, two_way_variances(influences, data.pictures, data.raters)[:2]


def _slopes(at: NDArray[np.float64], data: _Trials) -> NDArray[np.float64]:
    """Of each answer's log likelihood, by central differences."""
    rows = [
        (_log_likelihoods(at + _shift(n), data) - _log_likelihoods(at - _shift(n), data)) / (2 * _STEP)
        for n in range(len(at))
    ]
    return np.stack(rows, axis=1)


def _shift(number: int) -> NDArray[np.float64]:
    shift = np.zeros(4)
    shift[number] = _STEP
    return shift


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
    return found
