"""Reasoner calls: the judgement of each round of a refinement, and the primary edit it started from."""

from __future__ import annotations

from concurrent.futures import Future

from convergebench.store.timestamp import timestamp
from convergebench.store.workspace import Workspace
from convergebench.types import Digest


def record_reasoner_call(
    workspace: Workspace, trajectory: int, round: int, primary_step: int, judgement: str, run: int
) -> Future[None]:
    now = timestamp()
    row = (trajectory, round, primary_step, judgement, run, now)
    return workspace.write_rows("INSERT OR REPLACE INTO looks VALUES (?, ?, ?, ?, ?, ?)", [row])


def primary_of(workspace: Workspace, trajectory: int) -> Digest | None:
    """The picture that a refinement started from; None without a reasoner call."""
    sql = """
        SELECT s.picture FROM looks l JOIN steps s ON s.id = l.primary_step
        WHERE l.trajectory = ? ORDER BY l.round LIMIT 1
    """
    rows = workspace.query(sql, trajectory)
    return str(rows[0]["picture"]) if rows else None


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
