"""Refining: edits, looks and further edits of many cases at a time, each durable."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from convergebench.accounts import account_at
from convergebench.engine.batching import Batched
from convergebench.engine.durable import StepFailed, Stopped
from convergebench.engine.interrupts import interruptible
from convergebench.engine.judging import AT_ONCE as LOOKS_AT_ONCE
from convergebench.engine.judging import Onlooker
from convergebench.engine.limits import Budget, BudgetReached, Lane, Limits, Patience, lane_for
from convergebench.engine.local import CLAIM_POLL_SECONDS, THREADS, TRAJECTORIES_AT_ONCE, Outcome
from convergebench.engine.refining_advice import NoAdvice, Reasoner
from convergebench.engine.refining_case import Refinement, Stage, Unit
from convergebench.engine.refining_plan import Pipeline, RefinePlan
from convergebench.engine.sources import Sources
from convergebench.engine.watch import Unwatched, Watch
from convergebench.errors import BadPicture, ConvergeBenchError
from convergebench.protocols import refine
from convergebench.store import Workspace
from convergebench.types import BatchEditor, Editor, Misconfigured, Step


@dataclass
class RefineOutcome(Outcome):
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
    concurrency: int | None = None,
    reasoner_concurrency: int | None = None,
    per_minute: float | None = None,
    max_cost_usd: float | None = None,
    retry_missing: bool = False,
    patience: Patience | None = None,
    watch: Watch | None = None,
    onlooker: Onlooker | None = None,
) -> RefineOutcome:
    """Bring every refinement of the plan as far as it gets; `run_plan`'s manners hold here too.

    All pipelines have the same reasoner. `retry_missing` asks again for advice that is missing.
    """
    session = _Session(plan, workspace, run, watch or Unwatched())
    session.limit(concurrency, per_minute, Budget(max_cost_usd), patience or Patience())
    session.seat(reasoner_concurrency, per_minute, retry_missing, onlooker)
    return await session.run(concurrency or TRAJECTORIES_AT_ONCE)


class _Session:
    def __init__(self, plan: RefinePlan, workspace: Workspace, run: int, watch: Watch) -> None:
        self._plan = plan
        self._workspace = workspace
        self._run = run
        self._watch = watch
        self._sources = Sources(workspace.pictures)
        self._outcome = RefineOutcome()
        self._error: Exception | None = None
        self._stop = asyncio.Event()
        self._active = 0
        self._batched: dict[int, Editor] = {}

    def limit(
        self, at_once: int | None, per_minute: float | None, budget: Budget, patience: Patience
    ) -> None:
        """One lane for each provider, for first and further edits alike."""
        self._budget, self._patience = budget, patience
        self._limits = {
            facts.provider: Limits(lane_for(facts, at_once, per_minute), patience, budget, self._stop)
            for facts in (editor.facts for editor in self._editors())
        }

    def seat(
        self, at_once: int | None, per_minute: float | None, retry_missing: bool, onlooker: Onlooker | None
    ) -> None:
        account = account_at(self._plan.pipelines[0].reasoner.facts.provider)
        lane = Lane(at_once or account.at_once or LOOKS_AT_ONCE, per_minute or account.per_minute)
        limits = Limits(lane, self._patience, self._budget, self._stop)
        self._reasoner = Reasoner(
            self._plan.pipelines[0].reasoner, self._workspace, self._run, limits, self._stop,
            retry_missing=retry_missing, onlooker=onlooker,
        )  # fmt: skip

    async def run(self, concurrency: int) -> RefineOutcome:
        started = time.perf_counter()
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        with interruptible(self._interrupted):
            try:
                await asyncio.gather(*(self._run_pipeline(one, concurrency) for one in self._plan.pipelines))
            finally:
                await self._reasoner.close()
                for editor in self._editors():
                    await editor.close()
        if self._error is not None:
            raise self._error
        self._outcome.looks, self._outcome.calls = self._reasoner.asked, self._reasoner.calls
        self._outcome.no_advice = self._reasoner.missing
        self._outcome.spent_usd = self._budget.spent_usd
        self._outcome.seconds = time.perf_counter() - started
        return self._outcome

    def _editors(self) -> list[Editor]:
        every = [editor for one in self._plan.pipelines for editor in (one.primary, one.executor)]
        return list({id(editor): editor for editor in every}.values())

    async def _run_pipeline(self, pipeline: Pipeline, concurrency: int) -> None:
        self._watch.planned(pipeline.facts.name, self._plan.units_each * (1 + self._plan.rounds))
        line = deque(await asyncio.to_thread(self._units, pipeline))
        self._outcome.trajectories += len(line)
        await asyncio.gather(*(self._work(line, pipeline) for _ in range(min(concurrency, len(line)))))

    def _units(self, pipeline: Pipeline) -> list[Unit]:
        primaries, refinements = self._plan.primaries(pipeline), self._plan.refinements(pipeline)
        identities = zip(
            self._workspace.enrol(primaries, fresh=False),
            self._workspace.enrol(refinements, fresh=False),
            refinements,
            strict=True,
        )
        return [Unit(first, second, enrolment) for first, second, enrolment in identities]

    async def _work(self, line: deque[Unit], pipeline: Pipeline) -> None:
        while line and self._may_begin(pipeline):
            unit = line.popleft()
            if not self._workspace.claim(unit.refinement):
                line.append(unit)  # another process has it; what that finishes is replayed here
                await asyncio.sleep(CLAIM_POLL_SECONDS)
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
            on_step=seen, may_begin=lambda: self._may_begin(pipeline),
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
            editor = self._batched.setdefault(id(editor), Batched(editor))
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
            self._outcome.unusable[pipeline.reasoner.facts.name] = str(error)
            self._stop.set()
        except BudgetReached:
            self._outcome.out_of_budget = True
            self._stop.set()
        except BadPicture as error:
            self._outcome.unreadable[unit.case.id] = str(error)
        except ConvergeBenchError as error:
            self._error = self._error or error
            self._stop.set()

    def _may_begin(self, pipeline: Pipeline) -> bool:
        return not self._stop.is_set() and pipeline.facts.name not in self._outcome.unusable

    def _interrupted(self) -> None:
        self._outcome.interrupted = True
        self._stop.set()
        self._watch.stopping(self._active)
