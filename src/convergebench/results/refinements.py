"""Refinements in a workspace: each case's pictures, what the reasoner said of them, and what is missing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence

from convergebench.analysis.refinement.refined_case import RefinedCase, RefinementRound, RefinementStage
from convergebench.judges.reasoning import advice_in
from convergebench.protocols import one_shot
from convergebench.protocols.refine import CHAINED, NAMES
from convergebench.store import IS_NEWEST, Workspace
from convergebench.types import Failure, PictureFacts, Step

_TRAJECTORIES = """
    SELECT t.id, t.protocol, t.editor, t.seed, t.case_fingerprint, e.name, e.parameters,
           c.suite, c.id AS case_id, c.category, c.language, c.picture, c.forward, c.hints
    FROM trajectories t
    JOIN editors e ON e.fingerprint = t.editor
    JOIN cases c ON c.fingerprint = t.case_fingerprint
"""
_REFINEMENTS = f"""
    {_TRAJECTORIES} WHERE t.protocol IN (SELECT value FROM json_each(?)) AND {IS_NEWEST} ORDER BY t.id
"""
_LOOKS = """
    SELECT l.round, l.primary_step, j.outcome, j.missing, (
        SELECT a.reply FROM judge_attempts a
        WHERE a.judgement = j.key AND a.outcome = 'ok' ORDER BY a.id DESC LIMIT 1) AS reply
    FROM looks l JOIN judgements j ON j.key = l.judgement WHERE l.trajectory = ? ORDER BY l.round
"""
_SINGLE = """
    SELECT s.picture, s.reason, s.inputs, e.name FROM editors e
    LEFT JOIN trajectories t ON t.editor = e.fingerprint AND t.protocol = ? AND t.case_fingerprint = ?
        AND t.seed = ?
    LEFT JOIN steps s ON s.trajectory = t.id
    WHERE e.fingerprint = ? ORDER BY t.generation DESC, s.id DESC LIMIT 1
"""
_STEP = """
    SELECT s.picture, s.reason, s.inputs, e.name FROM steps s
    JOIN trajectories t ON t.id = s.trajectory JOIN editors e ON e.fingerprint = t.editor WHERE s.id = ?
"""


def refinements(
    workspace: Workspace,
    *,
    suite: str | None = None,
    editors: Collection[str] = (),
    protocols: Collection[str] = NAMES,
) -> list[RefinedCase]:
    """All that was refined, of all suites and by all unless some are named; `editors` are fingerprints.

    Single edits, where their protocol is named, are given as cases that nobody has looked at.
    """
    if not workspace.query("SELECT 1 FROM sqlite_master WHERE name = 'looks'"):
        return []  # a workspace of an older version that is only looked at
    return [
        _case(workspace, row)
        for row in workspace.query(_REFINEMENTS, json.dumps(list(protocols)))
        if suite in (None, row["suite"], row["suite"].partition("@")[0])
        if not editors or row["editor"] in editors
    ]


def refined_case(workspace: Workspace, suite: str, trajectory: int) -> RefinedCase:
    """One of them, as far as it is."""
    (row,) = workspace.query(f"{_TRAJECTORIES} WHERE t.id = ? AND c.suite = ?", trajectory, suite)
    return _case(workspace, row)


def _case(workspace: Workspace, row: sqlite3.Row) -> RefinedCase:
    looks = workspace.query(_LOOKS, row["id"])
    primary = _primary(workspace, row, looks)
    stand = _stand(primary["picture"], f"no picture: {primary['reason'] or 'not edited yet'}")
    steps = workspace.steps(row["id"])
    return RefinedCase(
        primary["name"], row["name"], row["suite"], row["case_id"],
        row["case_fingerprint"], row["category"], row["language"],
        row["picture"], row["forward"], json.loads(row["hints"]), row["seed"],
        tuple(json.loads(primary["inputs"] or "[]")), stand,
        _rounds(looks, steps, stand, chained=row["protocol"] == CHAINED),
    )  # fmt: skip


def _primary(workspace: Workspace, row: sqlite3.Row, looks: Sequence[sqlite3.Row]) -> sqlite3.Row:
    """The edit that the refinement began with; before it began, the model's newest single edit."""
    if looks:
        (found,) = workspace.query(_STEP, looks[0]["primary_step"])
        return found
    is_single = row["protocol"] == one_shot().name
    editor = row["editor"] if is_single else json.loads(row["parameters"])["primary"]
    (found,) = workspace.query(_SINGLE, one_shot().name, row["case_fingerprint"], row["seed"], editor)
    return found


def _rounds(
    looks: Sequence[sqlite3.Row], steps: Sequence[Step], before: RefinementStage, *, chained: bool
) -> tuple[RefinementRound, ...]:
    found: list[RefinementRound] = []
    for look in looks:
        advice = advice_in(look["reply"]) if look["outcome"] == "ok" else None
        if advice is None:
            stand = RefinementStage(None, f"no advice: {look['missing'] or 'not answered yet'}")
        elif not advice.instructions:
            stand = before
        else:
            own = [step for step in steps if step.round == look["round"]]
            stand = _edited(own, len(advice.instructions) if chained else 1)
        found.append(RefinementRound(look["round"], advice, stand))
        before = stand
    return tuple(found)


def _edited(steps: Sequence[Step], wanted: int) -> RefinementStage:
    for step in steps:
        if isinstance(step.outcome, Failure):
            return RefinementStage(None, f"no picture: {step.outcome.reason}")
    if len(steps) < wanted or not isinstance(steps[-1].outcome, PictureFacts):
        return RefinementStage(None, "no picture: not edited yet")
    return RefinementStage(steps[-1].outcome.digest)


def _stand(picture: str | None, missing: str) -> RefinementStage:
    return RefinementStage(picture, None if picture else missing)
