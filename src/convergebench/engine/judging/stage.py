"""Judging as a stage of a run: tasks are judged as they arrive, in parallel. Each verdict is durable, and no
question is asked twice."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from types import TracebackType

from convergebench.engine.judging.judge_client import ASK_AGAIN, JudgeClient
from convergebench.engine.judging.judge_images import JudgeImageCache
from convergebench.engine.judging.judgement_queue import BATCH, JudgementQueue, QueuedJudgement
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingTask
from convergebench.engine.progress import JudgingProgress, NoJudgingProgress
from convergebench.engine.session import ClaimNotice, Session
from convergebench.engine.shared_limits import SharedLimits, questions_at_once
from convergebench.errors import LostPicture
from convergebench.judges import Judge, Question, Verdict
from convergebench.judges.asking import question
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.store.claims import POLL_SECONDS

log = logging.getLogger("convergebench")

_MOST_BATCHES = 3
"""Batches of questions that are prepared at once, where many are asked at once: while one waits for a thread
or the disk, another is prepared."""


@dataclass(frozen=True)
class _Ready:
    waiting: QueuedJudgement
    question: Question


class JudgingStage:
    """Judges added tasks inside its `with` block. The block ends when all tasks are judged, or when the judge
    cannot continue."""

    def __init__(
        self,
        judge: Judge,
        workspace: Workspace,
        limits: SharedLimits,
        *,
        run: int,
        ask_again: int = ASK_AGAIN,
        retry_missing: bool = False,
        progress: JudgingProgress | None = None,
        expected: int = 0,
    ) -> None:
        """`expected` is the maximum number of different judgements, if it is known in advance."""
        self._workspace = workspace
        self._run = run
        self._judge = judge.facts.name
        self._progress = progress or NoJudgingProgress()
        self._stop_run = limits.stop
        self._session = Session(workspace, limits, JudgingOutcome(), self._progress, self._progress.given_up)
        self._stop = self._session.stop
        concurrency = limits.limits.judge_concurrency
        self._at_once = questions_at_once(judge.facts, concurrency)
        judge_limits = self._session.limits_for_judge(judge.facts, concurrency)
        self._client = JudgeClient(judge, workspace, run, judge_limits, self._stop, ask_again)
        self._queue = JudgementQueue(workspace, judge.facts, retry_missing=retry_missing)
        self._images = JudgeImageCache(workspace.pictures)
        self._planned, self._expected = -1, expected
        self._verdicts: dict[str, Verdict] = {}
        self._notice = ClaimNotice(workspace)
        self._is_complete = False
        """Whether all tasks have been added."""
        self._changed = asyncio.Event()
        self._settled: set[str] = set()
        """Judgements with a verdict, and those that will get none."""
        self._lost: list[str] = []
        """Judgements of which a picture is lost."""
        self._newly_settled = asyncio.Event()

    async def __aenter__(self) -> JudgingStage:
        self._working = asyncio.create_task(self._work_off())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_complete = True
        self._plan(len(self._queue))
        self._changed.set()
        if isinstance(error, Exception):
            self._stop_run.set()
        elif error is not None:
            self._working.cancel()
        await self._working
        if error is None:
            self._session.finish()

    def add(self, tasks: Iterable[JudgingTask]) -> list[str]:
        """Add tasks to be judged, unless they already are. Returns their keys, for `judged`."""
        keys = self._queue.add(tasks)
        self._plan(max(len(self._queue), self._expected))
        self._changed.set()
        return keys

    def keep(self, pictures: Iterable[Picture]) -> None:
        """Hold stored pictures for the tasks that follow, as long as there is room. May be called by any
        thread."""
        self._images.keep(pictures)

    @property
    def at_once(self) -> int:
        """The number of questions that are asked in parallel."""
        return self._at_once

    @property
    def backlog(self) -> int:
        """The number of judgements that wait for the judge; 0 if it is asked nothing more. May be read by any
        thread."""
        has_ended = self._stop.is_set() or self._working.done()
        return 0 if has_ended else len(self._queue) - len(self._settled)

    def is_settled(self, keys: Collection[str]) -> bool:
        """Whether each of these judgements has a verdict or will get none."""
        return self._settled.issuperset(keys)

    async def progress(self) -> bool:
        """Wait until a judgement is settled; false if the stage stops before."""
        self._newly_settled.clear()
        waited = [asyncio.create_task(one.wait()) for one in (self._newly_settled, self._stop)]
        await asyncio.wait({*waited, self._working}, return_when=asyncio.FIRST_COMPLETED)
        for one in waited:
            one.cancel()
        return self._newly_settled.is_set()

    def verdict(self, key: str) -> Verdict | None:
        """None if there is none so far."""
        return self._verdicts.get(key)

    def interrupt(self) -> None:
        """Send no more questions. Requests in flight finish and are stored."""
        self._session.interrupt()

    def judged(self, keys: Sequence[str]) -> JudgingOutcome:
        """The outcome for these keys, after the block has ended."""
        verdicts = [self._verdicts.get(key) for key in keys]
        return replace(
            self._session.outcome,
            verdicts=verdicts,
            missing=Counter(verdict.outcome for verdict in verdicts if verdict and verdict.outcome != "ok"),
            calls=self._client.calls,
        )

    async def _work_off(self) -> None:
        ready: asyncio.Queue[_Ready | None] = asyncio.Queue(self._at_once)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed(ready))
                for _ in range(self._at_once):
                    group.create_task(self._work(ready, group))
        finally:
            self._queue.release_all()
            await self._client.close()

    async def _feed(self, ready: asyncio.Queue[_Ready | None]) -> None:
        """Prepare questions a little ahead of the workers, then send each worker None as the last."""
        room = asyncio.Semaphore(min(_MOST_BATCHES, max(1, self._at_once // BATCH)))

        async def prepare(batch: Sequence[QueuedJudgement]) -> None:
            with self._ending():
                for one in await self._prepared(batch):
                    await ready.put(one)
            room.release()

        async with asyncio.TaskGroup() as preparing:
            while not self._is_done:
                await room.acquire()
                self._changed.clear()
                batch: list[QueuedJudgement] = []
                with self._ending():
                    self._record(await self._queue.take_in(), replayed=True)
                    batch = [] if self._stop.is_set() else self._queue.claim_some()
                if batch:
                    self._notice.working()
                    preparing.create_task(prepare(batch))
                else:
                    room.release()
                    await self._more_to_do()
        for _ in range(self._at_once):
            await ready.put(None)

    @property
    def _is_done(self) -> bool:
        waits = self._queue.is_waiting and not self._stop.is_set()
        return self._is_complete and not self._queue.has_new and not waits

    async def _more_to_do(self) -> None:
        if self._queue.is_waiting and not self._stop.is_set():
            self._notice.waiting()  # other processes hold the claims
            await asyncio.sleep(POLL_SECONDS)
        elif not self._is_complete:
            await self._changed.wait()

    async def _prepared(self, claimed: Sequence[QueuedJudgement]) -> list[_Ready]:
        """The questions for the tasks that no other process has answered in the meantime."""
        if not claimed:
            return []
        meanwhile = self._queue.answered_meanwhile(claimed)
        self._record(meanwhile, replayed=True)
        left = []
        for waiting in claimed:
            if waiting.request.key in meanwhile:
                self._queue.release(waiting)
            else:
                left.append(waiting)
        try:
            if left:
                await self._client.started()
            ready = await asyncio.to_thread(self._questions, left)
            self._settle_keys(self._lost)
            return ready
        except BaseException:
            for waiting in left:
                self._queue.release(waiting)
            raise

    def _questions(self, claimed: Sequence[QueuedJudgement]) -> list[_Ready]:
        """Without those whose pictures are lost, which are named and have no verdict."""
        ready = []
        for one in claimed:
            try:
                ready.append(_Ready(one, question(one.task.rubric, one.task.subject, self._images)))
            except LostPicture as error:
                log.warning("not judged: %s", error)
                self._queue.release(one)
                self._lost.append(one.request.key)
        return ready

    async def _work(self, ready: asyncio.Queue[_Ready | None], group: asyncio.TaskGroup) -> None:
        writing: asyncio.Task[None] | None = None
        while (one := await ready.get()) is not None:
            if self._stop.is_set():
                self._queue.release(one.waiting)
                continue
            writes: list[Future[None]] = []
            verdict = None
            with self._session.counted(), self._ending():
                request = one.waiting.request
                verdict = await self._client.verdict(request, one.waiting.read, one.question, writes)
            # The next question does not wait for the disk, but the one after it does: what a kill can lose of
            # a worker is one answer that is being written and one that is under way.
            if writing is not None:
                await writing
            writing = group.create_task(self._settle(one.waiting, verdict, writes))

    async def _settle(
        self, waiting: QueuedJudgement, verdict: Verdict | None, writes: list[Future[None]]
    ) -> None:
        """Count a judgement as done when all of it is on disk."""
        key = waiting.request.key
        with self._ending():
            await _written(writes)
            if verdict is not None:
                self._session.outcome.new += 1
                self._record({key: verdict}, replayed=False)
        self._queue.release(waiting)
        self._settle_keys([key])

    def _settle_keys(self, keys: Iterable[str]) -> None:
        self._settled.update(keys)
        self._newly_settled.set()

    def _ending(self) -> contextlib.AbstractContextManager[None]:
        return self._session.ending(self._judge)

    def _plan(self, judgements: int) -> None:
        if judgements != self._planned:
            self._planned = judgements
            self._progress.planned(judgements)

    def _record(self, verdicts: dict[str, Verdict], *, replayed: bool) -> None:
        self._verdicts |= verdicts
        self._settle_keys(verdicts)
        for verdict in verdicts.values():
            self._progress.judged(verdict, replayed=replayed)


async def _written(writes: Sequence[Future[None]]) -> None:
    """One thread writes in this order: when the last of these is on disk, so are the others."""
    if writes:
        await asyncio.wait([asyncio.wrap_future(writes[-1])])
    for write in writes:
        write.result()
