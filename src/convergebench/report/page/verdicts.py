"""All questions to judges and their replies, with the position of each judged picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convergebench.report.page.step_index import IndexedStep, Kind, StepPlace, places_of
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.results.judgements import JudgementRecord, RubricRecord
from convergebench.types import Digest

UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Judgement:
    record: JudgementRecord
    rubric: RubricRecord
    places: tuple[StepPlace, ...]
    """Every position of the judged picture; for a comparison, of the first picture."""
    others: tuple[StepPlace, ...] = ()
    """The positions of the second picture, in the same order."""

    @property
    def judge(self) -> Digest:
        """Its fingerprint."""
        return self.record.judge

    @property
    def outcome(self) -> str:
        return self.record.outcome or UNFINISHED

    @property
    def value(self) -> float | None:
        return self.record.value

    @property
    def sources(self) -> tuple[Digest, ...]:
        """The pictures shown beside the result."""
        return tuple(digest for name, digest in self.record.pictures if name == "source")

    @property
    def instruction(self) -> str | None:
        """None if it was not shown."""
        return self.record.texts.get("instruction")


def kind_of(rubric: RubricRecord) -> Kind:
    """The steps whose pictures it judges."""
    return "return" if rubric.of.startswith("return") else "edit"


def judgements_of(
    workspace: WorkspaceOrRecords, steps: Mapping[Digest, Sequence[IndexedStep]]
) -> list[Judgement]:
    """Every judgement that was started, in order; `steps` are the steps with a picture, by digest."""
    records = Records.of(workspace)
    found = (_judgement(one, records.rubrics[one.rubric], steps) for one in records.judgements)
    return sorted(found, key=_order)


def _order(one: Judgement) -> tuple[Any, ...]:
    """Sorted by judge and rubric, then by case, so that verdicts viewed together are adjacent."""
    where = [(place.suite, place.case, place.model, place.seed, place.round) for place in one.places[:1]]
    return one.judge, one.rubric.id, one.rubric.version, where, one.record.repeat, one.record.key


def _judgement(
    record: JudgementRecord, rubric: RubricRecord, steps: Mapping[Digest, Sequence[IndexedStep]]
) -> Judgement:
    sources = tuple(digest for name, digest in record.pictures if name == "source")
    instruction = record.texts.get("instruction")

    def where(name: str) -> list[StepPlace]:
        shown = next((digest for role, digest in record.pictures if role == name), None)
        return _own(rubric, places_of(steps.get(shown or "", ()), kind_of(rubric), sources, instruction))

    places, others = _together(where("first"), where("second")) if rubric.compares else (where("result"), [])
    return Judgement(record, rubric, tuple(places), tuple(others))


def _own(rubric: RubricRecord, places: Sequence[StepPlace]) -> list[StepPlace]:
    """A benchmark's rubric applies to its own suites only, even if other suites contain the same picture."""
    benchmark = rubric.id.partition("_")[0]
    return [place for place in places if place.suite.startswith(benchmark)] or list(places)


def _together(
    first: Sequence[StepPlace], second: Sequence[StepPlace]
) -> tuple[list[StepPlace], list[StepPlace]]:
    """Two models' positions on one case, seed and round."""
    pairs = list(_pairs(first, second))
    return [one for one, _ in pairs], [other for _, other in pairs]


def _pairs(first: Sequence[StepPlace], second: Sequence[StepPlace]) -> Iterator[tuple[StepPlace, StepPlace]]:
    for one in first:
        for other in second:
            same = (one.suite, one.case, one.seed, one.round) == (
                other.suite, other.case, other.seed, other.round,
            )  # fmt: skip
            if same and one.model != other.model:
                yield one, other
