"""The plan of a refinement run: the primary editor, the reasoner, the editor for further edits, and the
cases."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.judges import Judge
from convergebench.judges.reasoning import OWN_PROMPTS, ReasonerPrompts
from convergebench.protocols import one_shot
from convergebench.protocols.refine import AT_ONCE, CHAINED
from convergebench.store import Enrolment
from convergebench.types import Case, Editor, EditorFacts, SuiteId

VERSION = "1"
REFINED_BY = " refined by "


@dataclass(frozen=True)
class Pipeline:
    primary: Editor
    reasoner: Judge | None
    """None if nothing is to be refined."""
    executor: Editor
    prompts: ReasonerPrompts = OWN_PROMPTS

    @property
    def facts(self) -> EditorFacts:
        """The three components as one editor identity. Refinements by other components, or of other edits,
        are never mixed."""
        if self.reasoner is None:
            return self.primary.facts
        first, looks, again = self.primary.facts, self.reasoner.facts, self.executor.facts
        same = first.fingerprint == again.fingerprint

        def name_of(primary: str, executor: str) -> str:
            by = f"{primary}{REFINED_BY}{looks.name}"
            return by if same else f"{by} with {executor}"

        parts = {
            "primary": first.fingerprint,
            "reasoner": looks.fingerprint,
            **self.prompts.identity,
            "executor": again.fingerprint,
        }
        label = name_of(first.title, again.title) if first.label or again.label else ""
        return EditorFacts(name_of(first.name, again.name), VERSION, parts, label=label)


@dataclass(frozen=True)
class RefinePlan:
    suite: SuiteId
    cases: tuple[Case, ...]
    pipelines: tuple[Pipeline, ...]
    seeds: tuple[int, ...]
    rounds: int
    """With 0, there are only the first edits and no reasoner."""
    chained: bool

    @property
    def protocol(self) -> str:
        if not self.rounds:
            return one_shot().name
        return CHAINED if self.chained else AT_ONCE

    @property
    def units_each(self) -> int:
        """Cases times seeds."""
        return len(self.cases) * len(self.seeds)

    def primaries(self, pipeline: Pipeline) -> list[Enrolment]:
        """The first edit of a refinement is an ordinary single edit, shared with all runs that request it."""
        return self._enrolments(one_shot().name, pipeline.primary.facts, rounds=1)

    def refinements(self, pipeline: Pipeline) -> list[Enrolment]:
        return self._enrolments(self.protocol, pipeline.facts, self.rounds)

    def _enrolments(self, protocol: str, editor: EditorFacts, rounds: int) -> list[Enrolment]:
        return [
            Enrolment(protocol, self.suite, editor, case, seed, rounds)
            for seed in self.seeds
            for case in self.cases
        ]
