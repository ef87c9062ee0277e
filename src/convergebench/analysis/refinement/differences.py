"""The change of a figure by refinement: before, after, and the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.cluster_bootstrap import RESAMPLES, bootstrap_ratios
from convergebench.analysis.statistics.clustered_mean import (
    FEWEST_TO_RESAMPLE,
    ROUNDING,
    UNBOUNDED,
    Interval,
    Scale,
    expanded_tail,
    mean_of_grades,
    scale_of_differences,
)
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile


@dataclass(frozen=True)
class BeforeAfter:
    """A figure of one sample's primary and refined picture: each is a number, or the reason why it is
    missing."""

    picture: str
    """The source's id: samples of one source are not independent of each other."""
    primary: float | str
    refined: float | str


@dataclass(frozen=True)
class Difference:
    """Refined minus primary, computed in two ways, each None if it cannot be computed.

    There is no interval if all resampled values are equal, which says nothing about other samples.
    """

    primary: Interval | None
    refined: Interval | None
    of_means: Interval | None
    """The refined mean minus the primary mean, each over all its values. n counts samples with either."""
    paired: Interval | None
    """The mean difference over the samples that have both."""
    missing_primary: int
    missing_refined: int

    @property
    def missing_pairs(self) -> int:
        samples = self.missing_primary + (self.primary.n if self.primary else 0)
        return samples - (self.paired.n if self.paired else 0)


_Totals: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The sum of the values of each picture, and their number."""

MeanOf = Callable[[Sequence[float], Sequence[str]], Interval | None]


def mean_within(possible: Scale) -> MeanOf:
    """The mean of grades on this scale."""

    def mean(values: Sequence[float], pictures: Sequence[str]) -> Interval | None:
        return mean_of_grades(np.array(values), pictures, possible) if values else None

    return mean


def difference(
    samples: Sequence[BeforeAfter], possible: Scale = UNBOUNDED, side: MeanOf | None = None
) -> Difference:
    """`side` returns the mean of one side, from its numbers and their pictures; both lie within `possible`.

    >>> found = difference([BeforeAfter("a", 4.0, 6.0), BeforeAfter("b", 5.0, "verdict refused")])
    >>> found.of_means.mean, found.paired.mean, found.missing_refined
    (1.5, 2.0, 1)
    """
    side = side or mean_within(possible)
    before = [(one.primary, one.picture) for one in samples if not isinstance(one.primary, str)]
    after = [(one.refined, one.picture) for one in samples if not isinstance(one.refined, str)]
    return Difference(
        primary=side([value for value, _ in before], [picture for _, picture in before]),
        refined=side([value for value, _ in after], [picture for _, picture in after]),
        of_means=_of_means(
            before, after, sum(_has_either(one) for one in samples), scale_of_differences(possible)
        ),
        paired=_paired(samples, scale_of_differences(possible)),
        missing_primary=len(samples) - len(before),
        missing_refined=len(samples) - len(after),
    )


def _has_either(one: BeforeAfter) -> bool:
    return not (isinstance(one.primary, str) and isinstance(one.refined, str))


def _paired(samples: Sequence[BeforeAfter], possible: Scale) -> Interval | None:
    both = [
        (one.refined - one.primary, one.picture)
        for one in samples
        if not isinstance(one.primary, str) and not isinstance(one.refined, str)
    ]
    if not both:
        return None
    return mean_of_grades(np.array([value for value, _ in both]), [picture for _, picture in both], possible)


def _of_means(
    before: Sequence[tuple[float, str]], after: Sequence[tuple[float, str]], n: int, possible: Scale
) -> Interval | None:
    """Both means use the same resamples of pictures, since they share most pictures. For few pictures it is
    Student's interval, as for other means."""
    if not before or not after:
        return None
    pictures = sorted({picture for _, picture in (*before, *after)})
    sides = [_totals(side, pictures) for side in (after, before)]
    refined, primary = (float(sums.sum() / counts.sum()) for sums, counts in sides)
    shares = _shares(sides[0], refined) - _shares(sides[1], primary)
    fewest = min(int((counts > 0).sum()) for _, counts in sides)
    if fewest == 1 or np.abs(shares).max() < ROUNDING:
        return Interval(refined - primary, None, None, n, len(pictures))
    if fewest < FEWEST_TO_RESAMPLE:
        error = math.sqrt(fewest / (fewest - 1) * float((shares**2).sum()))
        reach = student_quantile((1 + CONFIDENCE) / 2, fewest - 1) * error
        low, high = refined - primary - reach, refined - primary + reach
        return Interval(refined - primary, low, high, n, len(pictures)).within(possible)
    after_means, before_means = (bootstrap_ratios(*side, RESAMPLES) for side in sides)
    tail = expanded_tail(CONFIDENCE, fewest)
    # A resample may contain no picture of one side.
    low, high = np.nanquantile(after_means - before_means, [tail, 1 - tail])
    return Interval(refined - primary, float(low), float(high), n, len(pictures))


def _shares(side: _Totals, mean: float) -> NDArray[np.float64]:
    """How far each picture moves the mean of a side."""
    sums, counts = side
    return np.asarray((sums - mean * counts) / counts.sum(), np.float64)


def _totals(side: Sequence[tuple[float, str]], pictures: Sequence[str]) -> _Totals:
    place = {picture: number for number, picture in enumerate(pictures)}
    clusters = np.array([place[picture] for _, picture in side])
    values = np.array([value for value, _ in side])
    sums = np.bincount(clusters, values, len(pictures)).astype(np.float64)
    return sums, np.bincount(clusters, minlength=len(pictures)).astype(np.float64)
