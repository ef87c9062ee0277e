"""Judging a list of tasks: verdicts in the workspace are reused, and the judge is asked for the rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from convergebench.store.workspace import Run

__all__ = [
    "JudgingOutcome",
    "JudgingProgress",
    "JudgingTask",
    "judge_arriving",
    "judge_in_run",
    "judge_tasks",
    "judging_run",
]


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

    async def all_at_once(stage: JudgingStage) -> Sequence[JudgingTask]:
        return tasks

    return await judge_arriving(all_at_once, judge, workspace, settings, limits, retry_missing, progress)


async def judge_arriving(
    arriving: Callable[[JudgingStage], Awaitable[Sequence[JudgingTask]]],
    judge: Judge,
    workspace: Workspace,
    settings: Mapping[str, Any],
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> JudgingOutcome:
    """As `judge_in_run`, for tasks that become known one after the other. `arriving` may add some to the
    stage, which are judged at once, and returns all of them, in the order of the verdicts."""
    with judging_run(judge, workspace, settings, limits, retry_missing) as run:
        stage = JudgingStage(
            judge, workspace, limits_in(workspace, run.id, limits), run=run.id,
            retry_missing=retry_missing, progress=progress,
        )  # fmt: skip
        with interruptible(stage.interrupt):
            async with stage:
                keys = stage.add(await arriving(stage))
        judged = stage.judged(keys)
        run.ending = judged.ending
    return judged


@contextmanager
def judging_run(
    judge: Judge,
    workspace: Workspace,
    settings: Mapping[str, Any],
    limits: RunLimits,
    retry_missing: bool,
) -> Iterator[Run]:
    """A run, recorded with these settings, the judge and the limits."""
    recorded = {
        **settings, "judge": judge.facts.name, "concurrency": limits.judge_concurrency,
        "per_minute": limits.per_minute, "max_cost_usd": limits.max_cost_usd, "retry_missing": retry_missing,
    }  # fmt: skip
    with workspace.run(recorded) as run:
        yield run
