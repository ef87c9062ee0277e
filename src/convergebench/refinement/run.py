"""The whole refinement: edit, query a reasoner, edit again, and judge the pictures in parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from convergebench import api
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.engine import RunProgress
from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.judging.tasks import JudgingOutcome
from convergebench.engine.progress import JudgingProgress
from convergebench.engine.refining.session import RefinementOutcome, RefiningStage
from convergebench.engine.shared_limits import limits_in
from convergebench.judges import Verdict
from convergebench.refinement.judging import RefinedJudgement
from convergebench.refinement.prepare import PreparedRefinement, prepare
from convergebench.refinement.settings import RefinementSettings, refinement_settings
from convergebench.results.refinements import refined_case
from convergebench.store import Workspace
from convergebench.types import SuiteId


@dataclass(frozen=True)
class RefinementResult:
    """The result of one run of `refine`."""

    settings: RefinementSettings
    suite: SuiteId
    cases: Sequence[RefinedCase]
    outcome: RefinementOutcome
    judged: JudgingOutcome | None
    """None if no judge is set."""
    judgements: Sequence[RefinedJudgement]
    verdicts: Mapping[int, Verdict | None]
    """By index of the judgement; judgements without a picture have none."""
    wording: str = ""
    """Whose words the judge was asked in; empty for our own."""


def refine(models: Sequence[str] | str, **settings: Any) -> RefinementResult:
    """Refine a suite or one picture, or resume. `settings` are the fields of `RefinementSettings`."""
    prepared = prepare(refinement_settings({"models": models, **settings}))
    with Workspace.create(Path(prepared.settings.workspace)) as workspace:
        return carry_out(prepared, workspace)


def carry_out(
    prepared: PreparedRefinement,
    workspace: Workspace,
    *,
    progress: RunProgress | None = None,
    judging_progress: JudgingProgress | None = None,
) -> RefinementResult:
    """Do all remaining work; finished work is reused from the workspace."""
    settings = {"command": "refine", **asdict(prepared.settings), "suite": prepared.suite}
    with workspace.run(settings) as run:
        stages = _Stages(prepared, workspace, run.id, progress, judging_progress)
        result = api.run_coroutine(stages.carry_out())
        if result.judged is not None and result.outcome.ending == "finished":
            run.ending = result.judged.ending
        else:
            run.ending = result.outcome.ending
    return result


class _Stages:
    """Refining and judging in parallel, within shared limits."""

    def __init__(
        self,
        prepared: PreparedRefinement,
        workspace: Workspace,
        run: int,
        progress: RunProgress | None,
        judging_progress: JudgingProgress | None,
    ) -> None:
        self._prepared = prepared
        self._workspace = workspace
        limits = limits_in(workspace, run, prepared.settings.limits)
        retry_missing = prepared.settings.retry_missing
        self._refining = RefiningStage(
            prepared.plan, workspace, limits, run=run, retry_missing=retry_missing, progress=progress,
            on_picture=self._judge_case,
        )  # fmt: skip
        self._judging: JudgingStage | None = None
        if prepared.judge is not None:
            self._judging = JudgingStage(
                prepared.judge, workspace, limits, run=run, retry_missing=retry_missing,
                progress=judging_progress, expected=prepared.most_judgements,
            )  # fmt: skip

    async def carry_out(self) -> RefinementResult:
        with interruptible(self._interrupt):
            if self._judging is None:
                return self._unjudged(await self._refining.carry_out())
            async with self._judging:
                result = self._unjudged(await self._refining.carry_out())
                tasks = {place: one.task for place, one in enumerate(result.judgements) if one.task}
                keys = self._judging.add(tasks.values())
        judged = self._judging.judged(keys)
        return replace(result, judged=judged, verdicts=dict(zip(tasks, judged.verdicts, strict=True)))

    def _judge_case(self, trajectory: int) -> None:
        """Queue a case's pictures for judging while editing continues."""
        if self._judging is not None and self._prepared.judges_beside:
            case = refined_case(self._workspace, self._prepared.suite, trajectory)
            self._judging.add(one.task for one in self._prepared.judgements_of([case]) if one.task)

    def _interrupt(self) -> None:
        self._refining.interrupt()
        if self._judging is not None:
            self._judging.interrupt()

    def _unjudged(self, outcome: RefinementOutcome) -> RefinementResult:
        """The result after editing has ended, without verdicts."""
        prepared = self._prepared
        cases = prepared.refined(self._workspace, prepared.pipelines)
        to_judge = prepared.judgements_of(cases) if self._judging is not None else []
        return RefinementResult(
            prepared.settings, prepared.suite, cases, outcome, None, to_judge, {}, prepared.wording
        )
