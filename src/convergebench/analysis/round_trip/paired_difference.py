"""Two models on their common cases: the difference, its uncertainty, and the smallest detectable
difference."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.area_under_curve import areas
from convergebench.analysis.round_trip.missing_values import readings as values_or_nan
from convergebench.analysis.round_trip.preserved_scale import has_scale, possible
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.analysis.round_trip.share_matrix import ShareMatrix, share_matrices
from convergebench.analysis.statistics.clustered_mean import (
    UNBOUNDED,
    Interval,
    Scale,
    clustered_mean,
    clustered_standard_error,
    scale_of_differences,
)
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile
from convergebench.errors import WrongUse
from convergebench.types import MetricFacts

MOST_EXACT = 14
"""Up to this number of clusters every assignment of signs is tried; beyond it, a sample of them."""
PERMUTATIONS = 10_000
POWER = 0.8

Values = Mapping[tuple[str, int], tuple[str, float]]
"""By case and seed: the source picture, and the value."""


class NothingShared(WrongUse):
    """The two models have no case in common."""


@dataclass(frozen=True)
class PairedDifference:
    """A minus B over their shared cases, clustered by source picture."""

    first: str
    second: str
    quantity: str
    """Such as ssim @ R10, or ssim AUC."""
    higher_is_better: bool
    first_mean: float
    second_mean: float
    difference: Interval
    p_value: float
    """The probability that chance alone, swapping the two models on whole pictures, gives a difference as
    large."""
    minimum_detectable: float | None
    """The smallest difference detectable with 80 % power; None for a single picture."""
    only_first: int
    only_second: int
    infinite: int
    """Shared cases left out because a value is infinite, such as PSNR if the exact source came back."""

    @property
    def smallest_p_value(self) -> float:
        return smallest_p_value(self.difference.clusters)

    @property
    def verdict(self) -> str:
        """Which model is better, if both the interval and the p-value say so."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0 <= high or self.p_value >= 1 - CONFIDENCE:
            return "cannot be told apart"
        is_first = (self.difference.mean > 0) == self.higher_is_better
        return f"{self.first if is_first else self.second} is better"


def paired_difference(
    results: Results, first: str, second: str, metric: str = "ssim", round: int | None = None
) -> PairedDifference:
    """Compare two models at a round, by default the last, on the cases and seeds for which both have a
    value."""
    facts = results.facts(metric)
    if not has_scale(facts):
        raise WrongUse(f"{metric} says which way a picture moved, not which is better; choose another metric")
    number = results.rounds if round is None else round
    ours, theirs = (_readings_at(results, model, facts, number) for model in (first, second))
    quantity = f"{metric} @ R{number}"
    return paired_values(first, second, quantity, facts.better == "higher", ours, theirs, possible(facts))


def paired_areas(results: Results, first: str, second: str, metric: str = "ssim") -> PairedDifference:
    """Compare the areas under two models' curves on the cases and seeds for which both have one."""
    of_models = share_matrices(results, metric)
    ours, theirs = (_areas(of_models.get(model)) for model in (first, second))
    return paired_values(first, second, f"{metric} AUC", True, ours, theirs, (0.0, 1.0))


def paired_values(
    first: str,
    second: str,
    quantity: str,
    higher_is_better: bool,
    ours: Values,
    theirs: Values,
    scale: Scale = UNBOUNDED,
) -> PairedDifference:
    """Compare a quantity, whose values lie on `scale`, on the cases and seeds for which both models have a
    finite value."""
    both = [key for key in ours if key in theirs]
    shared = [key for key in both if math.isfinite(ours[key][1]) and math.isfinite(theirs[key][1])]
    if not shared:
        finite = "finite " if both else ""
        raise NothingShared(
            f"{first} and {second} share no case with {finite}{quantity}; there is nothing to compare"
        )
    differences = np.array([ours[key][1] - theirs[key][1] for key in shared])
    pictures = [ours[key][0] for key in shared]
    return PairedDifference(
        first=first,
        second=second,
        quantity=quantity,
        higher_is_better=higher_is_better,
        first_mean=float(np.mean([ours[key][1] for key in shared])),
        second_mean=float(np.mean([theirs[key][1] for key in shared])),
        difference=clustered_mean(differences, pictures, possible=scale_of_differences(scale)),
        p_value=sign_flip_p_value(differences, pictures),
        minimum_detectable=minimum_detectable(differences, pictures),
        only_first=len(ours) - len(both),
        only_second=len(theirs) - len(both),
        infinite=len(both) - len(shared),
    )


def _areas(of_model: ShareMatrix | None) -> Values:
    if of_model is None:
        return {}
    rows = zip(of_model.keys, of_model.pictures, areas(of_model), strict=True)
    return {key: (picture, float(area)) for key, picture, area in rows if not math.isnan(area)}


def values_at(results: Results, model: str, facts: MetricFacts, round: int) -> Values:
    """The model's finite values at a round."""
    return finite(_readings_at(results, model, facts, round))


def finite(values: Values) -> Values:
    return {key: (picture, value) for key, (picture, value) in values.items() if math.isfinite(value)}


def readings(returns: Sequence[Return], facts: MetricFacts) -> Values:
    """All their values, including infinite ones."""
    table = ReturnTable.of(returns)
    rows = zip(table.case_seeds(), table.pictures(), values_or_nan(table, facts).tolist(), strict=True)
    return {key: (picture, value) for key, picture, value in rows if not math.isnan(value)}


def _readings_at(results: Results, model: str, facts: MetricFacts, round: int) -> Values:
    if model not in results.roles():
        raise NothingShared(
            f"there are no results of {model} here; choose from: {', '.join(results.roles())}"
        )
    if not results.is_measured_at(facts, model, round):
        raise NothingShared(f"{facts.name} was not measured at round {round} of {model}")
    return readings(results.returns_by_round().get((model, round), ()), facts)


def smallest_p_value(clusters: int) -> float:
    """The p-value if all pictures agreed: few pictures cannot give a small one.

    >>> smallest_p_value(5), smallest_p_value(6)
    (0.0625, 0.03125)
    """
    return 2.0 ** (1 - clusters) if clusters <= MOST_EXACT else 1 / (PERMUTATIONS + 1)


def sign_flip_p_value(
    differences: NDArray[np.float64], clusters: list[str] | NDArray[Any], seed: int = 0
) -> float:
    """The two-sided p-value of the mean difference, from swapping the models on whole clusters.

    >>> round(sign_flip_p_value(np.ones(6), list("abcdef")), 5)
    0.03125
    """
    _, index = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.bincount(index, differences)
    signs = _signs(len(sums), seed)
    extra = int(len(sums) > MOST_EXACT)  # the observed assignment is one of those possible
    observed = abs(sums.sum())
    as_large = np.abs(signs @ sums) >= observed - 1e-12 * max(1.0, observed)
    return float((as_large.sum() + extra) / (len(signs) + extra))


@lru_cache(4)
def _signs(clusters: int, seed: int) -> NDArray[np.float64]:
    """Every assignment of signs to few clusters, or a sample of them; many comparisons share it."""
    if clusters <= MOST_EXACT:
        return np.array(list(itertools.product((1.0, -1.0), repeat=clusters)))
    return np.random.default_rng(seed).choice((1.0, -1.0), size=(PERMUTATIONS, clusters))


def minimum_detectable(
    differences: NDArray[np.float64], clusters: list[str] | NDArray[Any], level: float = CONFIDENCE
) -> float | None:
    """The difference that a test at this level detects with a power of 80 %; None for one cluster."""
    error = clustered_standard_error(differences, clusters)
    if error is None:
        return None
    count = len(np.unique(np.asarray(clusters)))
    return (student_quantile((1 + level) / 2, count - 1) + NormalDist().inv_cdf(POWER)) * error
