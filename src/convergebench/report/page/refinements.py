"""Refinements: source, primary and refined pictures, the reasoner's replies, and the change of the
verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convergebench.analysis.judged.benchmark_scores import VerdictRow
from convergebench.analysis.refinement.refined_case import RefinedCase, RefinementStage
from convergebench.analysis.refinement.transitions import refinement_table, transition
from convergebench.benchmarks.registry import refinement_figures
from convergebench.benchmarks.wording import wording_name
from convergebench.errors import ConvergeBenchError
from convergebench.report.page.filmstrips import picture_of
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.step_index import IndexedStep
from convergebench.report.page.verdicts import Judgement
from convergebench.report.tables.refinement import json_transitions
from convergebench.store import Workspace
from convergebench.types import Digest

Judged = Mapping[Digest, Sequence[tuple[int, Judgement]]]
"""The judgements on a result with their numbers, by its digest."""
JudgeInWords = tuple[str, str]
"""A judge's fingerprint and the wording it was asked in; verdicts of different ones are never averaged."""


def by_result(judgements: Sequence[Judgement]) -> Judged:
    found: defaultdict[Digest, list[tuple[int, Judgement]]] = defaultdict(list)
    for number, one in enumerate(judgements):
        for role, digest in one.record.pictures:
            if role == "result" and one.rubric.grades:
                found[digest].append((number, one))
    return found


def refine_section(cases: Sequence[RefinedCase], judged: Judged) -> dict[str, Any]:
    """A row for every case, and for every pipeline and judge the effect of refinement on the verdicts."""
    lines = [
        {
            "suite": case.suite,
            "case": case.case,
            "category": case.category,
            "model": case.model,
            "pipeline": case.pipeline,
            "seed": case.seed,
            "asked": case.instruction,
            "source": case.sources[0] if case.sources else None,
            "primary": case.primary.picture,
            "refined": _end(case).picture,
            "missing": case.primary.missing or _end(case).missing,
            "content": case.content_after,
            "ways": list(_ways(case, judged)),
        }
        for case in cases
    ]
    return {"cases": lines, "tables": list(_tables(cases, judged))}


def _end(case: RefinedCase) -> RefinementStage:
    return case.after(len(case.rounds)) if case.rounds else RefinementStage(None, "not looked at yet")


def _verdicts(case: RefinedCase, picture: Digest | None, judged: Judged) -> list[tuple[int, Judgement]]:
    """The judgements on this picture as a result of this case."""
    return [
        (number, one)
        for number, one in judged.get(picture or "", ())
        if one.sources in ((), case.sources) and one.instruction in (None, case.instruction)
    ]


def _rows(case: RefinedCase, stage: RefinementStage, by: JudgeInWords, judged: Judged) -> list[VerdictRow]:
    def row(rubric: str, value: float | None, missing: str | None, repeat: int = 0) -> VerdictRow:
        return VerdictRow(
            case.model, case.case, case.category, case.language, case.picture, rubric, value, missing,
            case.seed, repeat,
        )  # fmt: skip

    found = [
        row(
            one.rubric.id,
            one.value,
            None if one.value is not None else f"verdict {one.outcome}",
            one.record.repeat,
        )
        for _, one in _verdicts(case, stage.picture, judged)
        if (one.judge, one.rubric.wording) == by
    ]
    verdict = refinement_figures(case.suite).verdict_rubric(case.category)
    return found or [row(verdict, None, stage.missing or "not judged yet")]


def _judges(cases: Sequence[RefinedCase], judged: Judged) -> list[JudgeInWords]:
    pictures = [stage.picture for case in cases for stage in (case.primary, _end(case))]
    found = (one for picture in pictures for _, one in judged.get(picture or "", ()))
    return sorted({(one.judge, one.rubric.wording) for one in found})


def _ways(case: RefinedCase, judged: Judged) -> Iterator[tuple[str, str]]:
    """By judge, the transition of the category's verdict from the primary to the refined picture."""
    for judge in _judges([case], judged):
        stages = (case.primary, _end(case))
        figures = refinement_figures(case.suite)
        before, after = (figures.passed(_rows(case, stage, judge, judged)) for stage in stages)
        for sample, value in before.items():
            then = after.get(sample)
            if isinstance(value, float) and isinstance(then, float):
                yield judge[0], transition(value, then)


def _tables(cases: Sequence[RefinedCase], judged: Judged) -> Iterator[dict[str, Any]]:
    for suite, pipeline in dict.fromkeys((case.suite, case.pipeline) for case in cases):
        own = [case for case in cases if (case.suite, case.pipeline) == (suite, pipeline)]
        for judge in _judges(own, judged):
            primary = [row for case in own for row in _rows(case, case.primary, judge, judged)]
            refined = [row for case in own for row in _rows(case, _end(case), judge, judged)]
            rows = json_transitions(refinement_table(primary, refined, refinement_figures(suite)))["rows"]
            yield {
                "suite": suite,
                "pipeline": pipeline,
                "judge": judge[0],
                "wording": wording_name(judge[1]),
                "rows": [_paired(row) for row in rows],
            }


def _paired(row: Mapping[str, Any]) -> dict[str, Any]:
    """Reasons as pairs, since keys in the page's data must not be untrusted text."""
    return {**row, "reasons": list(row["reasons"].items())}


def refined_section(
    workspace: Workspace, case: RefinedCase, steps: Mapping[Digest, Sequence[IndexedStep]], judged: Judged
) -> dict[str, Any]:
    """All data of one case."""

    def stage(one: RefinementStage) -> dict[str, Any]:
        numbers = [number for number, _ in _verdicts(case, one.picture, judged)]
        return {"picture": _picture(steps, one.picture), "missing": one.missing, "verdicts": numbers}

    return {
        "hints": [(name, str(text)) for name, text in case.hints.items() if text],
        "sources": [_source(workspace, digest) for digest in case.sources],
        "primary": stage(case.primary),
        "rounds": [
            {
                "number": one.number,
                "reasoning": one.advice.reasoning if one.advice else None,
                "instructions": list(one.advice.instructions) if one.advice else [],
                **stage(one.stage),
            }
            for one in case.rounds
        ],
    }


def pictures_of_refined(section: Mapping[str, Any]) -> Iterator[PagePicture]:
    sources = [source for source in section["sources"] if source]
    for source in sources:
        yield PagePicture(source["digest"], source["file"], source["digest"])
    for stage in (section["primary"], *section["rounds"]):
        if stage["picture"]:
            compared = sources[0]["digest"] if sources else None
            yield PagePicture(stage["picture"]["digest"], stage["picture"]["file"], compared)


def _picture(steps: Mapping[Digest, Sequence[IndexedStep]], digest: Digest | None) -> dict[str, Any] | None:
    if digest is None:
        return None
    facts = steps[digest][0].record.facts
    return picture_of(facts) if facts else None


def _source(workspace: Workspace, digest: Digest) -> dict[str, Any] | None:
    try:
        return picture_of(workspace.pictures.load(digest).facts)
    except ConvergeBenchError:
        return None
