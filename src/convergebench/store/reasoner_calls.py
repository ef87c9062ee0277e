"""Reasoner calls: the judgement of each round of a refinement, and the primary edit it started from."""

from __future__ import annotations

from concurrent.futures import Future

from convergebench.store.timestamp import timestamp
from convergebench.store.workspace import Workspace
from convergebench.types import Digest

_RECORD = """
    INSERT INTO looks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET primary_step = excluded.primary_step, judgement = excluded.judgement,
        run = excluded.run, at = excluded.at
    WHERE (primary_step, judgement) != (excluded.primary_step, excluded.judgement)
"""
_FIRST_EDIT = "SELECT inputs ->> 0 FROM steps WHERE trajectory = ? ORDER BY position LIMIT 1"
_FIRST_CALL = """
    SELECT s.picture FROM looks l JOIN steps s ON s.id = l.primary_step
    WHERE l.trajectory = ? ORDER BY l.round LIMIT 1
"""


def record_reasoner_call(
    workspace: Workspace, trajectory: int, round: int, primary_step: int, judgement: str, run: int
) -> Future[None]:
    """One that is there keeps its run if nothing has changed, since that run made what followed."""
    row = (trajectory, round, primary_step, judgement, run, timestamp())
    return workspace.write_rows(_RECORD, [row])


def primary_of(workspace: Workspace, trajectory: int) -> Digest | None:
    """The picture that a refinement started from; None before it has begun."""
    for sql in (_FIRST_EDIT, _FIRST_CALL):
        for row in workspace.query(sql, trajectory):
            return str(row[0])
    return None


def finished_step(workspace: Workspace, trajectory: int) -> int:
    """The id of the step that created a single edit's picture."""
    sql = "SELECT id FROM steps WHERE trajectory = ? AND position = 0 AND picture IS NOT NULL"
    ((identity,),) = workspace.query(sql, trajectory)
    return int(identity)


def reply_to(workspace: Workspace, judgement: str) -> str:
    """The raw reply that settled a judgement."""
    sql = "SELECT reply FROM judge_attempts WHERE judgement = ? AND outcome = 'ok' ORDER BY id DESC LIMIT 1"
    ((reply,),) = workspace.query(sql, judgement)
    return str(reply)
