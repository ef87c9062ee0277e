"""How many votes tell two models apart, from those that were given so far."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist, median

import numpy as np

from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.confidence import CONFIDENCE
from convergebench.analysis.statistics.two_way_clusters import (
    cluster_numbers,
    two_way_mean,
    two_way_variances,
)
from convergebench.analysis.votes.vote import PairVote, QuestionKind

POWER = 0.8


@dataclass(frozen=True)
class PairPlan:
    """Two models, and the votes that it takes to tell them apart."""

    kind: QuestionKind
    first: str
    second: str
    share: Interval
    """Of wins of the first; a tie is half a win."""
    needed: int | None
    """None if they have equal shares so far, or the votes are too few to have a variance."""
    seconds_per_vote: float | None
    """The median of the known times; None if there are none."""

    @property
    def is_decided(self) -> bool:
        low, high = self.share.low, self.share.high
        return low is not None and high is not None and not low <= 0.5 <= high

    @property
    def hours(self) -> float | None:
        if self.needed is None or self.seconds_per_vote is None:
            return None
        return self.needed * self.seconds_per_vote / 3600


def vote_plans(votes: Iterable[PairVote], power: float = POWER) -> list[PairPlan]:
    """For every two models and kind of question: n = (z₀.₉₇₅ + z_power)² · v / (share − ½)².

    v is the variance of one vote, including what votes on one picture and of one rater share; the plan
    assumes further votes that are spread over pictures and raters as those so far.
    """
    groups: defaultdict[tuple[QuestionKind, str, str], list[tuple[float, PairVote]]] = defaultdict(list)
    for vote in votes:
        turned = vote.second < vote.first
        first, second = sorted((vote.first, vote.second))
        groups[vote.kind, first, second].append((1 - vote.value if turned else vote.value, vote))
    return [_plan(*key, given, power) for key, given in sorted(groups.items())]


def _plan(
    kind: QuestionKind, first: str, second: str, given: list[tuple[float, PairVote]], power: float
) -> PairPlan:
    values = np.array([value for value, _ in given])
    pictures, raters = [vote.picture for _, vote in given], [vote.rater for _, vote in given]
    share = two_way_mean(values, pictures, raters)
    influences = ((values - share.mean) / len(values))[:, None]
    error = two_way_variances(influences, cluster_numbers(pictures), cluster_numbers(raters))[0]
    one_vote = float(error) * len(values)
    distance = abs(share.mean - 0.5)
    normal = NormalDist()
    reach = normal.inv_cdf((1 + CONFIDENCE) / 2) + normal.inv_cdf(power)
    needed = math.ceil(reach**2 * one_vote / distance**2) if distance and one_vote else None
    times = [vote.seconds for _, vote in given if vote.seconds is not None]
    return PairPlan(kind, first, second, share, needed, median(times) if times else None)
