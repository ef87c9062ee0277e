"""The pairs of pictures in a workspace that can be compared: results of different models from the same
start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from convergebench.engine.judging.candidates import CandidatePicture, CandidatePlace, candidate_pictures
from convergebench.engine.judging.judge_tasks import JudgingTask
from convergebench.judges import Rubric, Subject
from convergebench.judges.asking import lacking
from convergebench.judges.rubric import Of
from convergebench.results import WorkspaceOrRecords
from convergebench.types import SuiteId

_MEMBERS: Mapping[Of, Of] = {"edit_pair": "edit", "return_pair": "return"}


@dataclass(frozen=True)
class PairwiseCandidate:
    """Two models' results from the same start. The judge compares them in both orders, or not at all if both
    are the same picture."""

    rubric: Rubric
    first: CandidatePlace
    second: CandidatePlace
    shown: JudgingTask | None
    """The comparison with the first model's picture in first place."""
    swapped: JudgingTask | None

    @property
    def tasks(self) -> tuple[JudgingTask, ...]:
        return tuple(task for task in (self.shown, self.swapped) if task is not None)


def pairwise_candidates(
    workspace: WorkspaceOrRecords,
    rubrics: Sequence[Rubric],
    *,
    suite: SuiteId | None = None,
    models: Collection[str] = (),
    rounds: Collection[int] = (),
    repeats: int = 1,
) -> list[PairwiseCandidate]:
    """Every pair of models that both have a picture of the same case, seed and round, from the same sources.

    Later edits in a round trip start from the model's own earlier results. Usually only the first edit can be
    compared, while all returns can. Partially reversible edits are compared where /partial is named.
    """
    chosen = list(candidate_pictures(workspace, suite=suite, models=models, rounds=rounds))
    if suite is not None:
        # A suite's name stands for its reversible edits, as in `summary`, unless it has no others.
        chosen = [one for one in chosen if one.place.part == one.place.suite] or chosen
    found = list({one.step: one for one in chosen}.values())  # once, even if several suites contain the case
    return [
        _contest(rubric, one, other, repeat)
        for rubric in rubrics
        for group in _starts(one for one in found if one.of == _MEMBERS.get(rubric.of))
        for one, other in combinations(sorted(group, key=lambda one: one.place.model), 2)
        if one.place.model != other.place.model and lacking(rubric, _compared(one, other)) is None
        for repeat in range(repeats)
    ]


def _starts(found: Iterable[CandidatePicture]) -> Iterable[list[CandidatePicture]]:
    groups: defaultdict[tuple[object, ...], list[CandidatePicture]] = defaultdict(list)
    for one in found:
        place, subject = one.place, one.subject
        texts = tuple(sorted(subject.texts.items()))
        key = (place.suite, place.case, place.seed, place.round, subject.pictures["source"], texts)
        groups[key].append(one)
    return groups.values()


def _contest(
    rubric: Rubric, one: CandidatePicture, other: CandidatePicture, repeat: int
) -> PairwiseCandidate:
    if one.subject.pictures["result"] == other.subject.pictures["result"]:
        return PairwiseCandidate(rubric, one.place, other.place, None, None)
    shown, swapped = _compared(one, other), _compared(other, one)
    return PairwiseCandidate(
        rubric,
        one.place,
        other.place,
        JudgingTask(rubric, shown, repeat),
        JudgingTask(rubric, swapped, repeat),
    )


def _compared(first: CandidatePicture, second: CandidatePicture) -> Subject:
    pictures = {
        "source": first.subject.pictures["source"],
        "first": first.subject.pictures["result"],
        "second": second.subject.pictures["result"],
    }
    return Subject(pictures, first.subject.texts)
