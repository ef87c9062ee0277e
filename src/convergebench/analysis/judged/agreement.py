"""Agreement of judges with each other, and of a judge with itself over repeats."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.statistics.clustered_mean import ROUNDING

Level = Literal["nominal", "interval"]


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha: 1 is perfect agreement, 0 is agreement by chance, below 0 is worse than
    chance."""

    alpha: float | None
    subjects: int
    """Subjects with at least two values; the others say nothing about agreement."""
    values: int
    missing: str | None = None


def krippendorff_alpha(ratings: Sequence[Sequence[float | None]], level: Level) -> Agreement:
    """Alpha over subjects, each with one value from every judge or repeat; None if there is no such subject.

    Use nominal for answers such as yes and no, where all differences are equally large.
    """
    kept = [[value for value in row if value is not None] for row in ratings]
    pairable = [np.array(row, np.float64) for row in kept if len(row) > 1]
    count = sum(map(len, pairable))
    if not pairable:
        return Agreement(None, 0, 0, "no subject has two values")
    differences = _DIFFERENCES[level]
    everything = np.concatenate(pairable)
    if np.ptp(everything) < ROUNDING:
        return Agreement(None, len(pairable), count, "all values are equal, so chance alone would agree")
    expected = differences(everything) / (count - 1)
    observed = math.fsum(differences(row) / (len(row) - 1) for row in pairable)
    return Agreement(float(1 - observed / expected), len(pairable), count)


def _squared(values: NDArray[np.float64]) -> float:
    """The sum of squared differences over all ordered pairs."""
    centred = values - values.mean()
    return float(2 * len(values) * (centred**2).sum())


def _unequal(values: NDArray[np.float64]) -> float:
    """The number of ordered pairs that differ."""
    _, counts = np.unique(values, return_counts=True)
    return float(len(values) ** 2 - (counts**2).sum())


_DIFFERENCES: dict[Level, Callable[[NDArray[np.float64]], float]] = {
    "interval": _squared,
    "nominal": _unequal,
}


@dataclass(frozen=True)
class Spread:
    """The spread of a judge's repeats on one subject."""

    subjects: int
    standard_deviation: float
    """Pooled within subjects."""
    widest: float
    """The largest difference between two repeats on one subject."""


def spread(ratings: Sequence[Sequence[float | None]]) -> Spread | None:
    """The spread over subjects with two or more values; None if there are none."""
    kept = [[value for value in row if value is not None] for row in ratings]
    repeated = [np.array(row, np.float64) for row in kept if len(row) > 1]
    if not repeated:
        return None
    squares = math.fsum(float(((row - row.mean()) ** 2).sum()) for row in repeated)
    freedom = sum(len(row) - 1 for row in repeated)
    widest = max(float(np.ptp(row)) for row in repeated)
    return Spread(len(repeated), math.sqrt(squares / freedom), widest)


@dataclass(frozen=True)
class Rating:
    """One judge's value for one subject by one rubric."""

    judge: str
    rubric: str
    subject: str
    value: float


@dataclass(frozen=True)
class BetweenJudges:
    """Agreement of different judges by one rubric, on subjects that more than one of them judged."""

    rubric: str
    judges: tuple[str, ...]
    agreement: Agreement


def between_judges(ratings: Iterable[Rating]) -> list[BetweenJudges]:
    """For every rubric by which several judges judged the same subjects. A judge's repeats count as their
    mean.

    For yes and no, the interval alpha equals the nominal one.
    """
    repeats: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for one in ratings:
        repeats[one.rubric, one.subject, one.judge].append(one.value)
    rated: defaultdict[str, defaultdict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for (rubric, subject, judge), values in repeats.items():
        rated[rubric][subject][judge] = math.fsum(values) / len(values)
    found = []
    for rubric, subjects in rated.items():
        shared = [values for values in subjects.values() if len(values) > 1]
        judges = tuple(sorted({judge for values in shared for judge in values}))
        agreement = krippendorff_alpha([tuple(values.values()) for values in shared], "interval")
        found += [BetweenJudges(rubric, judges, agreement)] if shared else []
    return found
