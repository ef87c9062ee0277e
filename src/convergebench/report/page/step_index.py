"""The positions of judged pictures in the workspace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

from convergebench.protocols import RETURN_ROLES, RETURNING, one_shot
from convergebench.protocols.refine import NAMES as REFINING
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import CaseRecord, TrajectoryRecord
from convergebench.suites.case_hints import ENGLISH
from convergebench.types import Digest, SuiteId

Kind = Literal["edit", "return"]
ONE_SHOT = one_shot().name
PARTIAL = "partially reversible edits"


@dataclass(frozen=True)
class StepPlace:
    """A step, with its model and position."""

    suite: SuiteId
    protocol: str
    model: str
    case: str
    picture: str
    """The source's id: verdicts on edits of one source are not independent of each other."""
    category: str
    language: str
    seed: int
    round: int
    kind: Kind
    instruction: str = ""
    """By which the picture was made."""
    part: str = ""
    """PARTIAL if the edit of a round trip can be undone only in part; these have means of their own."""


@dataclass(frozen=True)
class IndexedStep:
    """The latest record of a step, with everything that a judge may have seen of it."""

    place: StepPlace
    record: StepRecord
    case: CaseRecord
    sources: frozenset[tuple[Digest, ...]]
    """Those that a judge is shown beside it: its inputs, or the source of its trajectory."""
    instructions: frozenset[str]


def index_steps(workspace: WorkspaceOrRecords) -> list[IndexedStep]:
    """Every step of every newest trajectory, under each suite that contains its case.

    Round trips can be very numerous, so their steps are left out if there are no judgements.
    """
    records = Records.of(workspace)
    steps = [
        (step, one)
        for step in records.steps
        for one in records.newest.get(step.trajectory, ())
        if records.judgements or one.protocol in (ONE_SHOT, *REFINING)
    ]
    first = {step.trajectory: step.inputs for step, _ in reversed(steps)}
    # A refinement starts from a single edit's result, but is judged against that edit's source.
    single = {one.case.fingerprint: first[one.id] for _, one in steps if one.protocol == ONE_SHOT}
    return [
        _indexed(step, one, {first[one.id], single.get(one.case.fingerprint, first[one.id])})
        for step, one in steps
    ]


def by_picture(steps: Sequence[IndexedStep]) -> dict[Digest, list[IndexedStep]]:
    found: defaultdict[Digest, list[IndexedStep]] = defaultdict(list)
    for step in steps:
        if step.record.picture:
            found[step.record.picture].append(step)
    return dict(found)


def places_of(
    candidates: Sequence[IndexedStep], kind: Kind, sources: tuple[Digest, ...], instruction: str | None
) -> list[StepPlace]:
    """The steps with one picture that match a question's sources and instruction."""
    return [
        one.place
        for one in candidates
        if one.place.kind == kind
        and (not sources or sources in one.sources)
        and (instruction is None or instruction in one.instructions)
    ]


def _indexed(
    step: StepRecord, trajectory: TrajectoryRecord, beginnings: Set[tuple[Digest, ...]]
) -> IndexedStep:
    case = trajectory.case
    is_return, is_round_trip = step.role in RETURN_ROLES, trajectory.protocol in RETURNING
    place = StepPlace(
        case.suite, trajectory.protocol, trajectory.model, case.id, case.picture, case.category,
        case.language, trajectory.seed, step.round, "return" if is_return else "edit",
        step.instruction,
        PARTIAL if is_round_trip and case.reversibility != "reversible" else "",
    )  # fmt: skip
    english = case.hints.get(ENGLISH)
    texts = {step.instruction, case.forward, *([str(english)] if english else [])}
    # The forward edits of several rounds can be one picture, and each is judged against its own input.
    sources = {step.inputs} if is_round_trip and not is_return else {step.inputs, *beginnings}
    return IndexedStep(place, step, case, frozenset(sources), frozenset(texts))
