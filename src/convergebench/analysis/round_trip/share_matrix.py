"""A model's trajectories as rows of numbers: the preserved share of the picture after each round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.missing_values import readings
from convergebench.analysis.round_trip.preserved_scale import preserved
from convergebench.analysis.round_trip.results import Results
from convergebench.types import MetricFacts


@dataclass(frozen=True)
class ShareMatrix:
    """One model under one metric: one row per trajectory, one column per round, starting at 0."""

    model: str
    keys: tuple[tuple[str, int], ...]
    """Case and seed of each row."""
    pictures: tuple[str, ...]
    """The source picture of each row: the cluster for statistics."""
    shares: NDArray[np.float64]
    """The preserved share, 1 to 0; column 0 is the source itself, and NaN is missing."""

    @cached_property
    def bridged(self) -> NDArray[np.float64]:
        """The same with linear interpolation over missing rounds; missing values at the end remain."""
        return bridge(self.shares)


def share_matrices(results: Results, metric: str) -> dict[str, ShareMatrix]:
    """The trajectories of every model that has a return, in the order of the results."""
    facts = results.facts(metric)
    pictures: dict[tuple[str, int], str] = {}
    found = {}
    for model, returns in results.returns_by_model.items():
        places = results.trajectory_rows[model]
        pictures |= places.pictures
        values = np.full((len(places.pictures), results.rounds), math.nan)
        values[places.row, places.round - 1] = readings(returns, facts)
        found[model] = (tuple(places.pictures), _with_source(values, facts))
    return {
        model: ShareMatrix(model, keys, tuple(pictures[key] for key in keys), shares)
        for model, (keys, shares) in found.items()
    }


def bridge(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    >>> bridge(np.array([[1.0, np.nan, 0.6, np.nan]])).tolist()
    [[1.0, 0.8, 0.6, nan]]
    """
    filled = shares.copy()
    places = np.arange(shares.shape[1])
    for number in np.flatnonzero(np.isnan(shares).any(axis=1)):
        there = np.flatnonzero(~np.isnan(shares[number]))
        inside = places <= there[-1]
        filled[number, inside] = np.interp(places[inside], there, shares[number, there])
    return filled


def _with_source(values: NDArray[np.float64], facts: MetricFacts) -> NDArray[np.float64]:
    return np.hstack([np.ones((len(values), 1)), preserved(values, facts)])


def cluster_index(pictures: Sequence[str]) -> NDArray[np.intp]:
    """The number of each row's cluster, from 0."""
    _, index = np.unique(np.asarray(pictures), return_inverse=True)
    return index
