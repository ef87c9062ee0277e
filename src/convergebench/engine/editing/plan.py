"""What a run will do, and what of it is done already."""

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
        """Edits that one editor is asked for."""
        return len(self.cases) * len(self.seeds) * self.protocol.edits

    def enrolments(self, editor: Editor) -> list[Enrolment]:
        return [
            Enrolment(self.protocol.name, self.suite, editor.facts, case, seed, self.protocol.rounds)
            for seed in self.seeds
            for case in self.cases
        ]
