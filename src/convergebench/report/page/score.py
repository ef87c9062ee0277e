"""The score over the rounds: of all cases, of each part of the suite, and of a single chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from convergebench.analysis import Part, Results, of_part
from convergebench.analysis.headline.headline import SCORE, Headline
from convergebench.analysis.headline.ranking_parts import score_by_round
from convergebench.report.formatting import decimals, metric_title
from convergebench.report.page.overview import case_numbers, model_numbers

RoundScores: TypeAlias = Mapping[tuple[str, str, int], Sequence[float | None]]
"""By model, case and seed: the score of each round, None where it has none."""
PARTS: tuple[Part, ...] = ("category", "kind")
"""Whose curves can be chosen."""


def score_curves(results: Results, found: Headline, number: Mapping[str, int]) -> dict[str, Any]:
    """As the curves of a metric, with what is known of it. Models are referred to by number; probes and
    floors, which do not edit, are left out."""
    return {"metric": score_facts(), "curves": list(_curves(results, found, number))}


def score_facts() -> dict[str, Any]:
    return {**asdict(SCORE), "title": metric_title(SCORE), "decimals": decimals(SCORE)}


def score_values(results: Results, scores: RoundScores) -> list[dict[str, Any]]:
    """The score of every round of every chain of a model, as the values of a metric."""
    model, case = model_numbers(results), case_numbers(results)
    return [
        {"model": model[name], "case": case[of_case], "seed": seed, "values": values}
        for (name, of_case, seed), values in scores.items()
    ]


def _curves(results: Results, found: Headline, number: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    yield {"by": "", "part": "", "models": _points(results, found, number)}
    for by in PARTS:
        for name, part in of_part(results, by).items():
            yield {"by": by, "part": name, "models": _points(part, found, number)}


def _points(part: Results, found: Headline, number: Mapping[str, int]) -> Sequence[dict[str, Any]]:
    points = score_by_round(part, found, range(1, part.rounds + 1)).points
    return [
        {"model": number[row.model], "points": [vars(point) for point in points[row.model]]}
        for row in found.rows
        if row.model in points
    ]
