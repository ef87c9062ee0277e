"""The plan of a run, and the part that is already done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from convergebench.protocols import EditingProtocol
from convergebench.store import Enrolment
from convergebench.types import Case, Editor, EditorFacts, SeedPolicy, SuiteId, UnusableEntry, is_portrait

SAME_SEED = "+same-seed"
"""Follows the name of a model that was run with one seed for all steps."""


@dataclass(frozen=True)
class Plan:
    """Every editor on every case with every seed, by one protocol."""

    suite: SuiteId
    protocol: EditingProtocol
    cases: tuple[Case, ...]
    editors: tuple[Editor, ...]
    seeds: tuple[int, ...]
    seed_policy: SeedPolicy = "fresh"
    unusable: tuple[UnusableEntry, ...] = ()
    """Entries of the suite's data that are no cases: missing from every figure over the whole suite."""
    remarks: tuple[str, ...] = ()
    """What to know of its edits before any is made, as lines."""

    @property
    def edits_each(self) -> int:
        """Number of edits requested from one editor."""
        return len(self.seeds) * sum(self.protocol.edits_of(case) for case in self.cases)

    @property
    def returns_portraits(self) -> bool:
        """Whether faces in its returns can be compared with their sources."""
        return bool(self.protocol.returns) and any(
            is_portrait(case.kind, case.source.id) for case in self.cases
        )

    def recorded_facts(self, editor: Editor) -> EditorFacts:
        """The editor as trajectories are stored under: with one seed for all steps it is another model."""
        facts = editor.facts
        if self.seed_policy == "fresh":
            return facts
        parameters = {**facts.parameters, "seed_policy": self.seed_policy}
        label = f"{facts.label}{SAME_SEED}" if facts.label else ""
        return replace(facts, name=f"{facts.name}{SAME_SEED}", parameters=parameters, label=label)

    def enrolments(self, editor: Editor) -> list[Enrolment]:
        facts, rounds_of = self.recorded_facts(editor), self.protocol.rounds_of
        return [
            Enrolment(self.protocol.name, self.suite, facts, case, seed, rounds_of(case))
            for seed in self.seeds
            for case in self.cases
        ]
