"""The progress reports of a session."""

from __future__ import annotations

from typing import Protocol

from convergebench.judges import Verdict
from convergebench.types import Step


class RunProgress(Protocol):
    def planned(self, model: str, edits: int) -> None: ...

    def step(self, model: str, step: Step, *, replayed: bool) -> None: ...

    def ended(self, model: str, unmade: int) -> None:
        """A trajectory ended; `unmade` is the number of its missing edits."""

    def measured(self, pictures: int) -> None: ...

    def stopping(self, in_flight: int) -> None: ...


class JudgingProgress(Protocol):
    def planned(self, judgements: int) -> None:
        """The number of different judgements. While more may be added, this is the maximum, and is updated
        later. `judged` follows for each that gets a verdict."""

    def judged(self, verdict: Verdict, *, replayed: bool) -> None: ...

    def given_up(self, reason: str) -> None:
        """The judge cannot continue at all."""

    def stopping(self, in_flight: int) -> None: ...


class NoProgress:
    """A RunProgress that reports nothing."""

    def planned(self, model: str, edits: int) -> None:
        pass

    def step(self, model: str, step: Step, *, replayed: bool) -> None:
        pass

    def ended(self, model: str, unmade: int) -> None:
        pass

    def measured(self, pictures: int) -> None:
        pass

    def stopping(self, in_flight: int) -> None:
        pass


class NoJudgingProgress:
    """A JudgingProgress that reports nothing."""

    def planned(self, judgements: int) -> None:
        pass

    def judged(self, verdict: Verdict, *, replayed: bool) -> None:
        pass

    def given_up(self, reason: str) -> None:
        pass

    def stopping(self, in_flight: int) -> None:
        pass
