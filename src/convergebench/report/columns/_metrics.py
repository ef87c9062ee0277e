"""Metrics as columns: the ranking metric with its interval, and the mean of every other metric."""

from __future__ import annotations

from collections.abc import Iterator

from convergebench.analysis import MetricSummary, Ranking
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values
from convergebench.report.formatting import decimals, metric_title
from convergebench.types import MetricFacts

SHOWN_BY_DEFAULT = ("ssim", "lpips", "clip")
"""Structure, perception and meaning: shown by default in addition to the ranking metric."""


def metric_columns(ranking: Ranking) -> Iterator[RankingColumn]:
    yield RankingColumn(
        key="metric",
        heading=f"{metric_title(ranking.metric)} @ R{ranking.round}",
        explanation="Mean over all returns with 95 % interval, by source picture",
        values=lambda ranking: _values(ranking, ranking.metric),
        order=10,
        places=decimals(ranking.metric),
        views=(*TABLES, "csv"),
        intervals=TABLES,
        csv={f"{ranking.metric.name}_{end}": end for end in ("low", "high")},
    )
    for facts in ranking.metrics:
        yield _mean_column(facts, ranking)


def _mean_column(facts: MetricFacts, ranking: Ranking) -> RankingColumn:
    has_value = any(row.metrics[facts.name].mean is not None for row in ranking.rows)
    is_default = facts != ranking.metric and facts.name in SHOWN_BY_DEFAULT and has_value
    return RankingColumn(
        key=facts.name,
        heading=metric_title(facts),
        explanation=facts.summary or f"Mean {metric_title(facts)} over all returns",
        values=lambda ranking: _values(ranking, facts),
        order=70,
        places=decimals(facts),
        views=("terminal", "text", "csv") if is_default else ("csv",),
        csv={facts.name: "value"},
    )


def _values(ranking: Ranking, facts: MetricFacts) -> Values:
    return {row.model: _value(row.metrics[facts.name]) for row in ranking.rows}


def _value(summary: MetricSummary) -> ColumnValue:
    """A mean that leaves infinite values out is over fewer values than there are."""
    is_partial = 0 < summary.perfect < summary.n
    note = f"{summary.perfect} infinite of {summary.n} left out" if is_partial else ""
    n = summary.n - summary.perfect if is_partial else summary.n
    return ColumnValue(
        summary.mean, summary.low, summary.high, n, summary.missing, reason=summary.reason, note=note
    )
