"""One metric over many returns: a mean with its interval, and the values that are not in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from convergebench.analysis.round_trip.missing_values import NOT_SAMPLED, readings, value_or_reason
from convergebench.analysis.round_trip.preserved_scale import possible
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean
from convergebench.types import MetricFacts


@dataclass(frozen=True)
class MetricSummary:
    """A metric over the returns that have it.

    Infinite values, such as the PSNR of a picture that came back unchanged, are counted and not averaged.
    """

    finite: Interval | None
    perfect: int
    missing: int
    mean: float | None
    """The mean over finite values; infinite if all are infinite; None if there is no value."""
    reason: str | None
    """The reason why there is no value."""

    @property
    def n(self) -> int:
        return self.perfect + (self.finite.n if self.finite else 0)

    @property
    def low(self) -> float | None:
        return self.finite.low if self.finite else None

    @property
    def high(self) -> float | None:
        return self.finite.high if self.finite else None


def summarise(returns: Sequence[Return], metric: MetricFacts, expected: int) -> MetricSummary:
    """Summarise a metric over returns, of which `expected` should exist; clustered by source picture."""
    table = ReturnTable.of(returns)
    found = readings(table, metric)
    there, finite = ~np.isnan(found), np.isfinite(found)
    count = int(there.sum())
    interval = None
    if finite.any():
        pictures = list(compress(table.pictures(), finite.tolist()))
        interval = clustered_mean(found[finite], pictures, possible=possible(metric))
    return MetricSummary(
        finite=interval,
        perfect=count - int(finite.sum()),
        missing=max(expected, len(returns)) - count,
        mean=interval.mean if interval else metric.perfect if count else None,
        reason=None if count else _commonest([str(value_or_reason(one, metric)) for one in table.values]),
    )


def summarise_round(
    results: Results, model: str, round: int, metric: MetricFacts, expected: int
) -> MetricSummary:
    """The same of a model at a round, which the metric may not measure."""
    if not results.is_measured_at(metric, model, round):
        return MetricSummary(None, 0, expected, None, NOT_SAMPLED)
    return summarise(results.returns_by_round().get((model, round), ()), metric, expected)


def _commonest(reasons: Sequence[str]) -> str:
    return Counter(reasons).most_common(1)[0][0] if reasons else "there is no return"
