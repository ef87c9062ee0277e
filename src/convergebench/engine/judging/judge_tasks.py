"""Judging a list of tasks: verdicts in the workspace are reused, and the judge is asked for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging.judge_client import ASK_AGAIN
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingTask
from convergebench.engine.progress import JudgingProgress
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.engine.shared_limits import limits_in
from convergebench.judges import Judge
from convergebench.store import Workspace

__all__ = ["JudgingOutcome", "JudgingProgress", "JudgingTask", "judge_in_run", "judge_tasks"]


async def judge_tasks(
    tasks: Sequence[JudgingTask],
    judge: Judge,
    workspace: Workspace,
    *,
    run: int,
    limits: RunLimits = DEFAULT_LIMITS,
    ask_again: int = ASK_AGAIN,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> JudgingOutcome:
    """A verdict for every task: the stored one, or a new one from the judge.

    A missing verdict is recorded too, and is final unless `retry_missing` is set. A question whose reply does
    not parse is repeated up to `ask_again` times. The judge is started with the first question and closed at
    the end. On SIGINT, requests in flight are allowed to finish.
    """
    judging = JudgingStage(
        judge, workspace, limits_in(workspace, run, limits), run=run, ask_again=ask_again,
        retry_missing=retry_missing, progress=progress,
    )  # fmt: skip
    with interruptible(judging.interrupt):
        async with judging:
            keys = judging.add(tasks)
    return judging.judged(keys)


async def judge_in_run(
    tasks: Sequence[JudgingTask],
    judge: Judge,
    workspace: Workspace,
    settings: Mapping[str, Any],
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> JudgingOutcome:
    """Judge the tasks as a separate run, recorded with these settings, the judge and the limits."""
    recorded = {
        **settings, "judge": judge.facts.name, "concurrency": limits.judge_concurrency,
        "per_minute": limits.per_minute, "max_cost_usd": limits.max_cost_usd, "retry_missing": retry_missing,
    }  # fmt: skip
    with workspace.run(recorded) as run:
        judged = await judge_tasks(
            tasks, judge, workspace, run=run.id, limits=limits, retry_missing=retry_missing, progress=progress
        )
        run.interrupted = judged.interrupted
    return judged
