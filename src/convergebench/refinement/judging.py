"""Judging refined cases: the judge sees the original picture and the original instruction, and one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from convergebench.analysis.judged.benchmark_scores import VerdictRow
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.engine.judging.tasks import JudgingTask
from convergebench.judges import Rubric, Subject, Verdict, built_in, rubric
from convergebench.types import Digest

_TEXTS = ("hint", "description", "rationale")
_SHARED = {"sc": "reedit_sc", "if": "reedit_if", "pq": "reedit_pq"}


@dataclass(frozen=True)
class RefinedJudgement:
    """One thing to be judged: a case's picture after so many rounds, by one rubric."""

    case: RefinedCase
    round: int
    rubric: Rubric
    task: JudgingTask | None
    """None where there is no picture."""


def judgements(
    cases: Sequence[RefinedCase], rounds: Sequence[int], grades: Sequence[str]
) -> list[RefinedJudgement]:
    """All that is to be judged. A picture that stays as it is from round to round is one task, asked once."""
    return [
        RefinedJudgement(case, number, one, _task(case, number, one))
        for case in cases
        for number in rounds
        for one in rubrics_for(case.category, grades)
    ]


def rubrics_for(category: str, grades: Sequence[str]) -> Iterator[Rubric]:
    """A category without a verdict of its own has the other grades only."""
    own = f"reedit_{category}"
    if "category" in grades and own in built_in():
        yield rubric(own)
    for grade in grades:
        if grade in _SHARED:
            yield rubric(_SHARED[grade])


def verdict_rows(
    made: Sequence[RefinedJudgement], verdicts: Mapping[int, Verdict | None], round: int, unjudged: str
) -> list[VerdictRow]:
    """The verdicts on the pictures after one round; `verdicts` has them by their place among those made, and
    `unjudged` says why those without one have none."""
    return [_row(one, verdicts.get(place), unjudged) for place, one in enumerate(made) if one.round == round]


def _task(case: RefinedCase, number: int, by: Rubric) -> JudgingTask | None:
    picture = case.after(number).picture
    return None if picture is None else JudgingTask(by, _subject(case, picture))


def _subject(case: RefinedCase, result: Digest) -> Subject:
    texts = {"instruction": case.instruction, **{name: case.hints.get(name, "") for name in _TEXTS}}
    return Subject({"source": case.sources, "result": (result,)}, {k: v for k, v in texts.items() if v})


def _row(one: RefinedJudgement, verdict: Verdict | None, unjudged: str) -> VerdictRow:
    case = one.case
    value = verdict.value if verdict else None
    told = f"verdict {verdict.outcome.replace('_', ' ')}" if verdict else unjudged
    missing = None if value is not None else case.after(one.round).missing or told
    return VerdictRow(
        case.model, case.case, case.category, case.language, case.picture, one.rubric.id, value, missing,
        case.seed,
    )  # fmt: skip
