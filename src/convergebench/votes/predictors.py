"""What metrics, judges and the headline score say about the pairs that people voted on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from convergebench.analysis.headline.chain_rounds import RoundQuality
from convergebench.analysis.headline.headline_chains import headline_chains
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.analysis.votes.metric_agreement import PredictedVote
from convergebench.analysis.votes.opinion_agreement import goodness
from convergebench.analysis.votes.visibility import VisibilityTrial
from convergebench.analysis.votes.vote import PairVote, Vote
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.results import Records
from convergebench.types import Digest
from convergebench.votes.question_pool import PairQuestion, QuestionPool
from convergebench.votes.vote_store import HUMAN

HEADLINE = "headline score"
_Key = TypeVar("_Key")
ReturnPlace: TypeAlias = tuple[str, str, int, int]
"""Model, case, seed and round."""
_Scores: TypeAlias = Mapping[ReturnPlace, Mapping[str, float]]
_Graded: TypeAlias = Mapping[tuple[str, Digest, Digest], Mapping[str, float]]
"""By subject (edit or return), source and result: each judge's mean grade."""
_Compared: TypeAlias = Mapping[tuple[str, Digest, Digest, Digest], Mapping[str, float]]
"""By subject, source, first and second picture: each judge's mean value of the first."""


def predicted_votes(
    records: Records, results: Results, pool: QuestionPool, votes: Iterable[Vote]
) -> list[PredictedVote]:
    """Every vote on two models, with what each predictor says about the pair."""
    scores = {"return": _return_scores(results), "edit": _edit_scores(results)}
    graded, compared = _judged(records)
    return [
        PredictedVote(said, _margins(said, question, scores[said.kind], graded, compared))
        for said, question in pool.answered_pairs(votes)
    ]


def visibility_trials(results: Results, pool: QuestionPool, votes: Iterable[Vote]) -> list[VisibilityTrial]:
    """Answers on returns of which the headline's measures are known. An answer counts once, though several
    models or rounds may have that picture."""
    measured = round_qualities(results)
    found = []
    for vote in votes:
        for said in pool.visibility_votes([vote]):
            one = measured.get((said.model, said.case, said.seed, said.round))
            if one is not None and one.undid is not None and (one.kept is not None or one.is_global):
                found.append(VisibilityTrial(said.seen, one.undid, one.kept, said.picture, said.rater))
                break
    return found


def round_qualities(results: Results) -> dict[ReturnPlace, RoundQuality]:
    """The headline's measures of every return, including partially reversible edits."""
    found: dict[ReturnPlace, RoundQuality] = {}
    for part in _parts(results):
        if not any("undid" in item.values for item in part.returns):
            continue
        for chain in headline_chains(part):
            for number, one in enumerate(chain.rounds, 1):
                found[chain.model, chain.case, chain.seed, number] = one
    return found


def _parts(results: Results) -> Sequence[Results]:
    return [results] if results.partial is None else [results, results.partial]


def _place(item: Return) -> ReturnPlace:
    return item.model, item.case, item.seed, item.round


def _return_scores(results: Results) -> _Scores:
    """Higher is better, whatever the metric."""
    found: dict[ReturnPlace, dict[str, float]] = {}
    for part in _parts(results):
        facts = {one.name: one for one in part.metrics}
        for item in part.returns:
            found[_place(item)] = {
                name: goodness(one.value, facts[name])
                for name, one in item.values.items()
                if one.value is not None and name in facts
            }
    for place, quality in round_qualities(results).items():
        if quality.quality is not None and place in found:
            found[place][HEADLINE] = quality.quality
    return found


def _edit_scores(results: Results) -> _Scores:
    """First edits against their input. CLIP's direction says whether the edit was done; what compares two
    pictures says how much was left alone, and is as good as people find that."""
    found: dict[ReturnPlace, dict[str, float]] = {}
    for part in _parts(results):
        facts = {one.name: one for one in part.metrics}
        for item in part.returns:
            for name, one in (item.forwards[0] if item.forwards else {}).items():
                if one.value is None:
                    continue
                if name == CLIP_DIRECTION:
                    found.setdefault(_place(item), {})[name] = one.value
                elif name in facts:
                    found.setdefault(_place(item), {})[name] = goodness(one.value, facts[name])
    return found


def _judged(records: Records) -> tuple[_Graded, _Compared]:
    """Verdicts of judges that are not people. Repeats are averaged; versions and wordings of a rubric are
    not."""
    labels = {
        judge: label for judge, label in records.judge_labels.items() if not label.startswith(f"{HUMAN}:")
    }
    grades: defaultdict[tuple[str, Digest, Digest], defaultdict[str, list[float]]]
    grades = defaultdict(lambda: defaultdict(list))
    firsts: defaultdict[tuple[str, Digest, Digest, Digest], defaultdict[str, list[float]]]
    firsts = defaultdict(lambda: defaultdict(list))
    for one in records.judgements:
        rubric = records.rubrics[one.rubric]
        if one.judge not in labels or one.value is None:
            continue
        shown, name = dict(one.pictures), f"{labels[one.judge]} {rubric.name}"
        source = shown.get("source", "")
        if rubric.grades and "result" in shown:
            grades[rubric.of, source, shown["result"]][name].append(one.value)
        elif rubric.compares and "first" in shown:  # imported ones may have names of models only
            of = rubric.of.removesuffix("_pair")
            firsts[of, source, shown["first"], shown["second"]][name].append(one.value)
            firsts[of, source, shown["second"], shown["first"]][name].append(1 - one.value)
    return _means(grades), _means(firsts)


def _means(found: Mapping[_Key, Mapping[str, Sequence[float]]]) -> dict[_Key, dict[str, float]]:
    return {
        key: {name: math.fsum(values) / len(values) for name, values in by_name.items()}
        for key, by_name in found.items()
    }


def _margins(
    said: PairVote, question: PairQuestion, scores: _Scores, graded: _Graded, compared: _Compared
) -> dict[str, float]:
    pictures = question.pictures if said.first == question.models[0] else question.pictures[::-1]
    first, second = (
        {
            **scores.get((model, said.case, said.seed, said.round), {}),
            # A rubric on the result alone does not show the source.
            **graded.get((said.kind, "", picture), {}),
            **graded.get((said.kind, question.source, picture), {}),
        }
        for model, picture in zip((said.first, said.second), pictures, strict=True)
    )
    margins = {
        name: float((first[name] > second[name]) - (first[name] < second[name]))
        for name in first
        if name in second
    }
    preferred = compared.get((said.kind, question.source, *pictures), {})
    return {**margins, **{name: value - 0.5 for name, value in preferred.items()}}


def category_groups(votes: Sequence[PredictedVote]) -> Iterator[tuple[str, list[PredictedVote]]]:
    for category in sorted({one.vote.category for one in votes}):
        yield category, [one for one in votes if one.vote.category == category]


def round_groups(votes: Sequence[PredictedVote]) -> Iterator[tuple[int, list[PredictedVote]]]:
    for number in sorted({one.vote.round for one in votes}):
        yield number, [one for one in votes if one.vote.round == number]
