"""Rank correlation of metrics with published opinion scores, overall and by kind of distortion."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile
from convergebench.types import MetricFacts

OVERALL = "all"
_FEWEST = 5


@dataclass(frozen=True)
class ScoredPicture:
    """A distorted picture: people's opinion of it, and each metric's value; higher is better in both."""

    reference: str
    distortion: str
    opinion: float
    goodness: Mapping[str, float]
    """Without metrics that have no value."""


@dataclass(frozen=True)
class OpinionAgreement:
    metric: str
    distortion: str
    """`all` over everything."""
    spearman: Interval | None
    kendall: Interval | None
    missing: int


def goodness(value: float, facts: MetricFacts) -> float:
    """The value, turned so that higher is better."""
    if facts.better == "higher":
        return value
    return -value if facts.better == "lower" else -abs(value - facts.perfect)


def opinion_agreements(pictures: Sequence[ScoredPicture], metrics: Sequence[str]) -> list[OpinionAgreement]:
    """For each metric over everything, the best first, and then by distortion."""
    kinds = sorted({one.distortion for one in pictures})
    overall = [_agreement(metric, OVERALL, pictures) for metric in metrics]
    overall.sort(key=lambda one: -(one.spearman.mean if one.spearman else -2.0))
    by_kind = [
        _agreement(one.metric, kind, [picture for picture in pictures if picture.distortion == kind])
        for one in overall
        for kind in kinds
    ]
    return [*overall, *by_kind]


def _agreement(metric: str, distortion: str, pictures: Sequence[ScoredPicture]) -> OpinionAgreement:
    known = [one for one in pictures if metric in one.goodness]
    values = np.array([one.goodness[metric] for one in known])
    opinions = np.array([one.opinion for one in known])
    _, references = np.unique([one.reference for one in known], return_inverse=True)
    return OpinionAgreement(
        metric,
        distortion,
        _jackknife(spearman, values, opinions, references),
        _jackknife(kendall, values, opinions, references),
        len(pictures) - len(known),
    )


def spearman(values: NDArray[np.float64], opinions: NDArray[np.float64]) -> float:
    from scipy.stats import rankdata

    one, other = rankdata(values), rankdata(opinions)
    one, other = one - one.mean(), other - other.mean()
    scale = math.sqrt(float((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / scale if scale else math.nan


def kendall(values: NDArray[np.float64], opinions: NDArray[np.float64]) -> float:
    from scipy.stats import kendalltau

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(kendalltau(values, opinions).statistic)


def _jackknife(
    statistic: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    values: NDArray[np.float64],
    opinions: NDArray[np.float64],
    references: NDArray[np.intp],
) -> Interval | None:
    """The statistic, with an interval from leaving out each reference with all its pictures in turn."""
    if len(values) < _FEWEST:
        return None
    found = statistic(values, opinions)
    if math.isnan(found):
        return None
    count = int(references.max()) + 1
    if count < 3:
        return Interval(found, None, None, len(values), count)
    without = np.array([statistic(values[references != n], opinions[references != n]) for n in range(count)])
    error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
    reach = student_quantile((1 + CONFIDENCE) / 2, count - 1) * error
    if math.isnan(reach):
        return Interval(found, None, None, len(values), count)
    return Interval(found, max(-1.0, found - reach), min(1.0, found + reach), len(values), count)
