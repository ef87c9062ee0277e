"""From the steps of one trajectory to its returns and failures, with their measurements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from convergebench.analysis.round_trip.measurement_columns import MeasuredPair
from convergebench.analysis.round_trip.results import FailedStep, Return
from convergebench.analysis.round_trip.round_verdicts import NO_VERDICTS, RoundVerdicts
from convergebench.metrics.regions import FOOTPRINT
from convergebench.metrics.regions import NAMES as BY_REGION
from convergebench.protocols import RETURN_ROLES, is_forward
from convergebench.results.clip_directions import ClipDirections
from convergebench.results.pair_values import PairValues
from convergebench.results.round_trip_verdicts import (
    HAPPENED,
    RESTORED,
    UNDONE,
    RoundTripVerdicts,
    forward_instructions,
    shown_instruction,
)
from convergebench.results.step_contexts import step_contexts
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.results.visible_from import ValuesVisibleFrom
from convergebench.types import Digest, Measurement, MetricFacts


@dataclass(frozen=True)
class PairMeasurements:
    """The measurements of pairs of pictures."""

    facts: tuple[MetricFacts, ...]
    values: PairValues | ValuesVisibleFrom
    clip_directions: ClipDirections

    def of(self, reference: Digest | None, picture: Digest | None) -> Mapping[str, Measurement]:
        """The available measurements of a pair; a picture is perfect against itself."""
        if reference is not None and reference == picture:
            return {
                facts.name: Measurement(facts.name, facts.version, facts.perfect)
                for facts in self.facts
                if facts.dimension != "region"
            }
        return self.stored(reference, picture)

    def of_edit(self, edit: StepRecord, context: Digest | None) -> Mapping[str, Measurement]:
        """The measurements of a step's picture with its input, its direction, and the visibility of the
        edit."""
        pair = self.of(edit.inputs[0], edit.picture)
        if context is None and not self.clip_directions.values:
            return pair
        direction = self.clip_directions.of(edit.inputs[0], edit.picture, edit.instruction)
        by_region = self.stored(context, edit.picture)
        return {**pair, **direction, **by_region} if direction or by_region else pair

    def stored(self, reference: Digest | None, picture: Digest | None) -> Mapping[str, Measurement]:
        return self.values.of(reference, picture) if reference and picture else {}


@dataclass(frozen=True)
class ChainReader:
    """Reads the returns and failures of one trajectory at a time."""

    pairs: PairMeasurements
    verdicts: RoundTripVerdicts
    imports: Collection[int]
    """The runs that were imports."""

    def returns(
        self, trajectory: TrajectoryRecord, steps: Sequence[StepRecord]
    ) -> tuple[list[Return], list[FailedStep]]:
        contexts = self._contexts(trajectory, steps)
        forwards = self._forwards(steps, contexts)
        verdicts = self._verdicts(steps)
        case = _case_of(trajectory, steps[0].inputs)
        new_return = partial(Return, **case, role=trajectory.editor.role)
        source, return_roles = steps[0].inputs[0], RETURN_ROLES
        returns: list[Return] = []
        troubles: list[FailedStep] = []
        previous: dict[int, Digest] = {}
        for step in steps:
            if step.failure is not None:
                troubles.append(
                    FailedStep(
                        **case,
                        round=step.round,
                        role=step.role,
                        kind_of_failure=step.failure,
                        reason=step.reason or "",
                        forwards=() if is_forward(step.role) else forwards.get(step.round, ()),
                        verdicts=verdicts.get(step.round, NO_VERDICTS),
                    )
                )
            if not step.picture or step.role not in return_roles:
                continue
            previous[step.round] = step.picture
            returns.append(
                new_return(
                    round=step.round,
                    digest=step.picture,
                    values=self._return_values(source, step.picture, contexts.get(step.position)),
                    moved=self.pairs.of(previous.get(step.round - 1), step.picture),
                    forwards=forwards.get(step.round, ()),
                    imported=step.run in self.imports,
                    verdicts=verdicts.get(step.round, NO_VERDICTS),
                )
            )
        return returns, troubles

    def _return_values(
        self, source: Digest, picture: Digest, context: Digest | None
    ) -> Mapping[str, Measurement]:
        against_source = self.pairs.stored(source, picture)
        if context is None:
            return against_source
        return _together(against_source, self.pairs.stored(context, picture))

    def _contexts(self, trajectory: TrajectoryRecord, steps: Sequence[StepRecord]) -> Mapping[int, Digest]:
        """By position; empty if nothing was measured by region."""
        if not any(facts.name in BY_REGION for facts in self.pairs.facts):
            return {}
        found = step_contexts(steps, {trajectory.id: trajectory})
        return {position: context for (_, position), context in found.items()}

    def _forwards(
        self, steps: Sequence[StepRecord], contexts: Mapping[int, Digest]
    ) -> Mapping[int, tuple[Mapping[str, Measurement], ...]]:
        """By round: each forward edit against its input, by metric name."""
        found: dict[int, tuple[Mapping[str, Measurement], ...]] = {}
        for step in steps:
            if is_forward(step.role):
                measured = self.pairs.of_edit(step, contexts.get(step.position))
                before = found.get(step.round)
                found[step.round] = (measured,) if before is None else (*before, measured)
        return found

    def _verdicts(self, steps: Sequence[StepRecord]) -> Mapping[int, RoundVerdicts]:
        """What judges said of each round; only rounds with a verdict."""
        if not self.verdicts.values:
            return {}
        instructions = forward_instructions(steps)
        found: defaultdict[int, RoundVerdicts] = defaultdict(RoundVerdicts)
        for step in steps:
            of_round = found[step.round]
            if is_forward(step.role):
                happened = self.verdicts.of(HAPPENED, step.inputs, step.picture, step.instruction)
                found[step.round] = replace(of_round, happened=(*of_round.happened, happened))
            elif step.role in RETURN_ROLES:
                requested = shown_instruction(instructions[step.trajectory, step.round])
                shown = steps[0].inputs, step.picture, requested
                found[step.round] = replace(
                    of_round,
                    restored=self.verdicts.of(RESTORED, *shown),
                    undone=self.verdicts.of(UNDONE, *shown),
                )
        return found


def _together(
    against_source: Mapping[str, Measurement], in_chain: Mapping[str, Measurement]
) -> Mapping[str, Measurement]:
    """A forward picture can be the same file as a return; its measurements as an edit are left out."""
    if not in_chain:
        return against_source
    if FOOTPRINT in against_source:
        both = (*against_source.items(), *in_chain.items())
        return {name: one for name, one in both if name != FOOTPRINT}
    if isinstance(against_source, MeasuredPair) and isinstance(in_chain, MeasuredPair):
        return against_source.in_chain(in_chain)
    return {**against_source, **in_chain}


def _case_of(trajectory: TrajectoryRecord, sources: Sequence[Digest]) -> dict[str, Any]:
    case = trajectory.case
    return {
        "model": trajectory.model,
        "case": case.id,
        "picture": case.picture,
        "pair": case.pair,
        "kind": case.kind,
        "category": case.category,
        "content": case.content(sources),
        "seed": trajectory.seed,
        "reversibility": case.reversibility,
    }
