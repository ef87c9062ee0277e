"""The types of judging: judges, questions, replies and verdicts."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

from convergebench import kernels
from convergebench.picture import Picture
from convergebench.providers import sane_cost_usd, whole
from convergebench.types import Digest, Parameter, fingerprint_of

Outcome = Literal["ok", "refused", "truncated", "unparseable", "out_of_range", "error"]
Ending = Literal["complete", "truncated", "refused"]


@dataclass(frozen=True)
class TokenPrices:
    """USD per million tokens."""

    read: float
    written: float

    def cost_usd(self, tokens_read: int, tokens_written: int) -> float:
        return (tokens_read * self.read + tokens_written * self.written) / 1_000_000


_TOO_MANY = 1e15
"""In tokens; the database cannot store much larger numbers."""
FREE = TokenPrices(0.0, 0.0)


def cost_usd(prices: TokenPrices | None, tokens_read: int | None, tokens_written: int | None) -> float | None:
    """None if prices or tokens are unknown."""
    if prices is None or tokens_read is None or tokens_written is None:
        return None
    return sane_cost_usd(prices.cost_usd(tokens_read, tokens_written))


def token_counts(usage: Any, *names: str) -> list[int | None]:
    """The values of a reply's `usage` under these names; None for anything that is not a number.

    >>> token_counts({"read": 1000.0, "written": "100"}, "read", "written")
    [1000, None]
    """
    return [_count(usage.get(name)) if isinstance(usage, Mapping) else None for name in names]


def _count(given: Any) -> int | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < _TOO_MANY:
        return None
    return int(given)


@dataclass(frozen=True)
class JudgeFacts:
    """A judge's identity: everything that changes its replies is part of the fingerprint."""

    name: str
    """provider:model, with the given settings."""
    version: str
    """Of the adapter."""
    provider: str
    model: str
    settings: Mapping[str, Parameter] = field(default_factory=dict)
    prices: TokenPrices | None = None
    """None is unknown."""

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.provider, self.model, self.version, dict(self.settings))


class JudgeImage(Picture):
    """A picture as it is sent to judges; it is base64-encoded once for all questions."""

    @classmethod
    def of(cls, picture: Picture) -> JudgeImage:
        """Omits the pixels, which are large."""
        return cls(picture.facts, encoded=picture.encoded)

    @cached_property
    def base64(self) -> bytes:
        return kernels.base64_encoded(self.encoded) or base64.b64encode(self.encoded)


@dataclass(frozen=True)
class Question:
    """One request: texts and pictures in order, and the schema of the reply."""

    system: str
    """Empty for none."""
    parts: tuple[str | JudgeImage, ...]
    schema: Mapping[str, Any] | None
    """None if the words are somebody else's: then nothing is added to them, on a second attempt neither."""
    seed: int = 0

    def asked_again(self, reason: str) -> Question:
        """The same question after a reply that could not be read."""
        if self.schema is None:
            return self
        note = f"Your last reply could not be used: {reason}. Reply again, with the JSON object only."
        return replace(self, parts=(*self.parts, note))

    @property
    def pictures(self) -> tuple[JudgeImage, ...]:
        return tuple(part for part in self.parts if not isinstance(part, str))


@dataclass(frozen=True)
class JudgeReply:
    text: str
    ending: Ending
    finish_reason: str
    """In the provider's terms."""
    served_model: str
    tokens_read: int | None = None
    tokens_written: int | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", whole(self.text))


class Judge(Protocol):
    """Answers questions, or raises an EditError with the reason."""

    facts: JudgeFacts

    async def start(self) -> None:
        """Called once before the first question; raises Misconfigured if the judge cannot be used."""

    async def ask(self, question: Question) -> JudgeReply: ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Subject:
    """The subject of a judgement: pictures by digest and texts, under the names that rubrics use."""

    pictures: Mapping[str, tuple[Digest, ...]]
    """source, result, references; first and second if two are compared."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """instruction, undo, hint, description, rationale."""


@dataclass(frozen=True)
class Verdict:
    """A judge's verdict on a subject: scores and their combined value, or missing with the reason."""

    outcome: Outcome
    value: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    """By name; yes is 1 and no is 0; of two, the first is 1, the second 0, and a tie a half."""
    reason: str = ""
    """The judge's explanation."""
    missing: str | None = None


@dataclass(frozen=True)
class JudgeAttempt:
    """One call: the raw reply or the error, with its time, tokens and cost."""

    outcome: Outcome
    detail: str
    """Why it is not ok; empty if it is."""
    seconds: float
    reply: JudgeReply | None = None
    sent_sizes: tuple[tuple[int, int], ...] = ()
    """Width and height of each picture as sent."""
    cost_usd: float | None = None
    """As it counts for the limits on cost: a call without a reply may have been charged."""
