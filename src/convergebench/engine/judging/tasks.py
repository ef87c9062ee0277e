"""Judging tasks, and their outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from convergebench.engine.session import SessionOutcome
from convergebench.judges import Rubric, Subject, Verdict
from convergebench.judges.asking import key_of, lacking, pictures_sent, source_of_size, texts_sent
from convergebench.store.judgements import JudgementRequest


@dataclass(frozen=True)
class JudgingTask:
    """One judging task: a subject, a rubric, and the number of the repeat."""

    rubric: Rubric
    subject: Subject
    repeat: int = 0

    def request_to(self, judge: str) -> JudgementRequest:
        """The judgement to request from the judge with that fingerprint."""
        absent = lacking(self.rubric, self.subject)
        if absent is not None:
            raise ValueError(f"{self.rubric.name} must see {absent}, which this subject does not have")
        pictures, texts = pictures_sent(self.rubric, self.subject), texts_sent(self.rubric, self.subject)
        like = source_of_size(self.rubric, self.subject)
        key = key_of(judge, self.rubric, pictures, texts, self.repeat, like)
        return JudgementRequest(key, judge, self.rubric.fingerprint, pictures, texts, self.repeat)


@dataclass
class JudgingOutcome(SessionOutcome):
    """A verdict, or none yet, for each task in order."""

    verdicts: list[Verdict | None] = field(default_factory=list)
    new: int = 0
    """Number of judgements requested from the judge; the others were in the workspace."""
    calls: int = 0
    missing: Counter[str] = field(default_factory=Counter)

    def add(self, later: JudgingOutcome) -> None:
        """Count another part of the same work."""
        self.verdicts += later.verdicts
        self.new += later.new
        self.calls += later.calls
        self.missing += later.missing
        self.seconds += later.seconds
        self.spent_usd += later.spent_usd
        self.interrupted |= later.interrupted
        if later.out_of_budget:
            self.out_of_budget, self.cost_limit = True, later.cost_limit
        self.unusable |= later.unusable

    @property
    def is_cut_short(self) -> bool:
        """Whether asking further would be in vain, or is not wanted."""
        return self.interrupted or self.out_of_budget or bool(self.unusable)

    @property
    def ok(self) -> int:
        return sum(verdict is not None and verdict.outcome == "ok" for verdict in self.verdicts)

    @property
    def unusable_reason(self) -> str | None:
        """Why the judge could not continue at all."""
        return next(iter(self.unusable.values()), None)
