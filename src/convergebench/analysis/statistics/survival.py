"""Kaplan–Meier estimates of survival with censored items."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.cluster_bootstrap import cluster_draws
from convergebench.analysis.statistics.clustered_mean import expanded_tail
from convergebench.analysis.statistics.confidence import CONFIDENCE

_ROUNDING = 1e-9
"""The maximum rounding error of products of fractions that should be exactly one half."""
_PARTS = 8
"""In which the items of a resample are looked at, in order of time."""


@dataclass(frozen=True)
class Survival:
    """The surviving share after each event time, with its log-log interval."""

    times: NDArray[np.float64]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def kaplan_meier(times: NDArray[np.float64], fell: NDArray[np.bool_], level: float = CONFIDENCE) -> Survival:
    """The survival curve of independent items. If `fell` is false, the item is censored at its time."""
    from scipy.stats import CensoredData, ecdf

    curve = ecdf(CensoredData.right_censored(times, ~fell)).sf
    with warnings.catch_warnings():
        # If all or none survive, the band is undefined and is NaN.
        warnings.simplefilter("ignore", RuntimeWarning)
        band = curve.confidence_interval(level, method="log-log")
    at = np.isin(curve.quantiles, times[fell])
    return Survival(
        curve.quantiles[at],
        curve.probabilities[at],
        band.low.probabilities[at],
        band.high.probabilities[at],
    )


def median_survival(times: NDArray[np.float64], fell: NDArray[np.bool_]) -> float:
    """The first time at which half or less survives; infinite if more than half survives to the end."""
    at, place, items = np.unique(times, return_inverse=True, return_counts=True)
    falls = np.bincount(place, fell, len(at))
    at_risk = np.cumsum(items[::-1])[::-1]
    left = np.cumprod((at_risk - falls) / at_risk)  # without scipy.stats, which takes longer to import
    below = np.flatnonzero(left <= 0.5 + _ROUNDING)
    return float(at[below[0]]) if len(below) else math.inf


def bootstrap_medians(
    times: NDArray[np.float64],
    fell: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    resamples: int,
    seed: int = 0,
) -> NDArray[np.float64]:
    """The median survival in each resample of whole clusters.

    In order of time, an event of weight w among r at risk multiplies the surviving share by 1 − w/r. Events
    at the same time give the same product one by one as together, so times need not be grouped.
    """
    order = np.lexsort((~fell, times))
    place, is_event = clusters[order], fell[order]
    if not is_event.any():
        return np.full(resamples, np.inf)
    event_times = np.append(times[order][is_event], np.inf)
    sizes = np.bincount(clusters).astype(np.float64)
    medians = []
    for draws in cluster_draws(len(sizes), resamples, seed, width=len(times)):
        before = _events_before_half(np.ascontiguousarray(draws.T), draws @ sizes, place, is_event)
        medians.append(event_times[before])
    return np.concatenate(medians)


def _events_before_half(
    draws: NDArray[np.float64],
    at_risk: NDArray[np.float64],
    place: NDArray[np.intp],
    is_event: NDArray[np.bool_],
) -> NDArray[np.intp]:
    """The number of events after which more than half survive, for each column of draws.

    The share never grows, so most events need not be looked at once it is half in all of them.
    """
    count = np.zeros(draws.shape[1], np.intp)
    share = np.ones(draws.shape[1])
    for some in np.array_split(np.arange(len(place)), min(_PARTS, len(place))):
        weights = draws[place[some]]
        gone = np.cumsum(weights, axis=0)
        events = is_event[some]
        if events.any():
            left = weights[events] / np.maximum(at_risk - gone + weights, 1)[events]
            np.subtract(1, left, out=left)
            left[0] *= share
            np.cumprod(left, axis=0, out=left)
            count += np.count_nonzero(left > 0.5 + _ROUNDING, axis=0)
            share = left[-1]
        if not (share > 0.5 + _ROUNDING).any():
            break
        at_risk = at_risk - gone[-1]
    return count


def median_interval(
    medians: NDArray[np.float64], clusters: int, level: float = CONFIDENCE
) -> tuple[float, float]:
    """The expanded percentile interval of resampled medians of two or more clusters; ends may be infinite."""
    tail = expanded_tail(level, clusters)
    low, high = np.quantile(medians, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)
