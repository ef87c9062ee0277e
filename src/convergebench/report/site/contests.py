"""Which of two models judges found better, summed up as `convergebench judge --pairwise` does it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from convergebench.analysis.pairwise import Asked, Winner, contests
from convergebench.report.site.verdicts import Judgement

_WINNERS: Mapping[float, Winner] = {1.0: "first", 0.5: "tie", 0.0: "second"}


def contest_tables(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """For every judge and rubric that compares: wins, ties and strengths.

    Two models that made the very same picture are not here, since nobody was asked about them.
    """
    tables = []
    compared = [one for one in judgements if one.rubric.compares]
    for judge in dict.fromkeys(one.judge for one in compared):
        for found in contests(_asked([one for one in compared if one.judge == judge])):
            wins = [(*models, *counts) for models, counts in found.wins.items()]
            strengths = {
                "models": [asdict(one) for one in found.strengths.models],
                "missing": found.strengths.missing,
            }
            counts = {"n": found.n, "missing": found.missing, "ties": found.ties,
                      "order_disagreements": found.order_disagreements}  # fmt: skip
            tables.append(
                {"judge": judge, "rubric": found.rubric, **counts, "wins": wins, "strengths": strengths}
            )
    return tables


def _asked(judgements: Sequence[Judgement]) -> list[Asked]:
    """Both orders of each comparison together, by the models' names."""
    found: defaultdict[tuple[Any, ...], dict[str, Winner | None]] = defaultdict(dict)
    for one in judgements:
        winner = None if one.value is None else _WINNERS[one.value]
        for place, other in zip(one.places, one.others, strict=True):
            first, second = sorted((place.model, other.model))
            where = (place.protocol, place.case, place.seed, place.round, place.picture)
            order = "shown" if place.model == first else "swapped"
            found[one.rubric.name, first, second, where, one.row["repeat"]][order] = winner
    return [
        Asked(rubric, first, second, orders.get("shown"), orders.get("swapped"), where[-1])
        for (rubric, first, second, where, _), orders in found.items()
    ]
