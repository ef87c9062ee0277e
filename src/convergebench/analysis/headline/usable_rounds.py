"""The number of usable rounds of a model: restricted mean and Kaplan–Meier median over its chains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.headline.chain_rounds import Chain, Ending, Thresholds
from convergebench.analysis.round_trip.share_matrix import cluster_index
from convergebench.analysis.statistics.cluster_bootstrap import RESAMPLES, cluster_draws
from convergebench.analysis.statistics.clustered_mean import expanded_tail


@dataclass(frozen=True)
class UsableRounds:
    """Rounds before the first unusable one, over a model's chains."""

    mean: float
    """Restricted to the horizon: a chain that stays usable counts with the number of observed rounds."""
    low: float | None
    high: float | None
    median: float
    """Kaplan–Meier; infinite if more than half of the chains stay usable."""
    horizon: int
    n: int
    ended: int
    clusters: int
    endings: Mapping[Ending, int]
    """The reasons that ended chains, the most frequent first."""

    @property
    def chief_ending(self) -> Ending | None:
        return next(iter(self.endings), None)


def usable_rounds(
    chains: Sequence[Chain], limits: Thresholds, horizon: int, resamples: int = RESAMPLES
) -> UsableRounds | None:
    """For one model's chains up to the horizon; None if no chain was observed for a round.

    A chain that ended otherwise, by an outage or because the run is incomplete, is censored there.
    """
    watched = [(one, *one.usable(limits)) for one in chains]
    watched = [(one, number, ending) for one, number, ending in watched if number > 0 or ending is not None]
    if not watched:
        return None
    lasted = np.array([min(number, horizon) for _, number, _ in watched])
    ended = np.array([ending is not None and number < horizon for _, number, ending in watched])
    survival = _survival(lasted, ended, np.ones((1, len(watched))), horizon)[0]
    clusters = cluster_index([one.picture for one, _, _ in watched])
    low, high = _interval(lasted, ended, clusters, horizon, resamples)
    endings = Counter(
        ending for (_, _, ending), is_end in zip(watched, ended, strict=True) if ending is not None and is_end
    )
    return UsableRounds(
        mean=float(survival.sum()),
        low=low,
        high=high,
        median=_median(survival),
        horizon=horizon,
        n=len(watched),
        ended=int(ended.sum()),
        clusters=int(clusters.max()) + 1,
        endings=dict(endings.most_common()),
    )


def _survival(
    lasted: NDArray[np.intp], ended: NDArray[np.bool_], weights: NDArray[np.float64], horizon: int
) -> NDArray[np.float64]:
    """The share that is usable after each round (columns), for each set of weights (rows).

    If no chain is at risk, the share does not change.
    """
    left = np.ones(len(weights))
    shares = []
    for number in range(1, horizon + 1):
        falls = weights[:, ended & (lasted == number - 1)].sum(axis=1)
        at_risk = falls + weights[:, lasted >= number].sum(axis=1)
        left = left * (1 - np.divide(falls, at_risk, out=np.zeros_like(falls), where=at_risk > 0))
        shares.append(left)
    return np.stack(shares, axis=1)


def _interval(
    lasted: NDArray[np.intp],
    ended: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    horizon: int,
    resamples: int,
) -> tuple[float | None, float | None]:
    count = int(clusters.max()) + 1
    if count < 2:
        return None, None
    means = np.concatenate(
        [
            _survival(lasted, ended, draws[:, clusters], horizon).sum(axis=1)
            for draws in cluster_draws(count, resamples, width=len(lasted))
        ]
    )
    tail = expanded_tail(0.95, count)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def _median(survival: NDArray[np.float64]) -> float:
    """The rounds after which half of the chains or fewer are usable."""
    fallen = np.flatnonzero(survival <= 0.5 + 1e-9)
    return float(fallen[0]) if len(fallen) else math.inf
