"""Refine from beginning to end: edit, look and edit again, and judge what is there beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from convergebench import api
from convergebench._version import __version__
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.benchmarks.registry import refinement_figures
from convergebench.engine import RunProgress
from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingProgress
from convergebench.engine.refining.session import RefinementOutcome, Refinements
from convergebench.engine.run_limits import Allowance
from convergebench.judges import Verdict
from convergebench.refinement.judging import RefinedJudgement, judgements
from convergebench.refinement.prepare import PreparedRefinement, prepare
from convergebench.refinement.settings import RefinementSettings, refinement_settings
from convergebench.results.refinements import refined_case, refinements
from convergebench.store import Workspace


@dataclass(frozen=True)
class RefinementResult:
    """What came of it."""

    settings: RefinementSettings
    suite: str
    cases: Sequence[RefinedCase]
    outcome: RefinementOutcome
    judged: JudgingOutcome | None
    """None where nobody was to judge."""
    judgements: Sequence[RefinedJudgement]
    verdicts: Mapping[int, Verdict | None]
    """By place among the judgements; those without a picture have none."""


def refine(models: Sequence[str] | str, **settings: Any) -> RefinementResult:
    """Refine a suite, or one picture, or go on with it. `settings` are those of `RefinementSettings`."""
    prepared = prepare(refinement_settings({"models": models, **settings}))
    with Workspace.create(Path(prepared.settings.workspace)) as workspace:
        return carry_out(prepared, workspace)


def carry_out(
    prepared: PreparedRefinement,
    workspace: Workspace,
    *,
    watch: RunProgress | None = None,
    onlooker: JudgingProgress | None = None,
) -> RefinementResult:
    """Everything that is not done yet; what is done is taken from the workspace."""
    told = {"command": "refine", **asdict(prepared.settings), "suite": prepared.suite}
    run = workspace.start_run(told, __version__)
    ending = "failed"
    try:
        refined = api.run_coroutine(_Run(prepared, workspace, run, watch, onlooker).carry_out())
        interrupted = refined.outcome.interrupted or (
            refined.judged is not None and refined.judged.interrupted
        )
        ending = "interrupted" if interrupted else "finished"
    finally:
        workspace.finish_run(run, ending)
    return refined


class _Run:
    """Editing and judging, side by side, within one allowance."""

    def __init__(
        self,
        prepared: PreparedRefinement,
        workspace: Workspace,
        run: int,
        watch: RunProgress | None,
        onlooker: JudgingProgress | None,
    ) -> None:
        wanted = prepared.settings
        self._prepared = prepared
        self._workspace = workspace
        allowance = Allowance(wanted.max_cost_usd, wanted.per_minute)
        self._editing = Refinements(
            prepared.plan, workspace, allowance, run=run, concurrency=wanted.workers,
            reasoner_concurrency=wanted.reasoner_workers, retry_missing=wanted.retry_missing, watch=watch,
            on_stand=self._stands,
        )  # fmt: skip
        self._judging: JudgingStage | None = None
        if prepared.judge is not None:
            self._judging = JudgingStage(
                prepared.judge, workspace, allowance, run=run, concurrency=wanted.judge_workers,
                retry_missing=wanted.retry_missing, onlooker=onlooker, expected=prepared.most_judgements,
            )  # fmt: skip

    async def carry_out(self) -> RefinementResult:
        with interruptible(self._interrupt):
            if self._judging is None:
                return self._refined(await self._editing.carry_out())
            async with self._judging:
                edited = self._refined(await self._editing.carry_out())
                asked = {place: one.task for place, one in enumerate(edited.judgements) if one.task}
                keys = self._judging.add(asked.values())
        judged = self._judging.judged(keys)
        return replace(edited, judged=judged, verdicts=dict(zip(asked, judged.verdicts, strict=True)))

    def _stands(self, trajectory: int) -> None:
        """Have a case judged as it stands, while it and the others are edited on."""
        if self._judging is not None and self._prepared.judges_beside:
            case = refined_case(self._workspace, self._prepared.suite, trajectory)
            self._judging.add(one.task for one in self._judgements([case]) if one.task)

    def _judgements(self, cases: Sequence[RefinedCase]) -> list[RefinedJudgement]:
        figures = refinement_figures(self._prepared.suite)
        return judgements(cases, self._prepared.judged_rounds, self._prepared.settings.grades, figures)

    def _interrupt(self) -> None:
        self._editing.interrupt()
        if self._judging is not None:
            self._judging.interrupt()

    def _refined(self, outcome: RefinementOutcome) -> RefinementResult:
        """What is there when editing has ended, with no verdict yet."""
        cases = _cases(self._prepared, self._workspace)
        made = self._judgements(cases) if self._judging is not None else []
        return RefinementResult(self._prepared.settings, self._prepared.suite, cases, outcome, None, made, {})


def _cases(prepared: PreparedRefinement, workspace: Workspace) -> list[RefinedCase]:
    """Those of this plan alone, in the suite's order."""
    who = [one.facts.fingerprint for one in prepared.pipelines]
    order = {case.fingerprint: place for place, case in enumerate(prepared.cases)}
    found = refinements(workspace, suite=prepared.suite, editors=who, protocols=(prepared.plan.protocol,))
    own = [one for one in found if one.fingerprint in order and one.seed == prepared.settings.seed]
    return sorted(own, key=lambda one: (one.model, order[one.fingerprint]))
