"""Judgements: the question to a judge, every attempt, and the resulting verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from convergebench.store.timestamp import timestamp
from convergebench.store.workspace import Workspace
from convergebench.types import Digest

if TYPE_CHECKING:
    from convergebench.judges.base import JudgeAttempt, JudgeFacts, Verdict
    from convergebench.judges.reasoning import Prompt
    from convergebench.judges.rubric import Rubric

_FIRST_CLAIM = 1 << 40
"""Claims of judgements use bytes far behind those of the trajectories."""


@dataclass(frozen=True)
class JudgementRequest:
    """The identity of a judgement. The key is derived from all other fields."""

    key: str
    judge: str
    rubric: str
    pictures: tuple[tuple[str, Digest], ...]
    texts: Mapping[str, str]
    repeat: int


def claim_of(key: str) -> int:
    return _FIRST_CLAIM + int(key[:10], 16)


def enlist_judge(workspace: Workspace, judge: JudgeFacts, rubrics: Sequence[Rubric | Prompt]) -> None:
    """Record the judge and the full text of the rubrics."""
    row = (judge.fingerprint, judge.name, judge.version, json.dumps({"model": judge.model, **judge.settings}))
    workspace.write_rows("INSERT OR IGNORE INTO judges VALUES (?, ?, ?, ?)", [row]).result()
    rows = [(one.fingerprint, one.id, one.version, json.dumps(asdict(one))) for one in rubrics]
    workspace.write_rows("INSERT OR IGNORE INTO rubrics VALUES (?, ?, ?, ?)", rows).result()


def begin_judgement(workspace: Workspace, request: JudgementRequest, run: int) -> Future[None]:
    """Not needed before an attempt that is recorded with its request."""
    return workspace.write_together([_beginning(request, run)])


def _beginning(request: JudgementRequest, run: int) -> tuple[str, tuple[Any, ...]]:
    row = (request.key, request.judge, request.rubric, json.dumps(request.pictures),
           json.dumps(dict(request.texts), ensure_ascii=False), request.repeat, run, timestamp())  # fmt: skip
    sql = """
        INSERT OR IGNORE INTO judgements (key, judge, rubric, pictures, texts, repeat, run, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
    return sql, row


def record_attempt(
    workspace: Workspace,
    of: str | JudgementRequest,
    run: int,
    attempt: JudgeAttempt,
    verdict: Verdict | None = None,
) -> Future[None]:
    """Store the attempt at a judgement that is named by its key or begins with this, and together with it the
    verdict that it settles, so that no answer is on the disk and asked for again."""
    begun = [] if isinstance(of, str) else [_beginning(of, run)]
    key = of if isinstance(of, str) else of.key
    reply = attempt.reply
    row = {
        "judgement": key, "run": run, "outcome": attempt.outcome, "detail": attempt.detail,
        "reply": reply and reply.text, "finish_reason": reply and reply.finish_reason,
        "served_model": reply and reply.served_model, "sent_sizes": json.dumps(attempt.sent_sizes),
        "seconds": attempt.seconds, "tokens_read": reply and reply.tokens_read,
        "tokens_written": reply and reply.tokens_written, "cost_usd": attempt.cost_usd,
        "at": timestamp(),
    }  # fmt: skip
    sql = f"INSERT INTO judge_attempts ({', '.join(row)}) VALUES ({', '.join(':' + name for name in row)})"
    concluded = [_conclusion(key, run, verdict)] if verdict is not None else []
    return workspace.write_together([*begun, (sql, row), *concluded])


def conclude(workspace: Workspace, key: str, run: int, verdict: Verdict) -> Future[None]:
    """Store the verdict; scores replace a missing verdict, never the reverse."""
    return workspace.write_together([_conclusion(key, run, verdict)])


def _conclusion(key: str, run: int, verdict: Verdict) -> tuple[str, tuple[Any, ...]]:
    row = (verdict.outcome, verdict.value, json.dumps(dict(verdict.scores)), verdict.reason, verdict.missing,
           run, timestamp(), key)  # fmt: skip
    sql = """
        UPDATE judgements SET outcome = ?, value = ?, scores = ?, reason = ?, missing = ?, run = ?, at = ?
        WHERE key = ? AND outcome IS NOT 'ok'
    """
    return sql, row


def delete_judgement(workspace: Workspace, key: str) -> Future[None]:
    """Remove a judgement and every attempt at it."""
    workspace.write_rows("DELETE FROM judge_attempts WHERE judgement = ?", [(key,)])
    return workspace.write_rows("DELETE FROM judgements WHERE key = ?", [(key,)])


def delete_judge(workspace: Workspace, fingerprint: str) -> Future[None]:
    """Remove a judge with all its judgements."""
    attempts = "DELETE FROM judge_attempts WHERE judgement IN (SELECT key FROM judgements WHERE judge = ?)"
    workspace.write_rows(attempts, [(fingerprint,)])
    workspace.write_rows("DELETE FROM judgements WHERE judge = ?", [(fingerprint,)])
    return workspace.write_rows("DELETE FROM judges WHERE fingerprint = ?", [(fingerprint,)])
