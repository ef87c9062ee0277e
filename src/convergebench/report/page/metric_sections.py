"""One metric: its ranking and curves, every value, and every pair of models on their common cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from convergebench.analysis import (
    Curve,
    PairedDifference,
    Results,
    degradation_curves,
    paired_difference,
    ranking,
    reading,
)
from convergebench.analysis.headline.chain_rounds import Chain
from convergebench.analysis.headline.model_differences import chain_differences
from convergebench.analysis.round_trip.paired_difference import NothingShared
from convergebench.report.figures.curve_panel import drawn_points
from convergebench.report.page.curves_of_parts import curves_of_parts
from convergebench.report.page.overview import case_numbers, model_numbers
from convergebench.report.page.ranking_table import ranking_table


def metric_section(results: Results, metric: str, number: Mapping[str, int]) -> dict[str, Any]:
    """The ranking at the last round, and curves over all cases and over each part.

    Partially reversible edits have a separate ranking. Models are referred to by number.
    """
    other = results.partial
    is_measured = other is not None and metric in {facts.name for facts in other.metrics}
    return {
        "ranking": _ranking(results, metric),
        "partial": _ranking(other, metric) if other and is_measured else None,
        "curves": curves_of_parts(results, number, partial(_drawn_curves, metric=metric)),
    }


def _ranking(results: Results, metric: str) -> Any:
    """Only headline metrics are summarised beside the ranking metric: all others would take long."""
    needed = tuple(facts for facts in results.metrics if facts in results.headline or facts.name == metric)
    return ranking_table(ranking(replace(results, metrics=needed), metric))


def _drawn_curves(part: Results, metric: str) -> list[Curve]:
    facts = part.facts(metric)
    return [
        replace(curve, points=tuple(drawn_points(curve, facts))) for curve in degradation_curves(part, metric)
    ]


def values_section(results: Results, metric: str) -> list[dict[str, Any]]:
    """Every trajectory's values by round; a missing one is null."""
    facts = results.facts(metric)
    model, case = model_numbers(results), case_numbers(results)
    rows: dict[tuple[int, int, int], list[float | None]] = {}
    for item in results.returns:
        row = rows.setdefault((model[item.model], case[item.case], item.seed), [None] * results.rounds)
        value = reading(item, facts)
        row[item.round - 1] = None if isinstance(value, str) else value
    return [{"model": m, "case": c, "seed": seed, "values": row} for (m, c, seed), row in rows.items()]


def pairs_section(results: Results, metric: str, round: int, models: Sequence[str]) -> list[dict[str, Any]]:
    """The first model against all others at a round; models that share no case with it are left out."""
    first, *others = models
    found = []
    for second in others:
        with suppress(NothingShared):
            found.append(_paired(paired_difference(results, first, second, metric, round)))
    return found


def seen_pairs_section(chains: Sequence[Chain], rounds: int, models: Sequence[str]) -> list[dict[str, Any]]:
    """The first model against all others by what a person sees; those without a shared score are left out."""
    first, *others = models
    every = [[_paired(one) for one in chain_differences(chains, rounds, first, second)] for second in others]
    return [
        {"first": first, "second": second, "quantities": found}
        for second, found in zip(others, every, strict=True)
        if found
    ]


def _paired(one: PairedDifference) -> dict[str, Any]:
    return {**asdict(one), "verdict": one.verdict, "smallest_p_value": one.smallest_p_value}
