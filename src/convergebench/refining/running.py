"""Refine from beginning to end: edit, look and edit again, and judge what is there beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from convergebench import api
from convergebench._version import __version__
from convergebench.analysis.refined import RefinedCase, refined_case, refinements
from convergebench.engine import Watch
from convergebench.engine.allowance import Allowance
from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging_stage import Judging
from convergebench.engine.judging_tasks import Judged, Onlooker
from convergebench.engine.refining import Refinements, RefineOutcome
from convergebench.judges import Verdict
from convergebench.refining.judging import Judgement, judgements
from convergebench.refining.preparing import Prepared, prepare
from convergebench.refining.settings import Refining, refining_of
from convergebench.store import Workspace


@dataclass(frozen=True)
class Refined:
    """What came of it."""

    settings: Refining
    suite: str
    cases: Sequence[RefinedCase]
    outcome: RefineOutcome
    judged: Judged | None
    """None where nobody was to judge."""
    judgements: Sequence[Judgement]
    verdicts: Mapping[int, Verdict | None]
    """By place among the judgements; those without a picture have none."""


def refine(models: Sequence[str] | str, **settings: Any) -> Refined:
    """Refine a suite, or one picture, or go on with it. `settings` are those of `Refining`."""
    prepared = prepare(refining_of({"models": models, **settings}))
    with Workspace.create(Path(prepared.settings.workspace)) as workspace:
        return carry_out(prepared, workspace)


def carry_out(
    prepared: Prepared,
    workspace: Workspace,
    *,
    watch: Watch | None = None,
    onlooker: Onlooker | None = None,
) -> Refined:
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
        prepared: Prepared,
        workspace: Workspace,
        run: int,
        watch: Watch | None,
        onlooker: Onlooker | None,
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
        self._judging: Judging | None = None
        if prepared.judge is not None:
            self._judging = Judging(
                prepared.judge, workspace, allowance, run=run, concurrency=wanted.judge_workers,
                retry_missing=wanted.retry_missing, onlooker=onlooker, expected=prepared.most_judgements,
            )  # fmt: skip

    async def carry_out(self) -> Refined:
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

    def _judgements(self, cases: Sequence[RefinedCase]) -> list[Judgement]:
        return judgements(cases, self._prepared.judged_rounds, self._prepared.settings.grades)

    def _interrupt(self) -> None:
        self._editing.interrupt()
        if self._judging is not None:
            self._judging.interrupt()

    def _refined(self, outcome: RefineOutcome) -> Refined:
        """What is there when editing has ended, with no verdict yet."""
        cases = _cases(self._prepared, self._workspace)
        made = self._judgements(cases) if self._judging is not None else []
        return Refined(self._prepared.settings, self._prepared.suite, cases, outcome, None, made, {})


def _cases(prepared: Prepared, workspace: Workspace) -> list[RefinedCase]:
    """Those of this plan alone, in the suite's order."""
    who = [one.facts.fingerprint for one in prepared.pipelines]
    order = {case.fingerprint: place for place, case in enumerate(prepared.cases)}
    found = refinements(workspace, suite=prepared.suite, editors=who, protocols=(prepared.plan.protocol,))
    own = [one for one in found if one.fingerprint in order and one.seed == prepared.settings.seed]
    return sorted(own, key=lambda one: (one.model, order[one.fingerprint]))
