"""Pairwise comparisons of models by judges, summarised as in `convergebench judge --pairwise`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any

from convergebench.analysis.judged.bradley_terry import MIRRORED, PairwiseVerdicts, Winner, pairwise_summaries
from convergebench.protocols import is_undoing
from convergebench.protocols.refine import NAMES as REFINING
from convergebench.report.page.step_index import IndexedStep
from convergebench.report.page.verdicts import Judgement, kind_of
from convergebench.results.judgements import RubricRecord
from convergebench.types import Digest

_WINNERS: Mapping[float, Winner] = {1.0: "first", 0.5: "tie", 0.0: "second"}


def contest_tables(
    judgements: Sequence[Judgement], steps: Sequence[IndexedStep], people: Collection[Digest] = ()
) -> list[dict[str, Any]]:
    """Wins, ties and strengths for every judge and comparing rubric.

    Two models that created the identical picture tie, without a question to the judge. Judges that are
    `people` are asked in one order, drawn by lot.
    """
    tables = []
    compared = [one for one in judgements if one.rubric.compares]
    of_parts = [(one.judge, place.part) for one in compared for place in one.places]
    for judge, part in dict.fromkeys(of_parts):
        mine = [_in_part(one, part) for one in compared if one.judge == judge]
        asked = [_in_one_order(one) for one in _pairwise_verdicts(mine)] if judge in people else None
        for found in pairwise_summaries(
            [
                *(asked or _pairwise_verdicts(mine)),
                *_ties(mine, [step for step in steps if step.place.part == part]),
            ]
        ):
            wins = [(*models, *counts) for models, counts in found.wins.items()]
            strengths = {
                "models": [asdict(one) for one in found.strengths.models],
                "missing": found.strengths.missing,
            }
            counts = {"n": found.n, "missing": found.missing, "ties": found.ties,
                      "order_disagreements": found.order_disagreements}  # fmt: skip
            tables.append(
                {
                    "judge": judge,
                    "rubric": found.rubric,
                    "part": part,
                    **counts,
                    "wins": wins,
                    "strengths": strengths,
                }
            )
    return tables


def _in_part(one: Judgement, part: str) -> Judgement:
    """Only the positions whose edits are of this part of their suite."""
    pairs = [pair for pair in zip(one.places, one.others, strict=True) if pair[0].part == part]
    return replace(one, places=tuple(a for a, _ in pairs), others=tuple(b for _, b in pairs))


def _pairwise_verdicts(judgements: Sequence[Judgement]) -> list[PairwiseVerdicts]:
    """Both orders of each comparison together, by the models' names."""
    found: defaultdict[tuple[Any, ...], dict[str, Winner | None]] = defaultdict(dict)
    for one in judgements:
        winner = None if one.value is None else _WINNERS[one.value]
        for place, other in zip(one.places, one.others, strict=True):
            first, second = sorted((place.model, other.model))
            where = (place.protocol, place.case, place.seed, place.round, place.picture)
            order = "shown" if place.model == first else "swapped"
            found[one.rubric.name, first, second, where, one.record.repeat][order] = winner
    return [
        PairwiseVerdicts(rubric, first, second, orders.get("shown"), orders.get("swapped"), where[-1])
        for (rubric, first, second, where, _), orders in found.items()
    ]


def _in_one_order(one: PairwiseVerdicts) -> PairwiseVerdicts:
    """With the answer in one order for both, where a person was asked in one only."""
    if one.shown is None and one.swapped is not None:
        return replace(one, shown=MIRRORED[one.swapped])
    if one.swapped is None and one.shown is not None:
        return replace(one, swapped=MIRRORED[one.shown])
    return one


def _ties(judgements: Sequence[Judgement], steps: Sequence[IndexedStep]) -> Iterator[PairwiseVerdicts]:
    """Identical pictures by two of the models that one judge compared, in a suite and round where it did."""
    by_rubric: defaultdict[str, list[Judgement]] = defaultdict(list)
    for one in judgements:
        by_rubric[one.rubric.name].append(one)
    for name, judged in by_rubric.items():
        compared = [place for one in judged for place in (*one.places, *one.others)]
        models = {place.model for place in compared}
        where = {(place.suite, place.round) for place in compared}
        found = [
            step
            for step in steps
            if step.place.model in models and (step.place.suite, step.place.round) in where
        ]
        for group in _same(found, judged[0].rubric):
            clusters = {step.place.model: step.place.picture for step in group}
            for first, second in combinations(sorted(clusters), 2):
                for _ in {one.record.repeat for one in judged}:
                    yield PairwiseVerdicts(name, first, second, "tie", "tie", clusters[first])


def _same(steps: Sequence[IndexedStep], rubric: RubricRecord) -> list[list[IndexedStep]]:
    """Steps that created the same picture from the same start, if the rubric applies to them."""
    groups: defaultdict[tuple[Any, ...], list[IndexedStep]] = defaultdict(list)
    for step in steps:
        place, record = step.place, step.record
        if place.kind != kind_of(rubric) or record.picture is None:
            continue
        if place.protocol in REFINING or is_undoing(record.role):
            continue
        # Returns are compared with the source, which the case determines; later edits may start anywhere.
        start = () if place.kind == "return" else (record.inputs, record.instruction)
        groups[place.protocol, place.case, place.seed, place.round, start, record.picture].append(step)
    return list(groups.values())
