"""A refined case: its pictures round by round, what the reasoner said of them, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from convergebench.judges.reasoning import Advice
from convergebench.types import Digest


@dataclass(frozen=True)
class RefinementStage:
    """The state of a case after a number of rounds: a picture, or why there is none."""

    picture: Digest | None
    missing: str | None = None


@dataclass(frozen=True)
class RefinementRound:
    """One look, and the edits that followed from it."""

    number: int
    advice: Advice | None
    stand: RefinementStage
    """The picture before it, where nothing was asked for."""

    @property
    def is_content(self) -> bool:
        return self.advice is not None and not self.advice.instructions


@dataclass(frozen=True)
class RefinedCase:
    model: str
    """Who made the primary edit."""
    pipeline: str
    suite: str
    case: str
    fingerprint: str
    """The case's."""
    category: str
    language: str
    picture: str
    """The source's id."""
    instruction: str
    hints: Mapping[str, str]
    seed: int
    sources: tuple[Digest, ...]
    primary: RefinementStage
    rounds: tuple[RefinementRound, ...]

    def after(self, number: int) -> RefinementStage:
        """The state after this number of rounds; the reasoner may have requested fewer."""
        stand = self.primary
        for one in self.rounds[:number]:
            stand = one.stand
            if one.is_content:
                return stand
        if stand.picture is None or len(self.rounds) >= number:
            return stand
        return RefinementStage(None, "not looked at yet")

    @cached_property
    def content_after(self) -> int | None:
        """How many rounds of editing it took until the reasoner was content; None if it never was."""
        return next((one.number - 1 for one in self.rounds if one.is_content), None)

    def is_primary(self, number: int) -> bool:
        """Whether the picture after this number of rounds is still the primary one."""
        return number > 0 and self.content_after == 0
