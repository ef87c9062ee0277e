"""From the steps of one trajectory to its returns and failures, with their measurements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from convergebench.analysis.round_trip.measurement_columns import MeasuredPair
from convergebench.analysis.round_trip.results import FailedStep, Return
from convergebench.analysis.round_trip.round_verdicts import NO_VERDICTS, RoundVerdicts
from convergebench.metrics.regions import FOOTPRINT
from convergebench.metrics.regions import NAMES as BY_REGION
from convergebench.protocols import RETURN_ROLES, is_forward
from convergebench.results.chain_steps import ChainSteps
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
from convergebench.results.step_contexts import chain_contexts
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.results.visible_from import ValuesVisibleFrom
from convergebench.types import Digest, Measurement, MetricFacts, Reversibility


@dataclass(frozen=True)
class PairMeasurements:
    """The measurements of pairs of pictures."""

    facts: tuple[MetricFacts, ...]
    read_values: Callable[[], PairValues | ValuesVisibleFrom]
    clip_directions: ClipDirections

    @cached_property
    def values(self) -> PairValues | ValuesVisibleFrom:
        """Read on first use: until then they may be gathered on another core."""
        return self.read_values()

    @cached_property
    def has_regions(self) -> bool:
        """Whether anything was measured by region."""
        return any(facts.name in BY_REGION for facts in self.facts)

    def of_each(
        self, references: Sequence[Digest | None], pictures: Sequence[Digest | None]
    ) -> list[Mapping[str, Measurement]]:
        """The available measurements of each pair; a picture is perfect against itself."""
        found = self.values.of_each(references, pictures)
        for place, (reference, picture) in enumerate(zip(references, pictures, strict=True)):
            if reference is not None and reference == picture:
                found[place] = self._perfect
        return found

    @cached_property
    def _perfect(self) -> Mapping[str, Measurement]:
        return {
            facts.name: Measurement(facts.name, facts.version, facts.perfect)
            for facts in self.facts
            if facts.dimension != "region"
        }

    def of_edit(
        self,
        pair: Mapping[str, Measurement],
        given: Digest,
        made: Digest | None,
        instruction: str,
        context: Digest | None,
    ) -> Mapping[str, Measurement]:
        """The measurements of an edit's picture with its input, its direction, and the visibility of the
        edit."""
        if context is None and not self.clip_directions.values:
            return pair
        direction = self.clip_directions.of(given, made, instruction)
        by_region = self.values.of(context, made) if context and made else {}
        return {**pair, **direction, **by_region} if direction or by_region else pair


@dataclass(frozen=True)
class ChainReader:
    """Reads the returns and failures of one trajectory at a time."""

    pairs: PairMeasurements
    verdicts: RoundTripVerdicts
    imports: Collection[int]
    """The runs that were imports."""

    def returns(
        self, trajectory: TrajectoryRecord, chain: ChainSteps
    ) -> tuple[list[Return], list[FailedStep]]:
        contexts = self._contexts(trajectory, chain)
        forwards = self._forwards(chain, contexts)
        verdicts = self._verdicts(chain)
        case, role = _case_of(trajectory, chain.inputs[0]), trajectory.editor.role
        steps = zip(chain.positions, chain.roles, chain.rounds, chain.pictures, chain.runs, strict=True)
        found = [
            (position, number, picture, run)
            for position, kind, number, picture, run in steps
            if picture is not None and kind in RETURN_ROLES
        ]
        pictures = {number: picture for _, number, picture, _ in found}
        returned = [picture for _, _, picture, _ in found]
        moved = self.pairs.of_each([pictures.get(number - 1) for _, number, _, _ in found], returned)
        values = self.pairs.values.of_each([chain.inputs[0][0]] * len(found), returned)
        # Without names, which take as long as all the rest: there can be very many.
        returns = [
            Return(
                case.model, role, case.case, case.picture, case.pair, case.kind, case.category, case.seed,
                number, picture, self._in_chain(against_source, picture, contexts.get(position)), since,
                forwards.get(number, ()), run in self.imports, case.reversibility,
                verdicts.get(number, NO_VERDICTS), case.content,
            )
            for (position, number, picture, run), against_source, since
            in zip(found, values, moved, strict=True)
        ]  # fmt: skip
        return returns, list(_failed_steps(chain, case, forwards, verdicts))

    def _in_chain(
        self, against_source: Mapping[str, Measurement], picture: Digest, context: Digest | None
    ) -> Mapping[str, Measurement]:
        """The measurements of a return, and those by region if there are any."""
        if context is None:
            return against_source
        return _together(against_source, self.pairs.values.of(context, picture))

    def _contexts(self, trajectory: TrajectoryRecord, chain: ChainSteps) -> Mapping[int, Digest]:
        """By position; empty if nothing was measured by region."""
        return chain_contexts(chain, trajectory.case) if self.pairs.has_regions else {}

    def _forwards(
        self, chain: ChainSteps, contexts: Mapping[int, Digest]
    ) -> Mapping[int, tuple[Mapping[str, Measurement], ...]]:
        """By round: each forward edit against its input, by metric name."""
        edits = [
            (position, number, instruction, inputs[0], picture)
            for position, role, number, instruction, inputs, picture in zip(
                chain.positions, chain.roles, chain.rounds, chain.instructions, chain.inputs, chain.pictures,
                strict=True,
            )
            if is_forward(role)
        ]  # fmt: skip
        pairs = self.pairs.of_each([given for *_, given, _ in edits], [made for *_, made in edits])
        found: dict[int, tuple[Mapping[str, Measurement], ...]] = {}
        for (position, number, instruction, given, made), pair in zip(edits, pairs, strict=True):
            measured = self.pairs.of_edit(pair, given, made, instruction, contexts.get(position))
            found[number] = (*found.get(number, ()), measured)
        return found

    def _verdicts(self, chain: ChainSteps) -> Mapping[int, RoundVerdicts]:
        """What judges said of each round; only rounds with a verdict."""
        if not self.verdicts.values:
            return {}
        requested = forward_instructions(zip(chain.rounds, chain.roles, chain.instructions, strict=True))
        found: defaultdict[int, RoundVerdicts] = defaultdict(RoundVerdicts)
        for role, number, instruction, inputs, picture in zip(
            chain.roles, chain.rounds, chain.instructions, chain.inputs, chain.pictures, strict=True
        ):
            of_round = found[number]
            if is_forward(role):
                happened = self.verdicts.of(HAPPENED, inputs, picture, instruction)
                found[number] = replace(of_round, happened=(*of_round.happened, happened))
            elif role in RETURN_ROLES:
                shown = chain.inputs[0], picture, shown_instruction(requested[number])
                found[number] = replace(
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


class _CaseFacts(NamedTuple):
    """What all returns and failures of a trajectory have in common, by the names of their fields."""

    model: str
    case: str
    picture: str
    pair: str
    kind: str
    category: str
    content: Digest
    seed: int
    reversibility: Reversibility


def _case_of(trajectory: TrajectoryRecord, sources: Sequence[Digest]) -> _CaseFacts:
    case = trajectory.case
    return _CaseFacts(
        model=trajectory.model,
        case=case.id,
        picture=case.picture,
        pair=case.pair,
        kind=case.kind,
        category=case.category,
        content=case.content(sources),
        seed=trajectory.seed,
        reversibility=case.reversibility,
    )


def _failed_steps(
    chain: ChainSteps,
    case: _CaseFacts,
    forwards: Mapping[int, tuple[Mapping[str, Measurement], ...]],
    verdicts: Mapping[int, RoundVerdicts],
) -> Iterator[FailedStep]:
    for number, role, failure, reason in zip(
        chain.rounds, chain.roles, chain.failures, chain.reasons, strict=True
    ):
        if failure is not None:
            yield FailedStep(
                **case._asdict(),
                round=number,
                role=role,
                kind_of_failure=failure,
                reason=reason or "",
                forwards=() if is_forward(role) else forwards.get(number, ()),
                verdicts=verdicts.get(number, NO_VERDICTS),
            )
