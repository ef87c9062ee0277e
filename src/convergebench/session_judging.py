"""Judge the sessions in a workspace, turn by turn: a session that failed is not judged further."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from convergebench.benchmarks.session_scoring import (
    session_rubric,
    session_scoring,
    steps_of,
    turn_subjects,
)
from convergebench.engine.judging.judge_tasks import judge_tasks
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingTask
from convergebench.engine.progress import JudgingProgress
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.judges import Judge, Subject, Verdict
from convergebench.results import Records
from convergebench.results.sessions import load_sessions
from convergebench.store import Workspace
from convergebench.types import SuiteId


async def judge_sessions(
    workspace: Workspace,
    suite: SuiteId,
    open_judge: Callable[[], Judge],
    *,
    models: Sequence[str] = (),
    prompts: str = "",
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> JudgingOutcome:
    """Ask for every verdict that the figures of these sessions need and that is not in the workspace yet.

    All sessions are judged at turn 1, then those that passed at turn 2, and so on. `open_judge` is called
    once a turn, since a judge is closed when its questions are answered. `prompts` is a copy of the
    repository whose published wording is used, or a rubric of your own.
    """
    scoring = session_scoring(suite)
    asked = session_rubric(suite, prompts)
    records = Records.of(workspace)
    steps = steps_of(records, load_sessions(records, [suite], models))
    alive = {key: turn_subjects(group, scoring) for key, group in steps.items()}
    total = JudgingOutcome()
    settings = {"command": "turns", "suite": suite, "rubric": asked.name, "max_cost_usd": limits.max_cost_usd}
    with workspace.run(settings) as run:
        turn = 0
        while alive := _reaching(alive, turn := turn + 1):
            tasks = [JudgingTask(asked, subjects[turn]) for subjects in alive.values()]
            judged = await judge_tasks(
                tasks, open_judge(), workspace, run=run.id, limits=limits.after(total.spent_usd),
                retry_missing=retry_missing, progress=progress,
            )  # fmt: skip
            total.add(judged)
            if total.is_cut_short:
                break
            passed = [_passes(verdict, scoring.rule.passes) for verdict in judged.verdicts]
            alive = {key: alive[key] for key, ok in zip(alive, passed, strict=True) if ok}
        run.ending = total.ending
    return total


def _reaching(alive: dict[int, dict[int, Subject]], turn: int) -> dict[int, dict[int, Subject]]:
    return {key: subjects for key, subjects in alive.items() if turn in subjects}


def _passes(verdict: Verdict | None, passes: Callable[..., bool]) -> bool:
    return verdict is not None and verdict.outcome == "ok" and passes(verdict.scores)
