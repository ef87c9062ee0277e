"""Ranking of models by the preserved share at a round, and its uncertainty."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from convergebench.analysis.round_trip.area_under_curve import area_under_curve
from convergebench.analysis.round_trip.convergence_score import ConvergenceScore, scores
from convergebench.analysis.round_trip.drift_profile import has_drifts, numbers_of, profile_of
from convergebench.analysis.round_trip.half_life import THRESHOLD, HalfLife, half_life
from convergebench.analysis.round_trip.metric_summary import MetricSummary, summarise_round
from convergebench.analysis.round_trip.missing_values import (
    MissingValue,
    missing_values,
    planned_trajectories,
)
from convergebench.analysis.round_trip.paired_difference import Values, finite, readings
from convergebench.analysis.round_trip.preserved_scale import has_scale, shortfall
from convergebench.analysis.round_trip.reported_rounds import reported_rounds
from convergebench.analysis.round_trip.results import Edits, Results, Role
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.analysis.round_trip.share_matrix import share_matrices
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.significance_letters import significance_letters
from convergebench.errors import WrongUse
from convergebench.types import FailureKind, MetricFacts, SuiteId

if TYPE_CHECKING:
    from convergebench.analysis.headline.headline import Headline

CALIBRATION: frozenset[Role] = frozenset({"floor"})
"""Roles without a rank: their rows calibrate the metrics and are listed below the ranked ones."""


@dataclass(frozen=True)
class RankingRow:
    """One model at the round; `n` and `missing` are those of the ranking metric."""

    rank: int | None
    """None for calibration rows, and for models without a value for the ranking."""
    model: str
    role: Role
    n: int
    missing: int
    metrics: Mapping[str, MetricSummary]
    mean_seconds: float | None
    cost_usd: float | None
    failures: Mapping[FailureKind, int]
    half_life: HalfLife | None = None
    """In rounds, by the ranking metric."""
    auc: Interval | None = None
    """The area under the curve of the ranking metric, 1 to 0."""
    convergence: ConvergenceScore | None = None
    imported: bool = False
    """Whether any of its returns at this round was made or measured elsewhere."""
    pastes_back: bool = False
    """Whether what it keeps outside its edits is kept by construction."""
    group: str = ""
    """Significance letters: the difference between ranked models that share one is not significant."""
    sentence: str | None = None
    """The direction in which its pictures drift, if measured."""
    is_calibration: bool = False
    """Whether it has no rank and is listed below the models, as a scale for them."""


@dataclass(frozen=True)
class Ranking:
    """Models best first, then models without a value, then calibration rows."""

    suite: SuiteId
    round: int
    rounds: int
    """The number of rounds in the results."""
    metric: MetricFacts
    metrics: tuple[MetricFacts, ...]
    rows: tuple[RankingRow, ...]
    shared_cases: int
    """Cases for which every ranked model has a value."""
    unequal_cases: bool
    """Whether the ranked models' means are over different sets of cases."""
    missing_values: tuple[MissingValue, ...]
    """What is missing at this round."""
    ranked_by: str
    """The name of the metric, or of the column whose values gave the order."""
    results: Results = field(repr=False, compare=False)
    """The ranked results, from which further columns are computed."""
    edits: Edits = "reversible"
    """Whether the ranked edits can be undone for certain, or only in part."""
    headline: Headline | None = field(default=None, repr=False, compare=False)
    """The headline, if it determined the order."""

    @property
    def is_gated(self) -> bool:
        """Whether forward edits were tested; then the gated score is the one to show."""
        return any(row.convergence is not None and row.convergence.gated is not None for row in self.rows)


def ranking(
    results: Results, metric: str = "ssim", round: int | None = None, threshold: float = THRESHOLD
) -> Ranking:
    """Rank by a metric's mean at a round, by default the last; calibration rows come last, without a rank.

    A half-life ends when less than the threshold share of the picture is left.
    """
    facts = results.facts(metric)
    number = results.round_or_last(round)
    _require_measured(results, facts, number)
    by_round = results.returns_by_round()
    nothing = ReturnTable.of(())
    returns = {model: by_round.get((model, number), nothing) for model in results.roles()}
    values = {model: finite(readings(found, facts)) for model, found in returns.items()}
    rows = _rows(results, returns, facts, number)
    ordered = _ordered(rows, {row.model: _loss(row, values[row.model], facts) for row in rows})
    ranked = {row.model: values[row.model] for row in ordered if row.rank is not None}
    rows_with_statistics = _with_convergence(
        results, ordered, facts, significance_letters(ranked, facts), threshold
    )
    case_sets = [frozenset(found) for found in ranked.values()]
    shared = frozenset[tuple[str, int]].intersection(*case_sets) if case_sets else frozenset()
    return Ranking(
        suite=results.suite,
        round=number,
        rounds=results.rounds,
        metric=facts,
        metrics=results.metrics,
        rows=rows_with_statistics,
        shared_cases=len({case for case, _ in shared}),
        unequal_cases=len(set(case_sets)) > 1,
        missing_values=missing_values(results, number),
        ranked_by=facts.name,
        results=results,
        edits=results.edits,
    )


def reordered(ranking: Ranking, ranked_by: str, losses: Mapping[str, float]) -> Ranking:
    """The same rows ranked by other numbers, the lowest first; a model without one has no rank."""
    return replace(ranking, rows=_ordered(ranking.rows, losses), ranked_by=ranked_by)


def rankings(
    results: Results, metric: str = "ssim", round: int | None = None, threshold: float = THRESHOLD
) -> tuple[tuple[Results, Ranking], ...]:
    """The main ranking, followed by that of the partially reversible edits, if they have the metric and reach
    the round; each with the results that it ranks."""
    ranked = [(results, ranking(results, metric, round, threshold))]
    if results.partial is not None:
        with suppress(WrongUse):
            ranked.append((results.partial, ranking(results.partial, metric, round, threshold)))
    return tuple(ranked)


def _with_convergence(
    results: Results,
    rows: Sequence[RankingRow],
    facts: MetricFacts,
    letters: Mapping[str, str],
    threshold: float,
) -> tuple[RankingRow, ...]:
    """The same rows with half-life, area, score and letters, if available."""
    matrices = share_matrices(results, facts.name) if has_scale(facts) else {}
    model_scores = scores(results)
    return tuple(
        replace(
            row,
            half_life=half_life(matrices[row.model], threshold) if row.model in matrices else None,
            auc=area_under_curve(matrices[row.model]) if row.model in matrices else None,
            convergence=model_scores.get(row.model),
            group=letters.get(row.model, ""),
        )
        for row in rows
    )


def _require_measured(results: Results, facts: MetricFacts, round: int) -> None:
    without = [model for model in results.roles() if not results.is_measured_at(facts, model, round)]
    if without:
        rounds = ", ".join(map(str, reported_rounds(results.rounds)))
        raise WrongUse(
            f"{facts.name} was not measured at round {round} of {', '.join(without)}; choose {rounds}, "
            f"or run convergebench measure -w FOLDER --metric {facts.name} for every round"
        )


def _rows(
    results: Results, returns: Mapping[str, ReturnTable], ranked_by: MetricFacts, number: int
) -> list[RankingRow]:
    expected = planned_trajectories(results)
    uses = {use.model: use for use in results.uses}
    failures = Counter((trouble.model, trouble.kind_of_failure) for trouble in results.troubles)
    rows = []
    for model, role in results.roles().items():
        summaries = {
            facts.name: summarise_round(results, model, number, facts, expected[model])
            for facts in results.metrics
        }
        row = RankingRow(
            rank=None,
            model=model,
            role=role,
            n=summaries[ranked_by.name].n,
            missing=summaries[ranked_by.name].missing,
            metrics=summaries,
            mean_seconds=uses[model].mean_seconds if model in uses else None,
            cost_usd=uses[model].cost_usd if model in uses else None,
            imported=bool(returns[model].is_imported.any()),
            pastes_back=model in uses and uses[model].pastes_back,
            sentence=_sentence(returns[model]),
            failures={kind: count for (name, kind), count in failures.items() if name == model},
            is_calibration=role in CALIBRATION,
        )
        rows.append(row)
    return rows


def _sentence(returns: ReturnTable) -> str | None:
    if not has_drifts(returns):
        return None
    profile = profile_of(int(returns.round[0]), [numbers_of(values) for values in returns.values])
    return profile.sentence if profile.drifts else None


def _loss(row: RankingRow, values: Values, facts: MetricFacts) -> float | None:
    """The model's distance from perfect; None without a value.

    A metric that may lie on either side of perfect is averaged by distance: its mean may be perfect though
    no value is.
    """
    mean = row.metrics[facts.name].mean
    if mean is None:
        return None
    if facts.better == "nearest":
        distances = [shortfall(value, facts) for _, value in values.values()]
        return math.fsum(distances) / len(distances)
    return shortfall(mean, facts)


def _ordered(rows: Sequence[RankingRow], losses: Mapping[str, float | None]) -> tuple[RankingRow, ...]:
    """The lowest loss first; equal losses share a rank."""

    def place(row: RankingRow) -> tuple[bool, bool, float]:
        loss = losses.get(row.model)
        return row.is_calibration, loss is None, 0.0 if loss is None else loss

    ordered = sorted(rows, key=place)
    places = [place(row) for row in ordered]
    return tuple(
        replace(row, rank=None if any(at[:2]) else 1 + places.index(at))
        for row, at in zip(ordered, places, strict=True)
    )
