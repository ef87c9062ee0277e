"""The pictures in a workspace that can be judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from convergebench.engine.judging.reference_pictures import stored_references
from convergebench.engine.judging.tasks import JudgingTask
from convergebench.judges import Rubric, Subject
from convergebench.judges.asking import lacking
from convergebench.judges.message import CATEGORY
from convergebench.judges.rubric import Of
from convergebench.protocols import RETURN_ROLES, is_undoing
from convergebench.protocols.refine import NAMES as REFINING
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.results.round_trip_verdicts import forward_instructions, shown_instruction
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import CaseRecord, TrajectoryRecord
from convergebench.suites import pair_asking
from convergebench.types import Digest, SuiteId


@dataclass(frozen=True)
class CandidatePlace:
    """The position of a judged picture in the workspace."""

    suite: SuiteId
    model: str
    case: str
    picture: str
    """The source's id: verdicts on edits of one source are not independent of each other."""
    category: str
    language: str
    seed: int
    round: int
    part: str = ""
    """The group over which verdicts are averaged: the suite, or the part of it with partially reversible
    edits."""


@dataclass(frozen=True)
class JudgingCandidate:
    place: CandidatePlace
    task: JudgingTask


@dataclass(frozen=True)
class CandidatePicture:
    """A picture in the workspace and its origin, limited to what a judge may see."""

    place: CandidatePlace
    of: Of
    subject: Subject
    step: tuple[int, int]
    """Trajectory and position. A case that belongs to several suites has this picture in each of them."""


def judging_candidates(
    workspace: WorkspaceOrRecords,
    rubrics: Sequence[Rubric],
    *,
    suite: SuiteId | None = None,
    models: Collection[str] = (),
    rounds: Collection[int] = (),
    repeats: int = 1,
) -> list[JudgingCandidate]:
    """Every picture in the workspace that these rubrics can judge. Covers all suites, models and rounds
    unless some are named. Subjects that lack an input required by a rubric are left out."""
    return [
        JudgingCandidate(one.place, JudgingTask(rubric, one.subject, repeat))
        for one in candidate_pictures(workspace, suite=suite, models=models, rounds=rounds)
        for rubric in rubrics
        if rubric.of == one.of and rubric.category in ("", *one.place.category.split("+"))
        if lacking(rubric, one.subject) is None
        for repeat in range(repeats)
    ]


def candidate_pictures(
    workspace: WorkspaceOrRecords, *, suite: SuiteId | None, models: Collection[str], rounds: Collection[int]
) -> Iterator[CandidatePicture]:
    """The existing edits and returns, of all suites, models and rounds unless some are named."""
    records = Records.of(workspace)
    steps = [
        (step, one)
        for step in records.steps
        for one in records.newest.get(step.trajectory, ())
        if one.protocol not in REFINING
    ]
    first = {step.trajectory: step.inputs for step, _ in reversed(steps)}
    requested = _requested_edits(steps)
    for step, trajectory in steps:
        if step.picture is None or is_undoing(step.role):
            continue
        if not _is_chosen(trajectory, suite, models) or (rounds and step.round not in rounds):
            continue
        is_return = step.role in RETURN_ROLES
        sources = first[step.trajectory] if is_return else step.inputs
        instructions = requested[step.trajectory, step.round] if is_return else [step.instruction]
        of: Of = "return" if is_return else "edit"
        subject = _subject(trajectory.case, of, sources, step.picture, instructions)
        place = _place(trajectory, step.round)
        yield CandidatePicture(place, of, subject, (step.trajectory, step.position))


def _requested_edits(
    steps: Sequence[tuple[StepRecord, TrajectoryRecord]],
) -> Mapping[tuple[int, int], list[str]]:
    """The forward edits of each trajectory and round, in order, or the case's edit if nothing is undone."""
    requested = forward_instructions(
        ((step.trajectory, step.round), step.role, step.instruction) for step, _ in steps
    )
    otherwise = {one.id: one.case.forward for _, one in steps}
    return {place: edits or [otherwise[place[0]]] for place, edits in requested.items()}


def _is_chosen(trajectory: TrajectoryRecord, suite: SuiteId | None, models: Collection[str]) -> bool:
    case = trajectory.case
    is_of_suite = case.suite.is_named(suite) or suite == case.suite_part
    return is_of_suite and trajectory.editor.is_one_of(models)


def _subject(
    case: CaseRecord, of: Of, sources: Sequence[Digest], result: Digest, instructions: Sequence[str]
) -> Subject:
    references = stored_references(case.hints)
    texts = {**_checks(of, instructions), **dict(_texts(case, shown_instruction(instructions)))}
    pictures = {"source": tuple(sources), "result": (result,)}
    return Subject({**pictures, "references": references} if references else pictures, texts)


def _checks(of: Of, instructions: Sequence[str]) -> dict[str, str]:
    """What the judge should look for, if the edits are built-in ones."""
    pairs = [pair for text in instructions if (pair := pair_asking(text)) is not None]
    if not pairs:
        return {}
    if of == "return":
        return {
            "hint": f"The source picture again, without {' and without '.join(p.gone_after for p in pairs)}."
        }
    return {"hint": f"{pairs[0].shows_after[:1].upper()}{pairs[0].shows_after[1:]}."}


def _texts(case: CaseRecord, instruction: str) -> Iterator[tuple[str, str]]:
    yield "instruction", instruction
    yield CATEGORY, case.category
    if case.backward:
        yield "undo", case.backward
    for name in ("hint", "description", "rationale"):
        if case.hints.get(name):
            yield name, str(case.hints[name])


def _place(trajectory: TrajectoryRecord, round: int) -> CandidatePlace:
    case = trajectory.case
    return CandidatePlace(
        case.suite, trajectory.model, case.id, case.picture, case.category, case.language, trajectory.seed,
        round, case.suite_part,
    )  # fmt: skip
