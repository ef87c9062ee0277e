"""What is to be judged, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from convergebench.judges import Rubric, Subject, Verdict
from convergebench.judges.asking import key_of, lacking, pictures_sent, texts_sent
from convergebench.store.judgements import JudgementRequest


@dataclass(frozen=True)
class JudgingTask:
    """One thing to be judged: a subject, by a rubric, for the n-th time."""

    rubric: Rubric
    subject: Subject
    repeat: int = 0

    def asked_of(self, judge: str) -> JudgementRequest:
        """The judgement that this is, by the judge of that fingerprint."""
        absent = lacking(self.rubric, self.subject)
        if absent is not None:
            raise ValueError(f"{self.rubric.name} must see {absent}, which this subject does not have")
        pictures, texts = pictures_sent(self.rubric, self.subject), texts_sent(self.rubric, self.subject)
        key = key_of(judge, self.rubric, pictures, texts, self.repeat)
        return JudgementRequest(key, judge, self.rubric.fingerprint, pictures, texts, self.repeat)


@dataclass
class JudgingOutcome:
    """What judging came to: a verdict, or none yet, for each task in order."""

    verdicts: list[Verdict | None]
    asked: int = 0
    """Judgements for which the judge was asked; the others were there."""
    calls: int = 0
    seconds: float = 0.0
    spent_usd: float = 0.0
    unusable: str | None = None
    """Why the judge could not go on at all."""
    interrupted: bool = False
    out_of_budget: bool = False
    missing: Counter[str] = field(default_factory=Counter)

    @property
    def ok(self) -> int:
        return sum(one is not None and one.outcome == "ok" for one in self.verdicts)


class JudgingProgress(Protocol):
    def planned(self, judgements: int) -> None:
        """So many different ones, or at most so many while more may come: then it is said again.
        `judged` follows for each that gets a verdict."""

    def judged(self, verdict: Verdict, *, replayed: bool) -> None: ...

    def given_up(self, reason: str) -> None:
        """The judge cannot go on at all."""

    def stopping(self, in_flight: int) -> None: ...
