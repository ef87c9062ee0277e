"""Judging as a stage of a run: tasks as they come, many at a time, each durable, none asked twice."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from types import TracebackType

from convergebench.engine.judging.judge_client import ASK_AGAIN, JudgeClient
from convergebench.engine.judging.judge_images import JudgeImageCache
from convergebench.engine.judging.judgement_queue import JudgementQueue, QueuedJudgement
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingProgress, JudgingTask
from convergebench.engine.limits import BudgetReached, Stopped
from convergebench.engine.run_limits import Allowance, questions_at_once
from convergebench.judges import Judge, Question, Verdict
from convergebench.judges.asking import question
from convergebench.store import Workspace
from convergebench.store.claims import POLL_SECONDS
from convergebench.store.judgements import conclude
from convergebench.types import Misconfigured


@dataclass(frozen=True)
class _Ready:
    waiting: QueuedJudgement
    question: Question


class JudgingStage:
    """Judges what is added while its block lasts; the block ends when all of that is judged, or when the
    judge cannot go on."""

    def __init__(
        self,
        judge: Judge,
        workspace: Workspace,
        allowance: Allowance,
        *,
        run: int,
        concurrency: int | None = None,
        ask_again: int = ASK_AGAIN,
        retry_missing: bool = False,
        onlooker: JudgingProgress | None = None,
        expected: int = 0,
    ) -> None:
        """At most `expected` different ones will come, where that is known before."""
        self._workspace = workspace
        self._run = run
        self._stop_all = allowance.stop
        self._stop = allowance.stop.under()
        self._limits = allowance.for_judge(judge.facts, concurrency, self._stop)
        self._at_once = questions_at_once(judge.facts, concurrency)
        self._questioner = JudgeClient(judge, workspace, run, self._limits, self._stop, ask_again)
        self._line = JudgementQueue(workspace, judge.facts, retry_missing=retry_missing)
        self._shown = JudgeImageCache(workspace.pictures)
        self._onlooker = onlooker
        self._planned, self._expected = -1, expected
        self._verdicts: dict[str, Verdict] = {}
        self._all_came = False
        self._news = asyncio.Event()
        self._active = 0
        self._error: Exception | None = None
        self._result = JudgingOutcome([])

    async def __aenter__(self) -> JudgingStage:
        self._started = time.perf_counter()
        self._working = asyncio.create_task(self._work_off())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._all_came = True
        self._plan(len(self._line))
        self._news.set()
        if isinstance(error, Exception):
            self._stop_all.set()
        elif error is not None:
            self._working.cancel()
        await self._working
        self._result.seconds = time.perf_counter() - self._started
        if self._error is not None and error is None:
            raise self._error

    def add(self, tasks: Iterable[JudgingTask]) -> list[str]:
        """Have these judged too, unless they are; what each is known by, for `judged`."""
        keys = self._line.add(tasks)
        self._plan(max(len(self._line), self._expected))
        self._news.set()
        return keys

    def interrupt(self) -> None:
        """Ask nothing more; what is in flight finishes and is kept."""
        self._result.interrupted = True
        self._stop_all.set()
        if self._onlooker is not None:
            self._onlooker.stopping(self._active)

    def judged(self, keys: Sequence[str]) -> JudgingOutcome:
        """What it came to for these, when it is over."""
        verdicts = [self._verdicts.get(key) for key in keys]
        return replace(
            self._result,
            verdicts=verdicts,
            missing=Counter(one.outcome for one in verdicts if one and one.outcome != "ok"),
            calls=self._questioner.calls,
            spent_usd=self._limits.spent_usd,
        )

    async def _work_off(self) -> None:
        ready: asyncio.Queue[_Ready | None] = asyncio.Queue(self._at_once)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed(ready))
                for _ in range(self._at_once):
                    group.create_task(self._work(ready, group))
        finally:
            self._line.release_all()
            await self._questioner.close()

    async def _feed(self, ready: asyncio.Queue[_Ready | None]) -> None:
        """Make questions ready a little ahead of the workers, then tell each of them that it was the last."""
        while not self._is_done:
            self._news.clear()
            batch: list[QueuedJudgement] = []
            with self._ending():
                self._keep(await self._line.take_in(), replayed=True)
                batch = [] if self._stop.is_set() else self._line.claim_some()
                for one in await self._made_ready(batch):
                    await ready.put(one)
            if not batch:
                await self._more_to_do()
        for _ in range(self._at_once):
            await ready.put(None)

    @property
    def _is_done(self) -> bool:
        waits = self._line.is_waiting and not self._stop.is_set()
        return self._all_came and not self._line.has_new and not waits

    async def _more_to_do(self) -> None:
        if self._line.is_waiting and not self._stop.is_set():
            await asyncio.sleep(POLL_SECONDS)  # other processes are at these
        elif not self._all_came:
            await self._news.wait()

    async def _made_ready(self, claimed: Sequence[QueuedJudgement]) -> list[_Ready]:
        """The questions of those that no other process has settled in the meantime."""
        if not claimed:
            return []
        meanwhile = self._line.settled_meanwhile(claimed)
        self._keep(meanwhile, replayed=True)
        left = []
        for waiting in claimed:
            if waiting.asked.key in meanwhile:
                self._line.release(waiting)
            else:
                left.append(waiting)
        try:
            if left:
                await self._questioner.started()
            return await asyncio.to_thread(self._questions, left)
        except BaseException:
            for waiting in left:
                self._line.release(waiting)
            raise

    def _questions(self, those: Sequence[QueuedJudgement]) -> list[_Ready]:
        return [_Ready(one, question(one.task.rubric, one.task.subject, self._shown)) for one in those]

    async def _work(self, ready: asyncio.Queue[_Ready | None], group: asyncio.TaskGroup) -> None:
        while (one := await ready.get()) is not None:
            if self._stop.is_set():
                self._line.release(one.waiting)
                continue
            writes: list[Future[None]] = []
            verdict = None
            self._active += 1
            with self._ending():
                asked = one.waiting.asked
                verdict = await self._questioner.verdict(asked, one.waiting.read, one.question, writes)
            self._active -= 1
            # The next question need not wait for the disk.
            group.create_task(self._settle(one.waiting, verdict, writes))

    async def _settle(
        self, waiting: QueuedJudgement, verdict: Verdict | None, writes: list[Future[None]]
    ) -> None:
        """Take a judgement as made when all of it is on the disk."""
        key = waiting.asked.key
        with self._ending():
            if verdict is not None:
                writes.append(conclude(self._workspace, key, self._run, verdict))
            await _written(writes)
            if verdict is not None:
                self._result.asked += 1
                self._keep({key: verdict}, replayed=False)
        self._line.release(waiting)

    @contextlib.contextmanager
    def _ending(self) -> Iterator[None]:
        """What ends the judging, and what ends all of the run."""
        try:
            yield
        except Stopped:
            pass
        except BudgetReached:
            self._result.out_of_budget = True
            self._stop_all.set()
        except Misconfigured as error:
            self._give_up(str(error))
        except Exception as error:
            self._error = self._error or error
            self._stop_all.set()

    def _give_up(self, reason: str) -> None:
        if self._result.unusable is None and self._onlooker is not None:
            self._onlooker.given_up(reason)
        self._result.unusable = self._result.unusable or reason
        self._stop.set()

    def _plan(self, judgements: int) -> None:
        if self._onlooker is not None and judgements != self._planned:
            self._planned = judgements
            self._onlooker.planned(judgements)

    def _keep(self, verdicts: dict[str, Verdict], *, replayed: bool) -> None:
        self._verdicts |= verdicts
        if self._onlooker is not None:
            for verdict in verdicts.values():
                self._onlooker.judged(verdict, replayed=replayed)


async def _written(writes: Sequence[Future[None]]) -> None:
    """One thread writes, in this order: when the last of these is on the disk, so are the others."""
    if writes:
        await asyncio.wait([asyncio.wrap_future(writes[-1])])
    for write in writes:
        write.result()
