"""Pairwise comparisons in both orders, and model strengths from their outcomes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.two_way_clusters import cluster_numbers, two_way_variances
from convergebench.judges.rubric import CHOICES

Winner = Literal["first", "second", "tie"]
MIRRORED: Mapping[Winner, Winner] = {"first": "second", "second": "first", "tie": "tie"}
WINNER_BY_SHARE: Mapping[float, Winner] = {share: name for name, share in CHOICES.items()}  # type: ignore[misc]
"""By the first model's share of the win."""
_STEPS = 100
_CLOSE = 1e-10
_TWO_SIDED_95 = 0.975


@dataclass(frozen=True)
class Comparison:
    first: str
    second: str
    winner: Winner
    cluster: str = ""
    """The source picture; comparisons that share it are not independent."""
    rater: str = ""
    """The person who compared; comparisons of one person are not independent either."""


@dataclass(frozen=True)
class OrderSwapped:
    """One comparison asked in both orders: the verdict, and whether both orders gave it."""

    comparison: Comparison
    consistent: bool


def order_swapped(first: str, second: str, shown: Winner, swapped: Winner, cluster: str = "") -> OrderSwapped:
    """`shown` is the verdict with `first` in first place, `swapped` the one with `second` there.

    A judge that prefers the same place both times prefers neither model, which is a tie.

    >>> order_swapped("a", "b", "first", "second").comparison.winner
    'first'
    >>> order_swapped("a", "b", "first", "first").comparison.winner
    'tie'
    """
    agreed = shown == MIRRORED[swapped]
    return OrderSwapped(Comparison(first, second, shown if agreed else "tie", cluster), agreed)


@dataclass(frozen=True)
class Strength:
    """A model's logarithmic strength with its 95 % interval; the mean over models is 0."""

    model: str
    value: float
    low: float
    high: float
    comparisons: int


@dataclass(frozen=True)
class Strengths:
    models: tuple[Strength, ...]
    """The strongest first; empty if there is no finite solution."""
    tie_weight: float | None
    """Davidson's ν: the tendency to ties; 0 if there were none."""
    missing: str | None = None


def bradley_terry(comparisons: Iterable[Comparison]) -> Strengths:
    """Strengths by maximum likelihood in Davidson's model of ties:
    P(i beats j) : P(tie) : P(j beats i) = pᵢ : ν√(pᵢpⱼ) : pⱼ.

    If comparisons name two or more clusters, the intervals account for the dependence within a cluster, and
    then for that of one rater's comparisons, too, if they name two or more raters. Within a single cluster
    all comparisons count as independent.
    """
    compared = tuple(comparisons)
    names = sorted({name for one in compared for name in (one.first, one.second)})
    wins, ties = _counts(compared, names)
    if not names:
        return Strengths((), None, "nothing was compared")
    if not _is_connected(wins + ties) or (wins.any() and _is_without_exception(wins, ties)):
        return Strengths((), None, "some models never won, or never lost, against the others")
    if not wins.any():
        return Strengths((), None, "every comparison is a tie")
    has_ties = bool(ties.any())
    values, log_tie, covariance = _fit(wins, ties, has_ties)
    clusters = len({one.cluster for one in compared})
    variances = np.diagonal(covariance)
    if clusters > 1:
        variances = _clustered(compared, names, np.append(values, log_tie), covariance)
    raters = len({one.rater for one in compared})
    fewest = min(clusters, raters) if raters > 1 else clusters
    errors = _quantile(fewest) * np.sqrt(variances[: len(names)])
    played = (wins + wins.T + ties).sum(1)
    strengths = [
        Strength(name, value, value - error, value + error, int(n))
        for name, value, error, n in zip(names, values.tolist(), errors.tolist(), played, strict=True)
    ]
    ranked = tuple(sorted(strengths, key=lambda one: -one.value))
    return Strengths(ranked, float(np.exp(log_tie)) if has_ties else 0.0)


def _counts(
    comparisons: Sequence[Comparison], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How often the row's model beat the column's, and how often the two tied."""
    place = {name: index for index, name in enumerate(names)}
    wins, ties = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for one in comparisons:
        first, second = place[one.first], place[one.second]
        if one.winner == "tie":
            ties[first, second] += 1
            ties[second, first] += 1
        elif one.winner == "first":
            wins[first, second] += 1
        else:
            wins[second, first] += 1
    return wins, ties


def _is_connected(reaches: NDArray[np.float64]) -> bool:
    """Whether every model can be reached from every other by wins and ties; otherwise strengths are
    infinite."""

    def seen_from_first(matrix: NDArray[np.float64]) -> int:
        seen, line = {0}, [0]
        while line:
            for other in np.flatnonzero(matrix[line.pop()]):
                if int(other) not in seen:
                    seen.add(int(other))
                    line.append(int(other))
        return len(seen)

    return seen_from_first(reaches) == seen_from_first(reaches.T) == len(reaches)


def _is_without_exception(wins: NDArray[np.float64], ties: NDArray[np.float64]) -> bool:
    """Whether places on a line can be such that models that tied are at most 1 apart, and every winner is at
    least 1 above the loser. Then the likelihood grows without end as this line and the tendency to ties are
    stretched together, even if ties connect all models.
    """
    apart = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, np.inf))
    np.fill_diagonal(apart, 0.0)
    for between in range(len(apart)):
        apart = np.minimum(apart, apart[:, between, None] + apart[between])
    return bool((np.diagonal(apart) >= 0).all())


def _fit(
    wins: NDArray[np.float64], ties: NDArray[np.float64], has_ties: bool
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Newton's method on log strengths and log ν, where the likelihood is concave."""
    size = len(wins)
    parameters = np.zeros(size + 1)
    parameters[size] = 0.0 if has_ties else -np.inf
    free = size + has_ties
    for _ in range(_STEPS):
        slope, curvature = _derivatives(parameters, wins, ties)
        # Adding a constant to all strengths changes nothing; this term fixes their sum.
        curvature[:size, :size] += 1.0
        step = np.linalg.solve(curvature[:free, :free], slope[:free])
        parameters[:free] += step * min(1.0, 2.0 / max(np.abs(step).max(), _CLOSE))
        parameters[:size] -= parameters[:size].mean()
        if np.abs(step).max() < _CLOSE:
            break
    _, curvature = _derivatives(parameters, wins, ties)
    inverse = np.asarray(np.linalg.pinv(curvature[:free, :free]), np.float64)
    return parameters[:size], float(parameters[size]), inverse


def _clustered(
    comparisons: Sequence[Comparison],
    names: Sequence[str],
    parameters: NDArray[np.float64],
    inverse: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The variances from each cluster's pull on the estimates (the sandwich estimator)."""
    place = {name: index for index, name in enumerate(names)}
    size, free = len(names), len(inverse)
    pulls = np.zeros((len(comparisons), size + 1))
    of_pair: dict[tuple[str, str], NDArray[np.float64]] = {}
    for number, one in enumerate(comparisons):
        if (one.first, one.second) not in of_pair:
            rows, chances = _outcomes(parameters, place[one.first], place[one.second], size)
            of_pair[one.first, one.second] = rows - chances @ rows
        pulls[number] = of_pair[one.first, one.second][("first", "second", "tie").index(one.winner)]
    pictures = cluster_numbers([one.cluster for one in comparisons])
    raters = cluster_numbers([one.rater for one in comparisons])
    return two_way_variances(pulls[:, :free] @ inverse, pictures, raters)


def _quantile(clusters: int) -> float:
    """Student's quantile for this number of clusters; the normal quantile if there are none."""
    from scipy.stats import norm, t

    return float(t.ppf(_TWO_SIDED_95, clusters - 1) if clusters > 1 else norm.ppf(_TWO_SIDED_95))


def _outcomes(
    parameters: NDArray[np.float64], i: int, j: int, size: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For a win of i, a win of j and a tie: the coefficients of each logarithmic weight, and each
    probability."""
    rows = np.zeros((3, size + 1))
    rows[0, i] = rows[1, j] = rows[2, size] = 1.0
    rows[2, i] = rows[2, j] = 0.5
    strength = parameters[[i, j]]
    weights = np.array([*strength, strength.mean() + parameters[size]])
    chances = np.exp(weights - weights.max())
    return rows, chances / chances.sum()


def _derivatives(
    parameters: NDArray[np.float64], wins: NDArray[np.float64], ties: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The likelihood's gradient, and its negative second derivatives: the information."""
    size = len(wins)
    slope, information = np.zeros(size + 1), np.zeros((size + 1, size + 1))
    for i, j in combinations(range(size), 2):
        counted = np.array([wins[i, j], wins[j, i], ties[i, j]])
        if not counted.any():
            continue
        rows, chances = _outcomes(parameters, i, j, size)
        slope += counted @ rows - counted.sum() * (chances @ rows)
        information += counted.sum() * ((rows.T * chances) @ rows - np.outer(chances @ rows, chances @ rows))
    return slope, information


def wins_and_ties(comparisons: Iterable[Comparison]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """For every pair of models, in the order of their names: wins of one, ties, wins of the other."""
    table: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in comparisons:
        turned = one.second < one.first
        pair = (one.second, one.first) if turned else (one.first, one.second)
        winner = MIRRORED[one.winner] if turned else one.winner
        table[pair][("first", "tie", "second").index(winner)] += 1
    return {pair: (won, tied, lost) for pair, (won, tied, lost) in table.items()}
