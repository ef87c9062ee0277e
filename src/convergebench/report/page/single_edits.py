"""Single edits: the instruction, each model's result, and the verdicts on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convergebench.errors import ConvergeBenchError
from convergebench.report.page.filmstrips import picture_of
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.step_index import ONE_SHOT, IndexedStep, StepPlace
from convergebench.report.page.verdicts import Judgement
from convergebench.results.steps import StepRecord
from convergebench.store import Workspace
from convergebench.types import Digest

Verdicts = Mapping[StepPlace, Sequence[int]]
"""Numbers of the verdicts on the picture at a position."""


def verdict_numbers(judgements: Sequence[Judgement]) -> Verdicts:
    found: defaultdict[StepPlace, list[int]] = defaultdict(list)
    for number, one in enumerate(judgements):
        for place in one.places:
            found[place].append(number)
    return found


def single_edits(steps: Sequence[IndexedStep]) -> list[list[IndexedStep]]:
    """The single edits of each case, by suite and case."""
    cases: defaultdict[tuple[str, str], list[IndexedStep]] = defaultdict(list)
    for step in steps:
        if step.place.protocol == ONE_SHOT:
            cases[step.place.suite, step.place.case].append(step)
    return [cases[key] for key in sorted(cases)]


def edits_section(
    cases: Sequence[Sequence[IndexedStep]], judgements: Sequence[Judgement], verdicts: Verdicts
) -> list[dict[str, Any]]:
    """A row for every case, with every model's result and its mean score by judge and rubric."""
    return [
        {
            "suite": edits[0].place.suite,
            "case": edits[0].place.case,
            "category": edits[0].place.category,
            "kind": edits[0].case.kind,
            "language": edits[0].place.language,
            "asked": edits[0].case.forward,
            "source": edits[0].record.inputs[0],
            "edits": [
                _listed(step, [judgements[one] for one in verdicts.get(step.place, ())]) for step in edits
            ],
        }
        for edits in cases
    ]


def _listed(step: IndexedStep, judged: Sequence[Judgement]) -> dict[str, Any]:
    values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in judged:
        if one.rubric.grades:
            values[one.judge, one.rubric.fingerprint] += [one.value] if one.value is not None else []
    return {
        "model": step.place.model,
        "seed": step.place.seed,
        "digest": step.record.picture,
        "failure": step.record.failure,
        "scores": [
            (judge, rubric, sum(found) / len(found) if found else None)
            for (judge, rubric), found in values.items()
        ],
    }


def edit_section(workspace: Workspace, edits: Sequence[IndexedStep], verdicts: Verdicts) -> dict[str, Any]:
    """All data of one case."""
    first = edits[0]
    return {
        "hints": [(name, str(text)) for name, text in first.case.hints.items() if text],
        "sources": [_source(workspace, digest) for digest in first.record.inputs],
        "edits": [
            {
                "model": step.place.model,
                "seed": step.place.seed,
                **_made(step.record),
                "verdicts": list(verdicts.get(step.place, ())),
            }
            for step in edits
        ],
    }


def _made(step: StepRecord) -> dict[str, Any]:
    """A step's picture, or the reason why it is missing, and its cost and time."""
    return {
        "picture": picture_of(step.facts) if step.facts else None,
        "failure": None if step.facts else {"kind": step.failure, "reason": step.reason},
        "instruction": step.instruction,
        "seconds": step.seconds,
        "cost_usd": step.cost_usd,
        "attempts": step.attempts,
    }


def pictures_of_edit(section: Mapping[str, Any]) -> Iterator[PagePicture]:
    """Sources and results; a map compares each result with the first source."""
    sources = [source for source in section["sources"] if source]
    for source in sources:
        yield PagePicture(source["digest"], source["file"])
    compared = sources[0]["digest"] if section["sources"] and section["sources"][0] else None
    for edit in section["edits"]:
        if edit["picture"]:
            yield PagePicture(edit["picture"]["digest"], edit["picture"]["file"], compared)


def _source(workspace: Workspace, digest: Digest) -> dict[str, Any] | None:
    """None if it is not in the workspace."""
    try:
        return picture_of(workspace.pictures.load(digest).facts)
    except ConvergeBenchError:
        return None
