"""From a workspace to Results: the newest generation of every trajectory, with its measurements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from convergebench import metrics
from convergebench.analysis.round_trip.imported_returns import imported_returns, without_never_computed
from convergebench.analysis.round_trip.results import Edits, FailedStep, ModelUse, Results, Return
from convergebench.analysis.round_trip.round_verdicts import NO_VERDICTS, RoundVerdicts
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.metrics.regions import FOOTPRINT
from convergebench.protocols import RETURN_ROLES, RETURNING, is_forward
from convergebench.results.clip_directions import ClipDirections
from convergebench.results.measurements import PairValues
from convergebench.results.records import Records, WorkspaceOrRecords
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
from convergebench.results.suite_id import SuiteId
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.types import Digest, Measurement, MetricFacts, Reversibility

_Forwards: TypeAlias = Mapping[tuple[int, int], tuple[Mapping[str, Measurement], ...]]
"""By trajectory and round: each forward edit against its input, by metric name."""
_Verdicts: TypeAlias = Mapping[tuple[int, int], RoundVerdicts]
"""By trajectory and round."""


def load_results(
    workspace: WorkspaceOrRecords, suite: str | None = None, models: Sequence[str] = ()
) -> Results:
    """The returns of one suite (by default that of the last run), of all models or of those named.

    They cover the reversible edits. `partial` has the others, as does the suite's name followed by /partial.
    If there are only partially reversible edits, the results cover these, and say so. Imported metrics that
    were never computed are missing, with that as the reason.
    """
    results = without_never_computed(load_results_as_given(workspace, suite, models))
    return replace(results, partial=results.partial and without_never_computed(results.partial))


def suites_with_returns(workspace: WorkspaceOrRecords) -> list[str]:
    """Every suite that has results."""
    records = Records.of(workspace)
    returning = [one.case.suite for one in _returning(records)]
    return list(dict.fromkeys([*records.imported_suites, *returning]))


def load_results_as_given(
    workspace: WorkspaceOrRecords, suite: str | None = None, models: Sequence[str] = ()
) -> Results:
    """The same results with imported values unchanged, plausible or not."""
    records = Records.of(workspace)
    folder, suites = records.workspace.folder, suites_with_returns(records)
    if not suites:
        raise WorkspaceError(f"{folder} has no results yet; create some with convergebench run")
    wanted = _recorded_suite(records, suites, SuiteId.parse(suite) if suite else None)
    name = str(wanted.whole)
    chosen = [one for one in _returning(records) if one.case.suite == name and one.editor.is_one_of(models)]
    imported = imported_returns(records.imported(name, models))
    if not chosen and not imported:
        known = {one.model for one in _returning(records)} | {row.model for row in records.imported(name)}
        raise WrongUse(
            f"{folder} has no matching results in {name}; its suites are {', '.join(sorted(suites))} "
            f"and its models are {', '.join(sorted(known))}"
        )
    facts = _metric_facts(records, imported)
    pairs = _Pairs(facts, records.pair_values, records.clip_directions)
    return _by_edits(_Recorded(name, _of_one_protocol(chosen), imported, records, pairs), wanted)


def _returning(records: Records) -> list[TrajectoryRecord]:
    """The newest trajectories of protocols with returns."""
    return [one for one in records.trajectories if one.is_newest and one.protocol in RETURNING]


@dataclass(frozen=True)
class _Recorded:
    """The relevant part of a workspace, before it is divided by kind of edit."""

    suite: str
    trajectories: Sequence[TrajectoryRecord]
    imported: Sequence[Return]
    records: Records
    pairs: _Pairs


def _by_edits(recorded: _Recorded, wanted: SuiteId) -> Results:
    reversible, partial = _results(recorded, "reversible"), _results(recorded, "partially reversible")
    if reversible is not None and not wanted.partial:
        return replace(reversible, partial=partial)
    if partial is None:
        raise WrongUse(f"{recorded.suite} has no partially reversible edits; remove /partial")
    return partial


def _of_one_protocol(trajectories: Sequence[TrajectoryRecord]) -> list[TrajectoryRecord]:
    """The trajectories of the protocol that was started last: rounds of different protocols are not
    comparable."""
    return [one for one in trajectories if one.protocol == trajectories[-1].protocol]


def _results(recorded: _Recorded, edits: Edits) -> Results | None:
    """The results for the edits of one kind; None if there are none."""
    chosen = {one.id: one for one in recorded.trajectories if _edits(one.case.reversibility) == edits}
    imported = [item for item in recorded.imported if _edits(item.reversibility) == edits]
    if not chosen and not imported:
        return None
    steps = [step for step in recorded.records.steps if step.trajectory in chosen]
    imports = {run.id for run in recorded.records.runs if run.is_import}
    rounds = [one.rounds for one in chosen.values()] + [item.round for item in imported]
    contexts = step_contexts(steps, chosen)
    forwards = _forwards(steps, contexts, recorded.pairs)
    verdicts = _verdicts(steps, recorded.records.round_trip_verdicts)
    returns = (*_returns(steps, chosen, imports, contexts, recorded.pairs, forwards, verdicts), *imported)
    # The workspace may contain metrics that measured no return of this suite.
    measured = {name for item in returns for name in item.values}
    return Results(
        suite=recorded.suite,
        rounds=max(rounds),
        metrics=tuple(one for one in recorded.pairs.facts if one.name in measured),
        returns=returns,
        troubles=_troubles(steps, chosen, forwards, verdicts),
        uses=_uses(steps, chosen, imports),
        protocol=next((one.protocol for one in chosen.values()), "round_trip"),
        edits=edits,
    )


def _edits(reversibility: Reversibility) -> Edits:
    return "reversible" if reversibility == "reversible" else "partially reversible"


def _recorded_suite(records: Records, suites: Sequence[str], wanted: SuiteId | None) -> SuiteId:
    """The suite itself, or the one of that name that ran last; without one, the suite of the last run."""
    if wanted is not None and str(wanted.whole) in suites:
        return wanted
    ran = [str(run.settings.get("suite")) for run in reversed(records.runs)]
    latest = [SuiteId.parse(one) for one in (*ran, *reversed(suites)) if one in suites]
    if wanted is None:
        return latest[0]
    found = next((one for one in latest if one.is_named(str(wanted.whole))), wanted)
    return replace(found, partial=wanted.partial)


def _metric_facts(records: Records, imported: Sequence[Return]) -> tuple[MetricFacts, ...]:
    """Facts of the metrics with values in the workspace, or in imported results."""
    used = {*records.newest_versions, *(name for item in imported for name in item.values)}
    order = dict.fromkeys([*metrics.expand(metrics.DEFAULT_MEASURED), *metrics.names()])
    return tuple(metrics.facts(name) for name in order if name in used)


@dataclass(frozen=True)
class _Pairs:
    """The measurements of pairs of pictures."""

    facts: tuple[MetricFacts, ...]
    values: PairValues
    clip_directions: ClipDirections

    def of(self, reference: Digest | None, picture: Digest | None) -> Mapping[str, Measurement]:
        """The available measurements of a pair; a picture is perfect against itself."""
        if reference is None or picture is None:
            return {}
        if reference == picture:
            return {
                facts.name: Measurement(facts.name, facts.version, facts.perfect)
                for facts in self.facts
                if facts.dimension != "region"
            }
        return self.values.get((reference, picture), {})

    def of_edit(self, edit: StepRecord, context: Digest | None) -> Mapping[str, Measurement]:
        """The measurements of a step's picture with its input, its direction, and the visibility of the
        edit."""
        pair = (edit.inputs[0], edit.picture)
        return {
            **self.of(*pair),
            **self.clip_directions.of(*pair, edit.instruction),
            **self.stored(context, edit.picture),
        }

    def stored(self, reference: Digest | None, picture: Digest | None) -> Mapping[str, Measurement]:
        return self.values.get((reference, picture), {}) if reference and picture else {}


def _forwards(
    steps: Sequence[StepRecord], contexts: Mapping[tuple[int, int], Digest], pairs: _Pairs
) -> _Forwards:
    edits: defaultdict[tuple[int, int], list[Mapping[str, Measurement]]] = defaultdict(list)
    for step in steps:
        if is_forward(step.role):
            context = contexts.get((step.trajectory, step.position))
            edits[step.trajectory, step.round].append(pairs.of_edit(step, context))
    return {place: tuple(measured) for place, measured in edits.items()}


def _verdicts(steps: Sequence[StepRecord], stored: RoundTripVerdicts) -> _Verdicts:
    """What judges said of each round; only rounds with a verdict."""
    if not stored.values:
        return {}
    instructions = forward_instructions(steps)
    source = {step.trajectory: step.inputs for step in steps if step.position == 0}
    found: defaultdict[tuple[int, int], RoundVerdicts] = defaultdict(RoundVerdicts)
    for step in steps:
        place = (step.trajectory, step.round)
        if is_forward(step.role):
            happened = stored.of(HAPPENED, step.inputs, step.picture, step.instruction)
            found[place] = replace(found[place], happened=(*found[place].happened, happened))
        elif step.role in RETURN_ROLES:
            shown = source[step.trajectory], step.picture, shown_instruction(instructions[place])
            found[place] = replace(
                found[place], restored=stored.of(RESTORED, *shown), undone=stored.of(UNDONE, *shown)
            )
    return found


def _returns(
    steps: Sequence[StepRecord],
    chosen: Mapping[int, TrajectoryRecord],
    imports: Collection[int],
    contexts: Mapping[tuple[int, int], Digest],
    pairs: _Pairs,
    forwards: _Forwards,
    verdicts: _Verdicts,
) -> tuple[Return, ...]:
    sources = {step.trajectory: step.inputs for step in steps if step.position == 0}
    made = [(step, step.picture) for step in steps if step.picture and step.role in RETURN_ROLES]
    returned = {(step.trajectory, step.round): picture for step, picture in made}
    cases = {identity: _case_of(chosen[identity], inputs) for identity, inputs in sources.items()}
    return tuple(
        Return(
            **cases[step.trajectory],
            role=chosen[step.trajectory].editor.role,
            round=step.round,
            digest=picture,
            values=_return_values(
                pairs.stored(sources[step.trajectory][0], picture),
                pairs.stored(contexts.get((step.trajectory, step.position)), picture),
            ),
            moved=pairs.of(returned.get((step.trajectory, step.round - 1)), picture),
            forwards=forwards.get((step.trajectory, step.round), ()),
            imported=step.run in imports,
            verdicts=verdicts.get((step.trajectory, step.round), NO_VERDICTS),
        )
        for step, picture in made
    )


def _return_values(
    against_source: Mapping[str, Measurement], in_chain: Mapping[str, Measurement]
) -> Mapping[str, Measurement]:
    """A forward picture can be the same file as a return; its measurements as an edit are left out."""
    if not in_chain:
        return against_source
    return (
        {**against_source, **in_chain}
        if FOOTPRINT not in against_source
        else {name: one for name, one in (*against_source.items(), *in_chain.items()) if name != FOOTPRINT}
    )


def _troubles(
    steps: Sequence[StepRecord],
    chosen: Mapping[int, TrajectoryRecord],
    forwards: _Forwards,
    verdicts: _Verdicts,
) -> tuple[FailedStep, ...]:
    sources = {step.trajectory: step.inputs for step in steps if step.position == 0}
    return tuple(
        FailedStep(
            **_case_of(chosen[step.trajectory], sources[step.trajectory]),
            round=step.round,
            role=step.role,
            kind_of_failure=step.failure,
            reason=step.reason or "",
            forwards=() if is_forward(step.role) else forwards.get((step.trajectory, step.round), ()),
            verdicts=verdicts.get((step.trajectory, step.round), NO_VERDICTS),
        )
        for step in steps
        if step.failure is not None
    )


def _case_of(trajectory: TrajectoryRecord, sources: Sequence[Digest]) -> dict[str, Any]:
    case = trajectory.case
    return {
        "model": trajectory.model,
        "case": case.id,
        "picture": case.picture,
        "pair": case.pair,
        "kind": case.kind,
        "category": case.category,
        "seed": trajectory.seed,
        "reversibility": case.reversibility,
        "content": case.content(sources),
    }


def _uses(
    steps: Sequence[StepRecord], chosen: Mapping[int, TrajectoryRecord], imports: Collection[int]
) -> tuple[ModelUse, ...]:
    uses = []
    for editor in dict.fromkeys(one.editor.fingerprint for one in chosen.values()):
        mine = {key: one for key, one in chosen.items() if one.editor.fingerprint == editor}
        done = [step for step in steps if step.trajectory in mine]
        made = [step for step in done if step.picture is not None]
        timed = [step.seconds for step in made if step.run not in imports]
        is_priced = all(step.cost_usd is not None for step in made)
        last_rounds = Counter(step.trajectory for step in made if step.role in RETURN_ROLES)
        first = next(iter(mine.values()))
        uses.append(
            ModelUse(
                model=first.model,
                role=first.editor.role,
                trajectories=len(mine),
                complete=sum(last_rounds[one.id] == one.rounds for one in mine.values()),
                edits=len(made),
                failures=len(done) - len(made),
                mean_seconds=sum(timed) / len(timed) if timed else None,
                cost_usd=sum(step.spent_usd or 0.0 for step in done) if is_priced else None,
                pastes_back=bool(first.editor.parameters.get("paste")),
            )
        )
    return tuple(uses)
