"""How well a metric, a judge or the headline score agrees with people on pairs of models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.judged.agreement import Agreement, krippendorff_alpha
from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean
from convergebench.analysis.statistics.two_way_clusters import two_way_interval, two_way_mean
from convergebench.analysis.votes.vote import PairVote

FEWEST_VOTES = 10
"""With fewer decided votes there is no number for a group."""


@dataclass(frozen=True)
class PredictedVote:
    """A vote, and by how much each predictor prefers the first model: positive, negative, or zero."""

    vote: PairVote
    margins: Mapping[str, float]
    """Without predictors that have no value for one of the two pictures."""


@dataclass(frozen=True)
class PredictorAgreement:
    """One predictor against people, over one group of votes."""

    predictor: str
    accuracy: Interval | None
    """The share of decided votes on the predictor's side; a predictor that prefers neither has half."""
    tau: Interval | None
    """Kendall's τ-b over the pairs that people saw."""
    votes: int
    """Votes for which the predictor has a value."""
    missing: int


@dataclass(frozen=True)
class Ceiling:
    """How well people agree with each other."""

    another_person: Interval | None
    """How often two raters who both decided on the same pair decided alike."""
    alpha: Agreement


def agreement_of(predictor: str, votes: Sequence[PredictedVote]) -> PredictorAgreement:
    """Intervals are by picture and by rater."""
    known = [one for one in votes if predictor in one.margins]
    missing = len(votes) - len(known)
    prefers = np.sign([one.margins[predictor] for one in known])
    decides = np.array([2 * one.vote.value - 1 for one in known])
    pictures, raters = [one.vote.picture for one in known], [one.vote.rater for one in known]
    decided = np.flatnonzero(decides)
    if len(decided) < FEWEST_VOTES:
        return PredictorAgreement(predictor, None, None, len(known), missing)
    agrees = (1 + prefers[decided] * decides[decided]) / 2
    accuracy = two_way_mean(agrees, [pictures[n] for n in decided], [raters[n] for n in decided])
    return PredictorAgreement(
        predictor, accuracy, _tau(prefers, decides, pictures, raters), len(known), missing
    )


def _tau(
    prefers: NDArray[np.float64],
    decides: NDArray[np.float64],
    pictures: Sequence[str],
    raters: Sequence[str],
) -> Interval | None:
    """τ-b: concordant less discordant pairs, over the geometric mean of the pairs that each side decides."""
    product, by_predictor, by_people = prefers * decides, np.abs(prefers), np.abs(decides)
    if not by_predictor.any():
        return None
    scale = np.sqrt(by_predictor.sum() * by_people.sum())
    tau = float(product.sum() / scale)
    ties = by_predictor / by_predictor.sum() + by_people / by_people.sum()
    return two_way_interval(tau, product / scale - tau / 2 * ties, pictures, raters, (-1.0, 1.0))


def agreements(votes: Sequence[PredictedVote]) -> list[PredictorAgreement]:
    """Every predictor with a value, the most accurate first."""
    names = dict.fromkeys(name for one in votes for name in one.margins)
    found = [agreement_of(name, votes) for name in names]
    return sorted(found, key=lambda one: (one.accuracy is None, -(one.accuracy.mean if one.accuracy else 0)))


def ceiling(votes: Iterable[PairVote]) -> Ceiling:
    """A rater's first vote on a pair counts; repeats say how a rater agrees with themselves."""
    subjects: defaultdict[tuple[object, ...], dict[str, tuple[float, str]]] = defaultdict(dict)
    for vote in votes:
        turned = vote.second < vote.first
        models = (vote.second, vote.first) if turned else (vote.first, vote.second)
        value = 1 - vote.value if turned else vote.value
        subject = (vote.kind, vote.case, vote.seed, vote.round, *models)
        subjects[subject].setdefault(vote.rater, (value, vote.picture))
    alpha = krippendorff_alpha(
        [[value for value, _ in given.values()] for given in subjects.values()], "interval"
    )
    alike, pictures = [], []
    for given in subjects.values():
        decided = [(value, picture) for value, picture in given.values() if value != 0.5]
        for (one, picture), (other, _) in combinations(decided, 2):
            alike.append(float(one == other))
            pictures.append(picture)
    if not alike:
        return Ceiling(None, alpha)
    return Ceiling(clustered_mean(np.array(alike), pictures, possible=(0.0, 1.0)), alpha)


@dataclass(frozen=True)
class TrustedMetric:
    """Which predictor to trust for one group of votes."""

    group: str
    best: PredictorAgreement | None
    """None if no predictor is better than chance."""
    alike: tuple[str, ...]
    """Others that cannot be told apart from it on the same votes."""


def trusted_metric(
    group: str, votes: Sequence[PredictedVote], left_out: Collection[str] = ()
) -> TrustedMetric:
    """The most accurate predictor among those with a value for nine votes of ten.

    Metrics that say in which way a picture changed, and not how much, should be left out.
    """
    ranked = [
        one
        for one in agreements(votes)
        if one.accuracy and one.missing <= 0.1 * len(votes) and one.predictor not in left_out
    ]
    better = [one for one in ranked if one.accuracy and (one.accuracy.low or 0.0) > 0.5]
    if not better:
        return TrustedMetric(group, None, ())
    best = better[0]
    alike = [one.predictor for one in ranked if one is not best and _is_alike(best, one, votes)]
    return TrustedMetric(group, best, tuple(alike))


def _is_alike(best: PredictorAgreement, other: PredictorAgreement, votes: Sequence[PredictedVote]) -> bool:
    shared = [
        one
        for one in votes
        if best.predictor in one.margins and other.predictor in one.margins and one.vote.winner != "tie"
    ]
    if len(shared) < FEWEST_VOTES:
        return False
    decides = np.array([2 * one.vote.value - 1 for one in shared])
    ahead = np.sign([one.margins[best.predictor] for one in shared])
    behind = np.sign([one.margins[other.predictor] for one in shared])
    difference = two_way_mean(
        (ahead - behind) * decides / 2,
        [one.vote.picture for one in shared],
        [one.vote.rater for one in shared],
        possible=(-1.0, 1.0),
    )
    return difference.low is None or difference.low <= 0 or not difference.mean
