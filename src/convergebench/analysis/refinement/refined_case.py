"""A refined case: its pictures by round, the reasoner's replies, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from convergebench.judges.reasoning import Advice
from convergebench.types import Digest, SuiteId


@dataclass(frozen=True)
class RefinementStage:
    """The state of a case after a number of rounds: a picture, or the reason why it is missing."""

    picture: Digest | None
    missing: str | None = None


@dataclass(frozen=True)
class RefinementRound:
    """One reply of the reasoner, and the edits that it requested."""

    number: int
    advice: Advice | None
    stage: RefinementStage
    """The previous picture, if no edit was requested."""

    @property
    def is_content(self) -> bool:
        return self.advice is not None and not self.advice.instructions


@dataclass(frozen=True)
class RefinedCase:
    model: str
    """The editor of the primary edit."""
    pipeline: str
    suite: SuiteId
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
        stage = self.primary
        for one in self.rounds[:number]:
            stage = one.stage
            if one.is_content:
                return stage
        if stage.picture is None or len(self.rounds) >= number:
            return stage
        return RefinementStage(None, "not looked at yet")

    @cached_property
    def content_after(self) -> int | None:
        """The number of editing rounds until the reasoner was satisfied; None if it never was."""
        return next((one.number - 1 for one in self.rounds if one.is_content), None)

    def is_primary(self, number: int) -> bool:
        """Whether the picture after this number of rounds is still the primary one."""
        return number > 0 and self.content_after == 0
