"""Refinements in a workspace: each case's pictures, the reasoner's replies, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

from convergebench.analysis.refinement.refined_case import RefinedCase, RefinementRound, RefinementStage
from convergebench.judges.reasoning import ALWAYS_EDITS, advice_in
from convergebench.protocols import one_shot
from convergebench.protocols.refine import CHAINED, NAMES
from convergebench.results.records import Records, WorkspaceOrRecords
from convergebench.results.trajectories import TrajectoryRecord, read_trajectories
from convergebench.types import Digest, Failure, PictureFacts, Step, SuiteId

_REASONER_CALLS = """
    SELECT l.round, l.primary_step, j.outcome, j.missing, (
        SELECT a.reply FROM judge_attempts a
        WHERE a.judgement = j.key AND a.outcome = 'ok' ORDER BY a.id DESC LIMIT 1) AS reply
    FROM looks l JOIN judgements j ON j.key = l.judgement WHERE l.trajectory = ? ORDER BY l.round
"""
_NEWEST_SINGLE_EDIT = """
    SELECT e.fingerprint, s.picture, s.reason, s.inputs FROM editors e
    LEFT JOIN trajectories t ON t.editor = e.fingerprint AND t.protocol = ? AND t.case_fingerprint = ?
        AND t.seed = ?
    LEFT JOIN steps s ON s.trajectory = t.id
    WHERE e.fingerprint = ? ORDER BY t.generation DESC, s.id DESC LIMIT 1
"""
_STEP = """
    SELECT t.editor, s.picture, s.reason, s.inputs
    FROM steps s JOIN trajectories t ON t.id = s.trajectory WHERE s.id = ?
"""


class ReasonerCallRecord(NamedTuple):
    """A reasoner's question in a round."""

    round: int
    primary_step: int
    outcome: str | None
    missing: str | None
    reply: str | None


class PrimaryEdit(NamedTuple):
    """The single edit at the start of a refinement."""

    editor: Digest
    picture: Digest | None
    reason: str | None
    inputs: str | None


def refinements(
    workspace: WorkspaceOrRecords,
    *,
    suite: SuiteId | None = None,
    editors: Collection[str] = (),
    protocols: Collection[str] = NAMES,
) -> list[RefinedCase]:
    """All refinements, of all suites and by all editors unless some are named; `editors` are fingerprints.

    Single edits, if their protocol is named, are returned as cases without a reasoner's call.
    """
    records = Records.of(workspace)
    return [
        _case(records, one)
        for one in records.trajectories
        if one.is_newest and one.protocol in protocols and one.case.suite.is_named(suite)
        if not editors or one.editor.fingerprint in editors
    ]


def refined_case(workspace: WorkspaceOrRecords, suite: SuiteId, trajectory: int) -> RefinedCase:
    """One refinement, possibly incomplete."""
    records = Records.of(workspace)
    found = read_trajectories(records.workspace, records.editors, only=[trajectory])
    (one,) = (one for one in found if one.case.suite == suite)
    return _case(records, one)


def _case(records: Records, refined: TrajectoryRecord) -> RefinedCase:
    case = refined.case
    calls = [ReasonerCallRecord(*row) for row in records.workspace.query(_REASONER_CALLS, refined.id)]
    primary = _primary(records, refined, calls)
    stage = _stage(primary.picture, f"no picture: {primary.reason or 'not edited yet'}")
    steps = records.workspace.steps(refined.id)
    return RefinedCase(
        records.editors[primary.editor].label, refined.model, case.suite, case.id,
        case.fingerprint, case.category, case.language,
        case.picture, case.forward, case.hints, refined.seed,
        tuple(json.loads(primary.inputs or "[]")), stage,
        _rounds(calls, steps, stage, case.forward if refined.editor.parameters.get(ALWAYS_EDITS) else None,
                chained=refined.protocol == CHAINED),
    )  # fmt: skip


def _primary(records: Records, refined: TrajectoryRecord, calls: Sequence[ReasonerCallRecord]) -> PrimaryEdit:
    """The primary edit of the refinement; before the refinement starts, the model's newest single edit."""
    if calls:
        (row,) = records.workspace.query(_STEP, calls[0].primary_step)
        return PrimaryEdit(*row)
    single = one_shot().name
    is_single = refined.protocol == single
    editor = refined.editor.fingerprint if is_single else refined.editor.parameters["primary"]
    (row,) = records.workspace.query(
        _NEWEST_SINGLE_EDIT, single, refined.case.fingerprint, refined.seed, editor
    )
    return PrimaryEdit(*row)


def _rounds(
    calls: Sequence[ReasonerCallRecord],
    steps: Sequence[Step],
    before: RefinementStage,
    again: str | None,
    *,
    chained: bool,
) -> tuple[RefinementRound, ...]:
    """`again` is the original instruction of a refinement that always edits."""
    found: list[RefinementRound] = []
    for call in calls:
        advice = advice_in(call.reply) if call.outcome == "ok" and call.reply is not None else None
        own = [step for step in steps if step.round == call.round]
        if advice is not None and (again is not None or own):
            # There was an edit, whatever a later reading of the reply makes of it.
            advice = advice.always(again or own[0].instruction)
        if advice is None:
            stage = RefinementStage(None, f"no advice: {call.missing or 'not answered yet'}")
        elif not advice.instructions:
            stage = before
        else:
            stage = _edited(own, len(advice.instructions) if chained else 1)
        found.append(RefinementRound(call.round, advice, stage))
        before = stage
    return tuple(found)


def _edited(steps: Sequence[Step], wanted: int) -> RefinementStage:
    for step in steps:
        if isinstance(step.outcome, Failure):
            return RefinementStage(None, f"no picture: {step.outcome.reason}")
    if len(steps) < wanted or not isinstance(steps[-1].outcome, PictureFacts):
        return RefinementStage(None, "no picture: not edited yet")
    return RefinementStage(steps[-1].outcome.digest)


def _stage(picture: str | None, missing: str) -> RefinementStage:
    return RefinementStage(picture, None if picture else missing)
