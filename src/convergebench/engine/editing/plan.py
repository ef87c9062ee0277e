"""The plan of a run, and the part that is already done."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.protocols import EditingProtocol
from convergebench.store import Enrolment
from convergebench.types import Case, Editor


@dataclass(frozen=True)
class Plan:
    """Every editor on every case with every seed, by one protocol."""

    suite: str
    protocol: EditingProtocol
    cases: tuple[Case, ...]
    editors: tuple[Editor, ...]
    seeds: tuple[int, ...]

    @property
    def edits_each(self) -> int:
        """Number of edits requested from one editor."""
        return len(self.cases) * len(self.seeds) * self.protocol.edits

    def enrolments(self, editor: Editor) -> list[Enrolment]:
        return [
            Enrolment(self.protocol.name, self.suite, editor.facts, case, seed, self.protocol.rounds)
            for seed in self.seeds
            for case in self.cases
        ]
