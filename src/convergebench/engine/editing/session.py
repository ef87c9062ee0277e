"""The local engine: trajectories as coroutines, edits in parallel, metrics beside them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from convergebench.engine.editing.batching import BatchingEditor
from convergebench.engine.editing.durable_edit import DurableEdit, StepFailed, Trajectory
from convergebench.engine.editing.plan import Plan
from convergebench.engine.editing.source_cache import SourceCache
from convergebench.engine.interrupts import interruptible
from convergebench.engine.limits import BudgetReached, Limits, Patience, Stopped
from convergebench.engine.measuring.clip_direction import ForwardEdit
from convergebench.engine.measuring.measurement_queue import MeasurementQueue
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.progress import NoProgress, RunProgress
from convergebench.engine.run_limits import Allowance
from convergebench.errors import BadPicture
from convergebench.metrics import MetricSet
from convergebench.metrics.measured_pairs import MeasuredPairs
from convergebench.picture import Picture
from convergebench.store import Enrolment, Workspace
from convergebench.store.claims import POLL_SECONDS
from convergebench.types import (
    BatchEditor,
    Digest,
    Editor,
    FailureKind,
    PictureFacts,
    PreparedEditor,
    Step,
)

TRAJECTORIES_AT_ONCE = 8
THREADS = 32


@dataclass
class RunOutcome:
    """What a run came to; the results themselves are in the workspace."""

    trajectories: int = 0
    complete: int = 0
    edits: int = 0
    replayed: int = 0
    failures: Counter[FailureKind] = field(default_factory=Counter)
    unusable: dict[str, str] = field(default_factory=dict)
    """Models that could not go on at all, and why."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Cases whose source picture cannot be used, and why."""
    seconds: float = 0.0
    spent_usd: float = 0.0
    interrupted: bool = False
    out_of_budget: bool = False


async def run_plan(
    plan: Plan,
    workspace: Workspace,
    ruler: MetricSet,
    *,
    run: int,
    concurrency: int | None = None,
    per_minute: float | None = None,
    max_cost_usd: float | None = None,
    fresh: bool = False,
    patience: Patience | None = None,
    watch: RunProgress | None = None,
    gauges: Measurers | None = None,
) -> RunOutcome:
    """Bring every trajectory of the plan as far as it gets.

    `concurrency` is how many trajectories of a model, and requests to a provider, go at a time: unless given,
    eight, and as many as is safe for a new account. `per_minute` holds the requests to each provider.
    SIGINT stops it: nothing new is asked, what is in flight finishes and is kept. A second one drops it.
    """
    allowance = Allowance(max_cost_usd, per_minute, patience)
    session = _Session(plan, workspace, gauges or Measurers.of(ruler), run, watch or NoProgress(), allowance)
    return await session.run(concurrency, fresh)


class _Session:
    def __init__(
        self,
        plan: Plan,
        workspace: Workspace,
        gauges: Measurers,
        run: int,
        watch: RunProgress,
        allowance: Allowance,
    ) -> None:
        self._protocol = plan.protocol
        self._plan = plan
        self._workspace = workspace
        self._run = run
        self._watch = watch
        self._sources = SourceCache(workspace.pictures)
        at_once, batch, fill = gauges.at_once, gauges.batch, gauges.fill
        self._returns = MeasurementQueue(
            gauges.returns, workspace, watch, self._stop_for, at_once, batch, fill
        )
        self._changes = MeasurementQueue(
            gauges.changes, workspace, NoProgress(), self._stop_for, at_once, batch, fill
        )
        self._directions = MeasurementQueue(
            gauges.directions, workspace, NoProgress(), self._stop_for, at_once
        )
        self._outcome = RunOutcome()
        self._error: Exception | None = None
        self._allowance, self._stop = allowance, allowance.stop
        self._limits: dict[str, Limits] = {}
        self._active = 0

    async def run(self, concurrency: int | None, fresh: bool) -> RunOutcome:
        started = time.perf_counter()
        for editor in self._plan.editors:  # models of one provider share its lane
            limits = self._allowance.for_editor(editor, concurrency, self._stop)
            self._limits[editor.facts.provider] = limits
        at_once = concurrency or TRAJECTORIES_AT_ONCE
        # Threads here mostly wait for the disk; the default of a few would make pictures queue for it.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        with interruptible(self._interrupted):
            await asyncio.gather(*(self._run_editor(editor, at_once, fresh) for editor in self._plan.editors))
            for line in (self._returns, self._changes, self._directions):
                await line.finish()
        if self._error is not None:
            raise self._error
        self._outcome.spent_usd = sum(limits.spent_usd for limits in self._limits.values())
        self._outcome.seconds = time.perf_counter() - started
        return self._outcome

    async def _run_editor(self, editor: Editor, concurrency: int, fresh: bool) -> None:
        try:
            await self._edit_all(editor, concurrency, fresh)
        except Exception as error:
            self._stop_for(error)

    async def _edit_all(self, editor: Editor, concurrency: int, fresh: bool) -> None:
        wanted = self._plan.enrolments(editor)
        self._watch.planned(editor.facts.name, self._plan.edits_each)
        identities = await asyncio.to_thread(self._workspace.enrol, wanted, fresh=fresh)
        self._outcome.trajectories += len(identities)
        line = deque(self._trajectories(editor, identities, wanted))
        try:
            if isinstance(editor, PreparedEditor):
                await self._until_stopped(editor.prepare())
            await asyncio.gather(*(self._work(line) for _ in range(min(concurrency, len(line)))))
        finally:
            await editor.close()

    async def _until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        working, stopped = asyncio.create_task(work), asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait((working, stopped), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await working
        finally:
            working.cancel()
            stopped.cancel()

    def _trajectories(
        self, editor: Editor, identities: Sequence[int], wanted: Sequence[Enrolment]
    ) -> Iterator[Trajectory]:
        deadline, elsewhere = self._allowance.patience.deadline_seconds, isinstance(editor, PreparedEditor)
        asked = BatchingEditor(editor, self._stop, deadline) if isinstance(editor, BatchEditor) else editor
        for identity, enrolment in zip(identities, wanted, strict=True):
            yield Trajectory(
                identity, self._run, asked, enrolment.case, enrolment.seed, stored_first=elsewhere
            )

    async def _work(self, line: deque[Trajectory]) -> None:
        while line and self._may_begin(line[0].editor):
            trajectory = line.popleft()
            if not self._workspace.claim(trajectory.id):
                line.append(trajectory)  # another process has it; what that finishes is replayed here
                await asyncio.sleep(POLL_SECONDS)
                continue
            self._active += 1
            try:
                await self._follow(trajectory)
            finally:
                self._active -= 1
                self._workspace.release(trajectory.id)

    async def _follow(self, trajectory: Trajectory) -> None:
        """Run the protocol on one trajectory, as far as it gets."""
        steps = 0
        try:
            source = await self._sources.open(trajectory.case.source)
            recorded = self._workspace.steps(trajectory.id)
            made = _pictures(recorded)
            known = self._workspace.measured([source.digest, *made], made)
            succession = MeasuredPairs(source, self._protocol.returns)

            async def seen(step: Step, picture: Picture | None, replayed: bool) -> None:
                nonlocal steps
                steps += 1
                self._count(trajectory, step, replayed)
                if picture is None:
                    return
                is_return = step.role in self._protocol.returns
                change = succession.pair_with(step.role, picture)
                if change is not None:
                    await self._changes.offer(change, known)
                if change is not None and not is_return:
                    await self._directions.offer(ForwardEdit(*change, step.instruction), known)
                if is_return:
                    await self._returns.offer((source, picture), known)

            edit = DurableEdit(
                trajectory,
                recorded,
                self._workspace,
                self._limits[trajectory.editor.facts.provider],
                open_source=self._sources.open,
                on_step=seen,
                may_begin=lambda: self._may_begin(trajectory.editor),
            )
            try:
                await self._protocol.run(trajectory.case, edit)
            finally:
                await edit.settled()
            self._outcome.complete += 1
        except StepFailed as failed:
            self._outcome.failures[failed.failure.kind] += 1
            if failed.failure.kind == "misconfigured":
                self._outcome.unusable[trajectory.editor.facts.name] = failed.failure.reason
        except Stopped:
            pass
        except BudgetReached:
            self._outcome.out_of_budget = True
            self._stop.set()
        except BadPicture as error:
            self._outcome.unreadable[trajectory.case.id] = str(error)
        except Exception as error:
            self._stop_for(error)
        self._watch.ended(trajectory.editor.facts.name, self._protocol.edits - steps)

    def _count(self, trajectory: Trajectory, step: Step, replayed: bool) -> None:
        if replayed:
            self._outcome.replayed += 1
        elif isinstance(step.outcome, PictureFacts):
            self._outcome.edits += 1
        self._watch.step(trajectory.editor.facts.name, step, replayed=replayed)

    def _may_begin(self, editor: Editor) -> bool:
        return not self._stop.is_set() and editor.facts.name not in self._outcome.unusable

    def _interrupted(self) -> None:
        self._outcome.interrupted = True
        self._stop.set()
        self._watch.stopping(self._active)

    def _stop_for(self, error: Exception) -> None:
        """Begin nothing new, let what is paid for finish and be kept, then raise the error."""
        self._error = self._error or error
        self._stop.set()


def _pictures(steps: Sequence[Step]) -> list[Digest]:
    return [step.outcome.digest for step in steps if isinstance(step.outcome, PictureFacts)]
