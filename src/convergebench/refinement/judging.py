"""Judging refined cases: the judge sees the original picture and the original instruction, and one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from convergebench.analysis.judged.benchmark_scores import VerdictRow
from convergebench.analysis.refinement.figures import RefinementFigures
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.engine.judging.tasks import JudgingTask
from convergebench.judges import Rubric, Subject, Verdict, rubric, rubric_names
from convergebench.types import Digest

_TEXTS = ("hint", "description", "rationale")


@dataclass(frozen=True)
class RefinedJudgement:
    """One judging task: a case's picture after a number of rounds, and a rubric."""

    case: RefinedCase
    round: int
    rubric: Rubric
    task: JudgingTask | None
    """None if there is no picture."""


def judgements(
    cases: Sequence[RefinedCase],
    rounds: Sequence[int],
    grades: Sequence[str],
    figures: RefinementFigures,
    rubrics: Mapping[str, Rubric],
) -> list[RefinedJudgement]:
    """All judging tasks, by our own rubric where `rubrics` has none of that id.

    A picture that a round does not change is one task, judged once."""
    return [
        RefinedJudgement(case, number, one, _task(case, number, one))
        for case in cases
        for number in rounds
        for name in rubrics_for(case.category, grades, figures)
        for one in (rubrics.get(name) or rubric(name),)
    ]


def rubrics_for(category: str, grades: Sequence[str], figures: RefinementFigures) -> Iterator[str]:
    """The ids of the rubrics. A category without its own verdict has only the other grades."""
    verdict = figures.verdict_rubric(category)
    if "category" in grades and verdict in rubric_names():
        yield verdict
    for grade in grades:
        if grade in figures.grades:
            yield figures.grades[grade].rubric


def verdict_rows(
    made: Sequence[RefinedJudgement], verdicts: Mapping[int, Verdict | None], round: int, unjudged: str
) -> list[VerdictRow]:
    """The verdicts on the pictures after one round. `verdicts` has them by position in `made`, and `unjudged`
    is the reason for a missing one."""
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
    reason = f"verdict {verdict.outcome.replace('_', ' ')}" if verdict else unjudged
    missing = None if value is not None else case.after(one.round).missing or reason
    return VerdictRow(
        case.model, case.case, case.category, case.language, case.picture, one.rubric.id, value, missing,
        case.seed,
    )  # fmt: skip
