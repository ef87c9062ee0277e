"""A person's answer to one question, and what it says about models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from convergebench.analysis.judged.bradley_terry import Winner
from convergebench.judges.rubric import CHOICES
from convergebench.types import Digest

QuestionKind: TypeAlias = Literal["return", "edit", "visibility"]
"""Which return is closer to the source; which edit is better; whether a return differs visibly from it."""
Answer: TypeAlias = Literal["first", "second", "tie", "both_bad", "skip", "yes", "no"]
KINDS: tuple[QuestionKind, ...] = ("return", "edit", "visibility")
PAIR_ANSWERS: tuple[Answer, ...] = ("first", "second", "tie", "both_bad", "skip")
VISIBILITY_ANSWERS: tuple[Answer, ...] = ("yes", "no", "skip")
WINNERS: Mapping[Answer, Winner] = {"first": "first", "second": "second", "tie": "tie", "both_bad": "tie"}
"""Two bad pictures tie. A skipped question has no winner."""

IMPORTED = "imported"
"""The mode of votes that were given elsewhere."""


@dataclass(frozen=True)
class Vote:
    """One answer, known by pictures and not by models, as it is stored and exchanged."""

    rater: str
    """A pseudonym."""
    kind: QuestionKind
    pictures: tuple[tuple[str, Digest], ...]
    """With the role of each: source, then first and second, or result."""
    answer: Answer
    seconds: float
    """From the moment at which all pictures were visible."""
    texts: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 0
    """How often the rater had seen the same pictures in the same order before."""
    at: str = ""
    mode: str = ""
    """How the pictures were compared when the answer was given."""
    consent: str = ""
    """Fingerprint of the text that the rater agreed to; empty if the study has none."""

    def picture(self, role: str) -> Digest:
        return next((digest for name, digest in self.pictures if name == role), "")

    @property
    def source(self) -> Digest:
        return self.picture("source")

    @property
    def compared(self) -> tuple[Digest, Digest]:
        """The two pictures between which the rater had to see a difference, in the order shown."""
        if self.kind == "visibility":
            return self.source, self.picture("result")
        return self.picture("first"), self.picture("second")

    @property
    def known_seconds(self) -> float | None:
        """None for a vote that came from elsewhere without its time."""
        return self.seconds if self.seconds or self.mode != IMPORTED else None

    @property
    def is_catch_trial(self) -> bool:
        """Whether both pictures were the same file."""
        first, second = self.compared
        return first == second


@dataclass(frozen=True)
class PairVote:
    """A vote on two models, at one place of the suite."""

    rater: str
    kind: QuestionKind
    first: str
    second: str
    winner: Winner
    case: str
    picture: str
    """The source's id: votes on one source are not independent of each other."""
    category: str
    seed: int
    round: int
    seconds: float | None = None
    """None if it is not known how long it took."""
    both_bad: bool = False

    @property
    def value(self) -> float:
        """The first model's share of the win."""
        return CHOICES[self.winner]


@dataclass(frozen=True)
class VisibilityVote:
    """Whether a rater could tell a return from its source."""

    rater: str
    model: str
    case: str
    picture: str
    category: str
    seed: int
    round: int
    rounds: int
    """The length of the chain."""
    seen: bool
    at: str = ""
