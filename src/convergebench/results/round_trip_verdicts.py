"""Stored verdicts of judges on the forward edits and returns of round trips."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from convergebench.analysis.round_trip.round_verdicts import ByJudge
from convergebench.protocols import is_forward
from convergebench.results.judgements import JudgementRecord, RubricRecord
from convergebench.types import Digest

FORWARD = "roundtrip_forward"
REVERSAL = "roundtrip_reversal"
HAPPENED = "happened"
RESTORED = "restored"
UNDONE = "undone"

Place = TypeVar("Place")
_Subject: TypeAlias = tuple[str, tuple[Digest, ...], Digest, str]
"""The answer's name; the sources, the result and the instruction that the judge saw."""


@dataclass(frozen=True)
class RoundTripVerdicts:
    """The answers, scaled to 0–1, by what the judge saw."""

    values: Mapping[_Subject, ByJudge]

    def of(
        self, answer: str, sources: tuple[Digest, ...], result: Digest | None, instruction: str
    ) -> ByJudge:
        return self.values.get((answer, sources, result, instruction), {}) if result else {}


def round_trip_verdicts(
    judgements: Iterable[JudgementRecord],
    rubrics: Mapping[Digest, RubricRecord],
    judge_labels: Mapping[Digest, str],
) -> RoundTripVerdicts:
    found: defaultdict[_Subject, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in judgements:
        rubric = rubrics[one.rubric]
        if one.outcome != "ok" or rubric.id not in (FORWARD, REVERSAL):
            continue
        sources = tuple(digest for role, digest in one.pictures if role == "source")
        result = next(digest for role, digest in one.pictures if role == "result")
        judge = f"{judge_labels[one.judge]} by {rubric.name}"
        for answer, score in one.scores.items():
            scaled = score / rubric.range[1] if answer == RESTORED else score
            found[answer, sources, result, str(one.texts.get("instruction", ""))][judge].append(scaled)
    return RoundTripVerdicts(
        {
            subject: {judge: sum(values) / len(values) for judge, values in by_judge.items()}
            for subject, by_judge in found.items()
        }
    )


def forward_instructions(steps: Iterable[tuple[Place, str, str]]) -> Mapping[Place, list[str]]:
    """The instructions of the forward edits of each place, such as a round, in order, each once; from the
    place, role and instruction of every step."""
    found: dict[Place, list[str]] = {}
    for place, role, instruction in steps:
        requested = found.setdefault(place, [])
        if is_forward(role) and instruction not in requested:
            requested.append(instruction)
    return found


def shown_instruction(instructions: Sequence[str]) -> str:
    """The instruction as the judge of a return is shown it."""
    return " ".join(instructions)
