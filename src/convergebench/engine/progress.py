"""What the engine tells whoever looks on."""

from __future__ import annotations

from typing import Protocol

from convergebench.types import Step


class RunProgress(Protocol):
    def planned(self, model: str, edits: int) -> None: ...

    def step(self, model: str, step: Step, *, replayed: bool) -> None: ...

    def ended(self, model: str, unmade: int) -> None:
        """One of its trajectories got as far as it could, with so many edits not made."""

    def measured(self, pictures: int) -> None: ...

    def stopping(self, in_flight: int) -> None: ...


class NoProgress:
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
