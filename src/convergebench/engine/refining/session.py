"""Refining: edits, looks and further edits of many cases at a time, each durable."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from convergebench.engine.editing.batching import BatchingEditor
from convergebench.engine.editing.durable_edit import StepFailed
from convergebench.engine.editing.session import THREADS, TRAJECTORIES_AT_ONCE, RunOutcome
from convergebench.engine.editing.source_cache import SourceCache
from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging.tasks import JudgingProgress
from convergebench.engine.limits import BudgetReached, Patience, Stopped
from convergebench.engine.progress import NoProgress, RunProgress
from convergebench.engine.refining.advice import NoAdvice, Reasoner
from convergebench.engine.refining.case import Refinement, Stage, Unit
from convergebench.engine.refining.plan import Pipeline, RefinePlan
from convergebench.engine.run_limits import Allowance, questions_at_once
from convergebench.errors import BadPicture
from convergebench.protocols import refine
from convergebench.store import Workspace
from convergebench.store.claims import POLL_SECONDS
from convergebench.types import BatchEditor, Editor, Misconfigured, Step


@dataclass
class RefinementOutcome(RunOutcome):
    """What refining came to; one is complete when its reasoner was content or its rounds are done."""

    looks: int = 0
    """Pictures that a reasoner was asked about; what it said of the others was there."""
    calls: int = 0
    no_advice: Counter[str] = field(default_factory=Counter)


async def refine_plan(
    plan: RefinePlan,
    workspace: Workspace,
    *,
    run: int,
    per_minute: float | None = None,
    max_cost_usd: float | None = None,
    patience: Patience | None = None,
    **options: Any,
) -> RefinementOutcome:
    """Bring every refinement of the plan as far as it gets; `run_plan`'s manners hold here too. `options` are
    those of `Refinements`."""
    allowance = Allowance(max_cost_usd, per_minute, patience)
    refinements = Refinements(plan, workspace, allowance, run=run, **options)
    with interruptible(refinements.interrupt):
        return await refinements.carry_out()


class Refinements:
    """All refinements of a plan, many at a time. Its pipelines share one reasoner, and end with it."""

    def __init__(
        self,
        plan: RefinePlan,
        workspace: Workspace,
        allowance: Allowance,
        *,
        run: int,
        concurrency: int | None = None,
        reasoner_concurrency: int | None = None,
        retry_missing: bool = False,
        watch: RunProgress | None = None,
        onlooker: JudgingProgress | None = None,
        on_stand: Callable[[int], None] = lambda trajectory: None,
    ) -> None:
        """`retry_missing` asks again for advice that is missing. `on_stand` is told a case's trajectory
        whenever it has another picture."""
        self._plan = plan
        self._workspace = workspace
        self._run = run
        self._concurrency = concurrency or TRAJECTORIES_AT_ONCE
        self._watch = watch or NoProgress()
        self._on_stand = on_stand
        self._sources = SourceCache(workspace.pictures)
        self._outcome = RefinementOutcome()
        self._error: Exception | None = None
        self._stop_all = allowance.stop
        self._stop = allowance.stop.under()
        self._is_over = False
        self._active = 0
        self._batched: dict[int, Editor] = {}
        self._deadline_seconds = allowance.patience.deadline_seconds
        by_provider = {editor.facts.provider: editor for editor in self._editors()}
        self._limits = {
            provider: allowance.for_editor(editor, concurrency, self._stop)
            for provider, editor in by_provider.items()
        }
        self._seat(allowance, reasoner_concurrency, retry_missing, onlooker)

    def _seat(
        self, allowance: Allowance, at_once: int | None, retry_missing: bool, onlooker: JudgingProgress | None
    ) -> None:
        self._reasoner: Reasoner | None = None
        judge = self._plan.pipelines[0].reasoner
        if judge is not None:
            limits = allowance.for_judge(judge.facts, at_once, self._stop)
            self._reasoner = Reasoner(
                judge, self._workspace, self._run, limits, self._stop,
                at_once=questions_at_once(judge.facts, at_once), retry_missing=retry_missing,
                onlooker=onlooker,
            )  # fmt: skip

    async def carry_out(self) -> RefinementOutcome:
        started = time.perf_counter()
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        try:
            await asyncio.gather(*map(self._run_pipeline, self._plan.pipelines))
        finally:
            self._is_over = True
            if self._reasoner is not None:
                await self._reasoner.close()
            for editor in self._editors():
                await editor.close()
        if self._error is not None:
            raise self._error
        self._sum_up()
        self._outcome.seconds = time.perf_counter() - started
        return self._outcome

    def interrupt(self) -> None:
        """Begin nothing new; what is in flight finishes and is kept."""
        if not self._is_over:
            self._outcome.interrupted = True
            self._stop_all.set()
            self._watch.stopping(self._active)

    def _sum_up(self) -> None:
        outcome = self._outcome
        outcome.spent_usd = sum(limits.spent_usd for limits in self._limits.values())
        if self._reasoner is not None:
            outcome.looks, outcome.calls = self._reasoner.asked, self._reasoner.calls
            outcome.no_advice = self._reasoner.missing
            outcome.spent_usd += self._reasoner.spent_usd

    def _editors(self) -> list[Editor]:
        every = [editor for one in self._plan.pipelines for editor in (one.primary, one.executor)]
        return list({id(editor): editor for editor in every}.values())

    async def _run_pipeline(self, pipeline: Pipeline) -> None:
        self._watch.planned(pipeline.facts.name, self._plan.units_each * (1 + self._plan.rounds))
        line = deque(await asyncio.to_thread(self._units, pipeline))
        self._outcome.trajectories += len(line)
        workers = min(self._concurrency, len(line))
        await asyncio.gather(*(self._work(line, pipeline) for _ in range(workers)))

    def _units(self, pipeline: Pipeline) -> list[Unit]:
        primaries = self._plan.primaries(pipeline)
        firsts = self._workspace.enrol(primaries, fresh=False)
        if not self._plan.rounds:
            return [Unit(one, one, enrolment) for one, enrolment in zip(firsts, primaries, strict=True)]
        refinements = self._plan.refinements(pipeline)
        seconds = self._workspace.enrol(refinements, fresh=False)
        return [Unit(*both) for both in zip(firsts, seconds, refinements, strict=True)]

    async def _work(self, line: deque[Unit], pipeline: Pipeline) -> None:
        while line and self._may_begin(pipeline):
            unit = line.popleft()
            if not self._workspace.claim(unit.refinement):
                line.append(unit)  # another process has it; what that finishes is replayed here
                await asyncio.sleep(POLL_SECONDS)
                continue
            self._active += 1
            try:
                await self._follow(unit, pipeline)
            finally:
                self._active -= 1
                self._workspace.release(unit.refinement)

    async def _follow(self, unit: Unit, pipeline: Pipeline) -> None:
        """Run the protocol on one case, as far as it gets."""
        name, steps = pipeline.facts.name, 0

        async def seen(step: Step, replayed: bool) -> None:
            nonlocal steps
            steps += 1
            self._outcome.replayed += replayed
            self._outcome.edits += not replayed
            self._watch.step(name, step, replayed=replayed)

        one = Refinement(
            unit, self._stages(pipeline), self._workspace, self._run, self._sources, self._reasoner,
            on_step=seen, on_stand=self._on_stand, may_begin=lambda: self._may_begin(pipeline),
        )  # fmt: skip
        with self._ending(unit, pipeline):
            protocol = refine(one.reason, self._plan.rounds, chained=self._plan.chained)
            try:
                await protocol.run(unit.case, one.edit)
            finally:
                one.release()
            self._outcome.complete += 1
        self._watch.ended(name, max(1 + self._plan.rounds - steps, 0))

    def _stages(self, pipeline: Pipeline) -> tuple[Stage, Stage]:
        return self._stage(pipeline.primary), self._stage(pipeline.executor)

    def _stage(self, editor: Editor) -> Stage:
        if isinstance(editor, BatchEditor):
            batched = BatchingEditor(editor, self._stop, self._deadline_seconds)
            editor = self._batched.setdefault(id(editor), batched)
        return Stage(editor, self._limits[editor.facts.provider])

    @contextlib.contextmanager
    def _ending(self, unit: Unit, pipeline: Pipeline) -> Iterator[None]:
        """What ends one refinement, and what ends the run when all that is in flight has finished."""
        try:
            yield
        except StepFailed as failed:
            self._outcome.failures[failed.failure.kind] += 1
            if failed.failure.kind == "misconfigured":
                self._outcome.unusable[pipeline.facts.name] = failed.failure.reason
        except (NoAdvice, Stopped):
            pass
        except Misconfigured as error:
            assert pipeline.reasoner is not None, "a misconfigured editor is a failed step"
            self._outcome.unusable[pipeline.reasoner.facts.name] = str(error)
            self._stop.set()
        except BudgetReached:
            self._outcome.out_of_budget = True
            self._stop_all.set()
        except BadPicture as error:
            self._outcome.unreadable[unit.case.id] = str(error)
        except Exception as error:
            self._error = self._error or error
            self._stop_all.set()

    def _may_begin(self, pipeline: Pipeline) -> bool:
        return not self._stop.is_set() and pipeline.facts.name not in self._outcome.unusable
