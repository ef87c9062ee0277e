"""From a workspace to sessions: the newest generation of every trajectory of turns, with its measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convergebench.analysis.sessions.turns import NO_PICTURE, NOT_REACHED, SessionResult, TurnResult
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.protocols import BY_TURN
from convergebench.protocols.base import INDEPENDENT
from convergebench.protocols.chain_context import (
    TurnContexts,
    caption_context,
    earlier_masks,
    target_context,
)
from convergebench.results.records import Records, WorkspaceOrRecords
from convergebench.results.runs import UNUSABLE
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.suites.case_hints import MASKS, TARGETS, caption_of, digests_of, tasks_of
from convergebench.types import Digest, Measurement, SuiteId

TO_TARGET = "target_"
"""Before the name of a metric of a result against its target, such as target_clip."""


def suites_with_sessions(workspace: WorkspaceOrRecords) -> list[SuiteId]:
    """In the order of their first trajectories."""
    records = Records.of(workspace)
    return list(dict.fromkeys(one.case.suite for one in session_trajectories(records)))


def session_trajectories(records: Records) -> list[TrajectoryRecord]:
    """The newest trajectories of protocols that are scored by turn, each under its own protocol's suite."""
    return [
        one
        for one in records.trajectories
        if one.is_newest and one.protocol in BY_TURN and one.case.suite.part == one.protocol
    ]


def choose_suites(workspace: WorkspaceOrRecords, suite: SuiteId | None) -> list[SuiteId]:
    """The suites that a name selects: its whole id, or all protocols of its name. For None, those that the
    last run made, or the last import; judging makes none."""
    records = Records.of(workspace)
    known = suites_with_sessions(records)
    if not known:
        raise WorkspaceError(
            f"{records.workspace.folder} has no sessions; run a set of several turns, such as edival-mini"
        )
    if suite is None:
        made = (run.settings.get("suite") for run in reversed(records.runs) if "command" not in run.settings)
        found = (_selected(known, str(ran)) for ran in made)
        return next((chosen for chosen in found if chosen), known[-1:])
    if not (chosen := _selected(known, suite)):
        raise WrongUse(f"no sessions of {suite}; this workspace has those of {', '.join(known)}")
    return chosen


def _selected(known: Sequence[SuiteId], name: str) -> list[SuiteId]:
    return [one for one in known if one.is_named(name) or one.base == name]


def unusable_entries(records: Records, suite: SuiteId) -> dict[str, str]:
    """Entries of the suite's data that are no sessions, with the reason, as runs of the whole suite found."""
    found: dict[str, str] = {}
    for run in records.runs:
        ran = SuiteId(str(run.settings.get("suite") or ""))
        if ran.name == suite.name and ran.version in ("", suite.version):
            found |= run.settings.get(UNUSABLE) or {}
    return found


def load_sessions(
    workspace: WorkspaceOrRecords, suites: Sequence[str], models: Sequence[str] = ()
) -> list[SessionResult]:
    """All sessions of these suites, of all models or of those named."""
    records = Records.of(workspace)
    chosen = {
        one.id: one
        for one in session_trajectories(records)
        if one.case.suite in suites and one.editor.is_one_of(models)
    }
    steps: dict[int, list[StepRecord]] = {}
    for step in records.steps:
        if step.trajectory in chosen:
            steps.setdefault(step.trajectory, []).append(step)
    return [_session(records, one, steps.get(one.id, [])) for one in chosen.values()]


def _session(records: Records, trajectory: TrajectoryRecord, steps: Sequence[StepRecord]) -> SessionResult:
    case = trajectory.case
    contexts = TurnContexts(tasks_of(case.hints))
    found = {step.round: _turn(records, trajectory, step, steps[0].inputs[0], contexts) for step in steps}
    return SessionResult(
        trajectory.model,
        trajectory.editor.role,
        trajectory.protocol,
        case.id,
        case.picture,
        case.category,
        trajectory.seed,
        trajectory.id,
        tuple(
            found.get(number, TurnResult(number, missing=NOT_REACHED))
            for number in range(1, trajectory.rounds + 1)
        ),
    )


def _turn(
    records: Records, trajectory: TrajectoryRecord, step: StepRecord, source: Digest, contexts: TurnContexts
) -> TurnResult:
    if step.picture is None:
        return TurnResult(step.round, missing=f"{NO_PICTURE}{step.reason or step.failure}")
    given = step.inputs[0]
    reference = given if step.role == INDEPENDENT else source
    context = contexts.of_step(step.role, step.round, given, step.picture)
    stored = records.pair_values
    values = {
        **stored.get((reference, step.picture), {}),
        **stored.get((context, step.picture), {}),
        **stored.get((caption_context(caption_of(trajectory.case.hints, step.round)), step.picture), {}),
        **_to_target(stored, trajectory.case.hints, step, reference, step.picture),
        **records.clip_directions.of(given, step.picture, step.instruction),
    }
    return TurnResult(step.round, values)


def _to_target(
    stored: Mapping[tuple[Digest, Digest], Mapping[str, Measurement]],
    hints: Mapping[str, str],
    step: StepRecord,
    source: Digest,
    picture: Digest,
) -> dict[str, Measurement]:
    masks = digests_of(hints, MASKS)
    target, mask = digests_of(hints, TARGETS).get(step.round), masks.get(step.round)
    if target is None and mask is None:
        return {}
    against = stored.get((target, picture), {}) if target else {}
    context = target_context(source, target, mask, earlier_masks(step.role, step.round, masks))
    distances = stored.get((context, picture), {})
    return {**{f"{TO_TARGET}{name}": one for name, one in against.items()}, **distances}
