"""The local engine: trajectories as coroutines, edits in parallel, metrics measured meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

from convergebench.engine.editing.batching import batched
from convergebench.engine.editing.durable_edit import DurableEdit, Trajectory
from convergebench.engine.editing.plan import Plan
from convergebench.engine.editing.source_cache import SourceCache
from convergebench.engine.editing.step_saver import StepSaver
from convergebench.engine.interrupts import interruptible
from convergebench.engine.measuring.chain import ChainMeasurements, chain_contexts
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.measuring.session_turns import SessionMeasurements, turn_references
from convergebench.engine.progress import NoProgress, RunProgress
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.engine.session import RunOutcome, TrajectorySession, use_many_threads
from convergebench.engine.shared_limits import limits_in
from convergebench.garbage_collection import rare_garbage_collection
from convergebench.instructions.captions import written_captions
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, Digest, Editor, PictureFacts, PreparedEditor, Step, is_portrait


async def run_plan(
    plan: Plan,
    workspace: Workspace,
    metric_set: MetricSet,
    *,
    run: int,
    limits: RunLimits = DEFAULT_LIMITS,
    fresh: bool = False,
    progress: RunProgress | None = None,
    measurers: Measurers | None = None,
) -> RunOutcome:
    """Advance every trajectory of the plan as far as possible.

    SIGINT stops it: no new requests are sent, and requests in flight finish and are stored. A second SIGINT
    drops them.
    """
    measurers = measurers or Measurers.of(metric_set, workspace.pictures)
    editing = _Editing(plan, workspace, measurers, run, progress or NoProgress(), limits)
    return await editing.run(fresh)


class _Editing:
    def __init__(
        self,
        plan: Plan,
        workspace: Workspace,
        measurers: Measurers,
        run: int,
        progress: RunProgress,
        limits: RunLimits,
    ) -> None:
        self._protocol = plan.protocol
        self._plan = plan
        self._workspace = workspace
        self._run = run
        self._progress = progress
        self._deadline_seconds = limits.patience.deadline_seconds
        shared = limits_in(workspace, run, limits)
        self._session = TrajectorySession(workspace, shared, RunOutcome(), progress)
        self._limits = self._session.limits_for_editors(plan.editors)
        self._saver = StepSaver(workspace)
        self._sources = SourceCache(workspace.pictures)
        self._kinds = measurers.kinds
        self._queues = measurers.queues(workspace, progress, self._session.fail)

    async def run(self, fresh: bool) -> RunOutcome:
        use_many_threads()
        with interruptible(self._session.interrupt), rare_garbage_collection():
            await asyncio.gather(*(self._run_editor(editor, fresh) for editor in self._plan.editors))
            for queue in self._queues.values():
                await queue.finish()
        return self._session.finish()

    async def _run_editor(self, editor: Editor, fresh: bool) -> None:
        with self._session.ending():
            wanted = self._plan.enrolments(editor)
            self._progress.planned(editor.facts.title, self._plan.edits_each)
            identities = await asyncio.to_thread(self._workspace.enrol, wanted, fresh=fresh)
            self._session.outcome.trajectories += len(identities)
            trajectories = list(self._trajectories(editor, identities, wanted))
            try:
                if isinstance(editor, PreparedEditor):
                    await self._until_stopped(editor.prepare())
                await self._session.follow_all(editor.facts.title, trajectories, self._follow)
            finally:
                await editor.close()

    async def _until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        working, stopped = asyncio.create_task(work), asyncio.create_task(self._session.stop.wait())
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
        elsewhere = isinstance(editor, PreparedEditor)
        used = batched(editor, self._session.stop, self._deadline_seconds)
        for identity, enrolment in zip(identities, wanted, strict=True):
            yield Trajectory(
                identity, self._run, used, enrolment.case, enrolment.seed,
                seed_policy=self._plan.seed_policy, stored_first=elsewhere,
            )  # fmt: skip

    async def _follow(self, trajectory: Trajectory) -> None:
        """Run the protocol on one trajectory, as far as possible."""
        model, steps = trajectory.editor.facts.title, 0
        with self._session.trajectory_ending(model, trajectory.case.id):
            source = await self._sources.open(trajectory.case.source)
            recorded = self._workspace.steps(trajectory.id)
            results = _results(recorded)
            references = [source.digest, *results, *self._references(trajectory.case, source, recorded)]
            known = self._workspace.measured(references, results)
            chain = self._chain(trajectory.case, source)

            async def on_step(step: Step, picture: Picture | None, replayed: bool) -> None:
                nonlocal steps
                steps += 1
                self._session.outcome.count(step, replayed=replayed)
                self._progress.step(model, step, replayed=replayed)
                if picture is None:
                    return
                for kind, item in chain.of_step(step, picture):
                    await self._queues[kind].offer(item, known)

            edit = DurableEdit(
                trajectory,
                recorded,
                self._workspace,
                self._limits[trajectory.editor.facts.provider],
                self._saver,
                open_source=self._sources.open,
                on_step=on_step,
                may_begin=lambda: self._session.may_begin(model),
            )
            try:
                await self._protocol.run(trajectory.case, edit)
            finally:
                await edit.settled()
            self._session.outcome.complete += 1
        self._progress.ended(model, self._protocol.edits_of(trajectory.case) - steps)

    def _chain(self, case: Case, source: Picture) -> ChainMeasurements | SessionMeasurements:
        if self._protocol.by_turn:
            return SessionMeasurements(source, case.hints, self._workspace.pictures.load)
        written = written_captions(case.forward, case.hints)
        return ChainMeasurements(
            source, self._protocol.returns, case.pair, case.category, written, rounds=self._protocol.rounds,
            is_portrait=is_portrait(case.kind, case.source.id), kinds=self._kinds,
        )  # fmt: skip

    def _references(self, case: Case, source: Picture, recorded: Sequence[Step]) -> list[Digest]:
        """What the recorded steps may have been measured against."""
        if self._protocol.by_turn:
            return turn_references(recorded, case.hints)
        return chain_contexts(recorded, source.digest, case.pair, case.category, self._protocol.returns)


def _results(steps: Sequence[Step]) -> list[Digest]:
    return [step.outcome.digest for step in steps if isinstance(step.outcome, PictureFacts)]
