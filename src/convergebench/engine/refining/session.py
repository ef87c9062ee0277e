"""Refining: edits, a reasoner's advice and further edits, for many cases in parallel, each durable."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from convergebench.engine.editing.batching import batched
from convergebench.engine.editing.source_cache import SourceCache
from convergebench.engine.editing.step_saver import StepSaver
from convergebench.engine.interrupts import interruptible
from convergebench.engine.progress import NoProgress, RunProgress
from convergebench.engine.refining.advice import NoAdvice, Reasoner
from convergebench.engine.refining.case import EditStage, Refinement, RefinementUnit
from convergebench.engine.refining.plan import Pipeline, RefinePlan
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.engine.session import RunOutcome, TrajectorySession, use_many_threads
from convergebench.engine.shared_limits import SharedLimits, limits_in, questions_at_once
from convergebench.protocols import refine
from convergebench.store import Workspace
from convergebench.types import Editor, Step


@dataclass
class RefinementOutcome(RunOutcome):
    """A refinement is complete when its reasoner was satisfied or all its rounds are done."""

    looks: int = 0
    """Number of pictures that a reasoner was asked about in this run; its advice on the others was in the
    workspace."""
    calls: int = 0
    no_advice: Counter[str] = field(default_factory=Counter)


async def refine_plan(
    plan: RefinePlan,
    workspace: Workspace,
    *,
    run: int,
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: RunProgress | None = None,
) -> RefinementOutcome:
    """Advance every refinement of the plan as far as possible. Stops under the same conditions as
    `run_plan`."""
    shared = limits_in(workspace, run, limits)
    refining = RefiningStage(plan, workspace, shared, run=run, retry_missing=retry_missing, progress=progress)
    with interruptible(refining.interrupt):
        return await refining.carry_out()


class RefiningStage:
    """All refinements of a plan, run in parallel. Its pipelines share one reasoner, and end when it does."""

    def __init__(
        self,
        plan: RefinePlan,
        workspace: Workspace,
        limits: SharedLimits,
        *,
        run: int,
        retry_missing: bool = False,
        progress: RunProgress | None = None,
        on_picture: Callable[[int], None] = lambda trajectory: None,
    ) -> None:
        """`retry_missing` requests missing advice again. `on_picture` is called with a case's trajectory each
        time it has a new picture."""
        self._plan = plan
        self._workspace = workspace
        self._run = run
        self._progress = progress or NoProgress()
        self._on_picture = on_picture
        self._sources = SourceCache(workspace.pictures)
        self._saver = StepSaver(workspace)
        self._session = TrajectorySession(workspace, limits, RefinementOutcome(), self._progress)
        self._stages = self._edit_stages(limits.limits.patience.deadline_seconds)
        self._reasoner = self._open_reasoner(limits.limits.reasoner_concurrency, retry_missing)

    def interrupt(self) -> None:
        self._session.interrupt()

    async def carry_out(self) -> RefinementOutcome:
        use_many_threads()
        try:
            await asyncio.gather(*map(self._run_pipeline, self._plan.pipelines))
        finally:
            self._session.close()
            if self._reasoner is not None:
                await self._reasoner.close()
            for editor in self._editors():
                await editor.close()
        outcome = self._session.finish()
        if self._reasoner is not None:
            outcome.looks, outcome.calls = self._reasoner.looks, self._reasoner.calls
            outcome.no_advice = self._reasoner.missing
        return outcome

    def _open_reasoner(self, concurrency: int | None, retry_missing: bool) -> Reasoner | None:
        judge = self._plan.pipelines[0].reasoner
        if judge is None:
            return None
        limits = self._session.limits_for_judge(judge.facts, concurrency)
        return Reasoner(
            judge, self._workspace, self._run, limits, self._session.stop,
            at_once=questions_at_once(judge.facts, concurrency), retry_missing=retry_missing,
            prompts=self._plan.pipelines[0].prompts,
        )  # fmt: skip

    def _edit_stages(self, deadline_seconds: float) -> dict[int, EditStage]:
        """Keyed by the editor's identity: pipelines that share an editor share its batches."""
        limits = self._session.limits_for_editors(self._editors())
        return {
            id(editor): EditStage(
                batched(editor, self._session.stop, deadline_seconds), limits[editor.facts.provider]
            )
            for editor in self._editors()
        }

    def _editors(self) -> list[Editor]:
        every = [editor for one in self._plan.pipelines for editor in (one.primary, one.executor)]
        return list({id(editor): editor for editor in every}.values())

    async def _run_pipeline(self, pipeline: Pipeline) -> None:
        name = pipeline.facts.title
        self._progress.planned(name, self._plan.units_each * (1 + self._plan.rounds))
        units = await asyncio.to_thread(self._units, pipeline)
        self._session.outcome.trajectories += len(units)
        await self._session.follow_all(name, units, partial(self._follow, pipeline))

    def _units(self, pipeline: Pipeline) -> list[RefinementUnit]:
        primaries = self._plan.primaries(pipeline)
        firsts = self._workspace.enrol(primaries, fresh=False)
        if not self._plan.rounds:
            return [RefinementUnit(one, one, wanted) for one, wanted in zip(firsts, primaries, strict=True)]
        refinements = self._plan.refinements(pipeline)
        seconds = self._workspace.enrol(refinements, fresh=False)
        return [RefinementUnit(*both) for both in zip(firsts, seconds, refinements, strict=True)]

    async def _follow(self, pipeline: Pipeline, unit: RefinementUnit) -> None:
        """Run the protocol on one case, as far as possible."""
        name, steps = pipeline.facts.title, 0
        reasoner = pipeline.reasoner.facts.name if pipeline.reasoner is not None else ""

        async def on_step(step: Step, replayed: bool) -> None:
            nonlocal steps
            steps += 1
            self._session.outcome.count(step, replayed=replayed)
            self._progress.step(name, step, replayed=replayed)

        stages = self._stages[id(pipeline.primary)], self._stages[id(pipeline.executor)]
        refinement = Refinement(
            unit, stages, self._workspace, self._run, self._sources, self._saver, self._reasoner,
            on_step=on_step, on_picture=self._on_picture,
            may_begin=lambda: self._session.may_begin(name),
        )  # fmt: skip
        with (
            self._session.trajectory_ending(name, unit.case.id, reasoner),
            contextlib.suppress(NoAdvice),
        ):
            protocol = refine(refinement.reason, self._plan.rounds, chained=self._plan.chained)
            async with refinement:
                await protocol.run(unit.case, refinement.edit)
            self._session.outcome.complete += 1
        self._progress.ended(name, max(1 + self._plan.rounds - steps, 0))
