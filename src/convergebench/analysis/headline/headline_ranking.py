"""Models ranked by visible quality, or by a metric if that was not measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from convergebench.analysis.headline.chain_rounds import Thresholds
from convergebench.analysis.headline.headline import DEFAULT_THRESHOLDS, HEADLINE_SCORE, headline
from convergebench.analysis.round_trip.half_life import THRESHOLD
from convergebench.analysis.round_trip.ranking import Ranking, ranking, rankings, reordered
from convergebench.analysis.round_trip.results import Results
from convergebench.metrics.regions.measures import NO_EDIT
from convergebench.protocols import stay

UNDID = "undid"
"""Without this metric there is no score."""


def headline_ranking(
    results: Results, threshold: float = THRESHOLD, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Ranking:
    """Ranks by the headline score if a model has one, otherwise by the chief metric at the last round, as
    where no change is asked for. Where `undid` could not be measured, only models that edited nothing have
    a score: it would put them first.

    Probes and floors are calibration: they do not edit, so they have no rank.
    """
    ranked = ranking(results, results.chief, None, threshold)
    if not results.has(UNDID) or results.protocol == stay(1).name:
        return ranked
    found = headline(results, thresholds)
    losses = {row.model: -row.score.mean for row in found.rows if row.score is not None}
    unscored = [row.model for row in found.rows if row.score is None]
    if not any(losses.values()) and why_unscored(ranked, unscored) and not _is_measured(ranked):
        return ranked
    if not losses:
        return ranked
    letters = {row.model: row.group for row in found.rows}
    rows = tuple(
        replace(row, group=letters.get(row.model, ""), is_calibration=row.role != "model")
        for row in ranked.rows
    )
    return replace(reordered(replace(ranked, rows=rows), HEADLINE_SCORE, losses), headline=found)


def why_unscored(ranked: Ranking, models: Collection[str]) -> str | None:
    """The most frequent reason for which `undid` was measured in vain on returns of these models."""
    reasons = Counter(
        gap.reason
        for gap in ranked.missing_values
        if gap.what == UNDID and gap.reason != NO_EDIT and gap.model in models
    )
    return reasons.most_common(1)[0][0] if reasons else None


def _is_measured(ranked: Ranking) -> bool:
    return any(row.metrics[UNDID].n for row in ranked.rows if UNDID in row.metrics)


def headline_rankings(
    results: Results,
    metric: str | None = None,
    round: int | None = None,
    threshold: float = THRESHOLD,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> tuple[tuple[Results, Ranking], ...]:
    """The main ranking, followed by that of the partially reversible edits; by a metric only if one is named.
    By what a person sees, a round counts with those before it."""
    if metric is not None:
        return rankings(results, metric, round, threshold)
    results = results.after(results.round_or_last(round))
    parts = [results] if results.partial is None else [results, results.partial]
    return tuple(
        (part, headline_ranking(part, threshold, thresholds))
        for part in parts
        if part is results or part.metrics
    )
