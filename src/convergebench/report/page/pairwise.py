"""Pairwise comparisons of models by judges, summarised as in `convergebench judge --pairwise`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any

from convergebench.analysis.judged.bradley_terry import MIRRORED, WINNER_BY_SHARE, Winner
from convergebench.analysis.judged.pairwise_summary import PairwiseVerdicts, pairwise_summaries
from convergebench.benchmarks.wording import wording_name
from convergebench.protocols import is_undoing
from convergebench.protocols.refine import NAMES as REFINING
from convergebench.report.page.step_index import IndexedStep
from convergebench.report.page.verdicts import Judgement, kind_of
from convergebench.results.judgements import RubricRecord
from convergebench.types import Digest


def contest_tables(
    judgements: Sequence[Judgement], steps: Sequence[IndexedStep], people: Collection[Digest] = ()
) -> list[dict[str, Any]]:
    """Wins, ties and strengths for every judge, comparing rubric, suite and language.

    Two models that created the identical picture tie, without a question to the judge. Judges that are
    `people` are asked in one order, drawn by lot.
    """
    tables = []
    compared = [one for one in judgements if one.rubric.compares]
    wordings = {one.rubric.name: wording_name(one.rubric.wording) for one in compared}
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
            under = ", ".join(filter(None, (part, wordings[found.rubric], found.language)))
            models = [
                {"model": model, "won": one.won, "tied": one.tied, "lost": one.lost, "share": one.share}
                for model, one in found.models.items()
            ]
            counts = {"n": found.n, "missing": found.missing, "ties": found.ties,
                      "order_disagreements": found.order_disagreements}  # fmt: skip
            tables.append(
                {
                    "judge": judge,
                    "rubric": found.rubric,
                    "suite": found.suite,
                    "under": under,
                    **counts,
                    "models": models,
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
        winner = None if one.value is None else WINNER_BY_SHARE[one.value]
        for place, other in zip(one.places, one.others, strict=True):
            first, second = sorted((place.model, other.model))
            where = (place.suite, place.language, place.protocol, place.case, place.seed, place.round,
                     place.picture)  # fmt: skip
            order = "shown" if place.model == first else "swapped"
            found[one.rubric.name, first, second, where, one.record.repeat][order] = winner
    return [
        PairwiseVerdicts(
            rubric,
            first,
            second,
            orders.get("shown"),
            orders.get("swapped"),
            cluster=where[-1],
            suite=where[0],
            language=where[1],
            case=where[3],
        )
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
            places = {step.place.model: step.place for step in group}
            for first, second in combinations(sorted(places), 2):
                at = places[first]
                for _ in {one.record.repeat for one in judged}:
                    yield PairwiseVerdicts(
                        name, first, second, "tie", "tie", cluster=at.picture, suite=at.suite,
                        language=at.language, case=at.case,
                    )  # fmt: skip


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
        groups[
            place.suite, place.protocol, place.case, place.seed, place.round, start, record.picture
        ].append(step)
    return list(groups.values())
