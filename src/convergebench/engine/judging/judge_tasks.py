"""Judging a list of tasks: what is kept already is taken, and the judge is asked for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging.judge_client import ASK_AGAIN
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingProgress, JudgingTask
from convergebench.engine.limits import Patience
from convergebench.engine.run_limits import Allowance
from convergebench.judges import Judge
from convergebench.store import Workspace

__all__ = ["JudgingOutcome", "JudgingProgress", "JudgingTask", "judge_tasks"]


async def judge_tasks(
    tasks: Sequence[JudgingTask],
    judge: Judge,
    workspace: Workspace,
    *,
    run: int,
    concurrency: int | None = None,
    per_minute: float | None = None,
    max_cost_usd: float | None = None,
    patience: Patience | None = None,
    ask_again: int = ASK_AGAIN,
    retry_missing: bool = False,
    onlooker: JudgingProgress | None = None,
) -> JudgingOutcome:
    """A verdict for every task: those that are kept already, and the judge's for the others.

    A verdict that is missing stands as well, until `retry_missing` asks for it anew. A reply that does not
    parse is asked for up to `ask_again` times more. The judge is started when the first question comes up,
    and closed at the end. SIGINT lets what is in flight finish.
    """
    judging = JudgingStage(
        judge, workspace, Allowance(max_cost_usd, per_minute, patience), run=run, concurrency=concurrency,
        ask_again=ask_again, retry_missing=retry_missing, onlooker=onlooker,
    )  # fmt: skip
    with interruptible(judging.interrupt):
        async with judging:
            keys = judging.add(tasks)
    return judging.judged(keys)
