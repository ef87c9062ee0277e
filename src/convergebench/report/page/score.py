"""The score over the rounds: of all cases, of each part of the suite, and of a single chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeAlias

from convergebench.analysis import Results
from convergebench.analysis.headline.chain_rounds import Chain
from convergebench.analysis.headline.headline import SCORE, Headline
from convergebench.analysis.headline.ranking_parts import score_curves
from convergebench.report.formatting import decimals, metric_title
from convergebench.report.page.curves_of_parts import curves_of_parts
from convergebench.report.page.overview import case_numbers, model_numbers

RoundScores: TypeAlias = Mapping[tuple[str, str, int], Sequence[float | None]]
"""By model, case and seed: the score of each round, None where it has none."""


def score_section(results: Results, found: Headline, number: Mapping[str, int]) -> dict[str, Any]:
    """As the curves of a metric, with what is known of it."""
    curves = curves_of_parts(results, number, partial(score_curves, found=found))
    return {"metric": score_facts(), "curves": curves}


def score_facts() -> dict[str, Any]:
    return {**asdict(SCORE), "title": metric_title(SCORE), "decimals": decimals(SCORE)}


def round_scores(results: Results, chains: Iterable[Chain]) -> RoundScores:
    """Of models: probes and floors do not edit."""
    roles, rounds = results.roles(), range(1, results.rounds + 1)
    found: dict[tuple[str, str, int], list[float | None]] = {}
    for chain in chains:
        qualities = [chain.quality_at(number) for number in rounds]
        if roles[chain.model] == "model" and any(one is not None for one in qualities):
            scores = [None if one is None else 100 * one for one in qualities]
            found[chain.model, chain.case, chain.seed] = scores
    return found


def score_values(results: Results, scores: RoundScores) -> list[dict[str, Any]]:
    """As the values of a metric."""
    model, case = model_numbers(results), case_numbers(results)
    return [
        {"model": model[name], "case": case[of_case], "seed": seed, "values": values}
        for (name, of_case, seed), values in scores.items()
    ]
