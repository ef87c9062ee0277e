"""Judging what is in a workspace: many questions at a time, each durable, none asked twice."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from convergebench.accounts import account_at
from convergebench.engine.interrupts import interruptible
from convergebench.engine.limits import Budget, BudgetReached, Lane, Limits, Patience
from convergebench.engine.questioning import Questioner
from convergebench.engine.shown import Shown
from convergebench.judges import Judge, Question, Reply, Rubric, Subject, Verdict
from convergebench.judges.asking import key_of, lacking, question, shown_pictures, shown_texts
from convergebench.judges.contract import verdict as verdict_of
from convergebench.store import Workspace
from convergebench.store.judgements import (
    Asked,
    claim_of,
    conclude,
    concluded,
    enlist_judge,
    verdict_rows,
)
from convergebench.types import EditError, Misconfigured

AT_ONCE = 8
ASK_AGAIN = 2
CLAIM_POLL_SECONDS = 0.1
BATCH = 8
"""Questions that are claimed, looked up and made ready in one go, before they are needed."""


@dataclass(frozen=True)
class Task:
    """One thing to be judged: a subject, by a rubric, for the n-th time."""

    rubric: Rubric
    subject: Subject
    repeat: int = 0


@dataclass
class Judged:
    """What judging came to: a verdict, or none yet, for each task in order."""

    verdicts: list[Verdict | None]
    asked: int = 0
    """Judgements for which the judge was asked; the others were there."""
    calls: int = 0
    seconds: float = 0.0
    spent_usd: float = 0.0
    unusable: str | None = None
    """Why the judge could not go on at all."""
    interrupted: bool = False
    out_of_budget: bool = False
    missing: Counter[str] = field(default_factory=Counter)

    @property
    def ok(self) -> int:
        return sum(one is not None and one.outcome == "ok" for one in self.verdicts)


class Onlooker(Protocol):
    def planned(self, judgements: int) -> None:
        """So many different ones; `judged` follows for each that gets a verdict."""

    def judged(self, verdict: Verdict, *, replayed: bool) -> None: ...

    def stopping(self, in_flight: int) -> None: ...


async def judge_tasks(
    tasks: Sequence[Task],
    judge: Judge,
    workspace: Workspace,
    *,
    run: int,
    concurrency: int | None = None,
    per_minute: float | None = None,
    max_cost_usd: float | None = None,
    patience: Patience | None = None,
    ask_again: int = ASK_AGAIN,
    retry_missing: bool = False,
    onlooker: Onlooker | None = None,
) -> Judged:
    """A verdict for every task: those that are kept already, and the judge's for the others.

    A verdict that is missing stands as well, until `retry_missing` asks for it anew. A reply that does not
    parse is asked for up to `ask_again` times more. The judge is started when the first question comes up,
    and closed at the end. SIGINT lets what is in flight finish.
    """
    stop = asyncio.Event()
    budget = Budget(max_cost_usd)
    account = account_at(judge.facts.provider)
    at_once = concurrency or account.at_once or AT_ONCE
    lane = Lane(at_once, per_minute or account.per_minute)
    limits = Limits(lane, patience or Patience(), budget, stop)
    session = _Session(judge, workspace, run, limits, stop, ask_again, retry_missing, onlooker)
    started = time.perf_counter()
    with interruptible(session.interrupted):
        result = await session.run(tasks, at_once)
    result.spent_usd = budget.spent_usd
    result.seconds = time.perf_counter() - started
    return result


@dataclass(frozen=True)
class _Waiting:
    asked: Asked
    rubric: Rubric
    subject: Subject

    @property
    def claim(self) -> int:
        return claim_of(self.asked.key)

    def read(self, reply: Reply) -> Verdict:
        return verdict_of(reply, self.rubric)


@dataclass(frozen=True)
class _Ready:
    waiting: _Waiting
    question: Question


class _Session:
    def __init__(
        self,
        judge: Judge,
        workspace: Workspace,
        run: int,
        limits: Limits,
        stop: asyncio.Event,
        ask_again: int,
        retry_missing: bool,
        onlooker: Onlooker | None,
    ) -> None:
        self._judge = judge
        self._fingerprint = judge.facts.fingerprint
        self._workspace = workspace
        self._shown = Shown(workspace.pictures)
        self._claimed: set[int] = set()
        self._run = run
        self._questioner = Questioner(judge, workspace, run, limits, stop, ask_again)
        self._stop = stop
        self._retry_missing = retry_missing
        self._onlooker = onlooker
        self._verdicts: dict[str, Verdict] = {}
        self._active = 0
        self._error: Exception | None = None
        self._result = Judged([])

    async def run(self, tasks: Sequence[Task], at_once: int) -> Judged:
        facts = self._judge.facts
        rubrics = {task.rubric.fingerprint: task.rubric for task in tasks}
        await asyncio.to_thread(enlist_judge, self._workspace, facts, list(rubrics.values()))
        waiting = [self._waiting(task) for task in tasks]
        if self._onlooker is not None:
            self._onlooker.planned(len({one.asked.key for one in waiting}))
        kept = await asyncio.to_thread(concluded, self._workspace, self._fingerprint)
        self._take_kept(waiting, kept)
        line = deque({one.asked.key: one for one in waiting if one.asked.key not in self._verdicts}.values())
        if line:
            await self._work_off(line, at_once)
        if self._error is not None:
            raise self._error
        self._result.calls = self._questioner.calls
        self._result.verdicts = [self._verdicts.get(one.asked.key) for one in waiting]
        self._result.missing.update(
            one.outcome for one in self._result.verdicts if one and one.outcome != "ok"
        )
        return self._result

    def interrupted(self) -> None:
        self._result.interrupted = True
        self._stop.set()
        if self._onlooker is not None:
            self._onlooker.stopping(self._active)

    def _waiting(self, task: Task) -> _Waiting:
        absent = lacking(task.rubric, task.subject)
        if absent is not None:
            raise ValueError(f"{task.rubric.name} must see {absent}, which this subject does not have")
        pictures, texts = shown_pictures(task.rubric, task.subject), shown_texts(task.rubric, task.subject)
        key = key_of(self._fingerprint, task.rubric, pictures, texts, task.repeat)
        asked = Asked(key, self._fingerprint, task.rubric.fingerprint, pictures, texts, task.repeat)
        return _Waiting(asked, task.rubric, task.subject)

    def _take_kept(self, waiting: Iterable[_Waiting], kept: Mapping[str, sqlite3.Row]) -> None:
        for key in {one.asked.key for one in waiting} & set(kept):
            if self._stands(kept[key]):
                self._keep(key, verdict_in(kept[key]), replayed=True)

    def _stands(self, row: sqlite3.Row) -> bool:
        return row["outcome"] == "ok" or not self._retry_missing

    async def _work_off(self, line: deque[_Waiting], at_once: int) -> None:
        workers = min(at_once, len(line))
        ready: asyncio.Queue[_Ready | None] = asyncio.Queue(workers)
        try:
            await self._started()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed(line, ready, workers))
                for _ in range(workers):
                    group.create_task(self._work(ready, group))
        except EditError as error:
            self._result.unusable = str(error)
        finally:
            for claim in tuple(self._claimed):
                self._release(claim)
            await self._judge.close()

    async def _started(self) -> None:
        """Start the judge, which can take long, unless the run ends first."""
        stopping = asyncio.create_task(self._stop.wait())
        starting = asyncio.create_task(self._judge.start())
        await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        starting.cancel()  # does nothing to what is done
        await asyncio.wait({starting})
        if not starting.cancelled():
            starting.result()

    async def _feed(self, line: deque[_Waiting], ready: asyncio.Queue[_Ready | None], workers: int) -> None:
        """Make questions ready a little ahead of the workers, then tell each of them that it was the last."""
        with self._ending():
            while line and not self._stop.is_set():
                batch = self._taken(line)
                if not batch:
                    await asyncio.sleep(CLAIM_POLL_SECONDS)
                    continue
                open_ = self._still_open(batch)
                for one in await asyncio.to_thread(self._made_ready, open_):
                    await ready.put(one)
        for _ in range(workers):
            await ready.put(None)

    def _taken(self, line: deque[_Waiting]) -> list[_Waiting]:
        """The next few that nobody else works on. The others go to the end of the line: what another process
        gets for them is taken from there."""
        taken = []
        for _ in range(min(BATCH, len(line))):
            waiting = line.popleft()
            if self._workspace.claim(waiting.claim):
                self._claimed.add(waiting.claim)
                taken.append(waiting)
            else:
                line.append(waiting)
        return taken

    def _still_open(self, batch: Sequence[_Waiting]) -> list[_Waiting]:
        """Those that no other process has settled in the meantime."""
        meanwhile = verdict_rows(self._workspace, [one.asked.key for one in batch])
        self._take_kept(batch, meanwhile)
        for waiting in batch:
            if waiting.asked.key in self._verdicts:
                self._release(waiting.claim)
        return [waiting for waiting in batch if waiting.asked.key not in self._verdicts]

    def _made_ready(self, batch: Sequence[_Waiting]) -> list[_Ready]:
        return [_Ready(one, question(one.rubric, one.subject, self._shown)) for one in batch]

    async def _work(self, ready: asyncio.Queue[_Ready | None], group: asyncio.TaskGroup) -> None:
        while (one := await ready.get()) is not None:
            if self._stop.is_set():
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

    async def _settle(self, waiting: _Waiting, verdict: Verdict | None, writes: list[Future[None]]) -> None:
        """Take a judgement as made when all of it is on the disk."""
        key = waiting.asked.key
        with self._ending():
            if verdict is not None:
                writes.append(conclude(self._workspace, key, self._run, verdict))
            await _written(writes)
            if verdict is not None:
                self._result.asked += 1
                self._keep(key, verdict, replayed=False)
        self._release(waiting.claim)

    @contextlib.contextmanager
    def _ending(self) -> Iterator[None]:
        """Errors end the run when what is in flight has finished."""
        try:
            yield
        except BudgetReached:
            self._result.out_of_budget = True
            self._stop.set()
        except Misconfigured as error:
            self._result.unusable = str(error)
            self._stop.set()
        except Exception as error:
            self._error = self._error or error
            self._stop.set()

    def _release(self, claim: int) -> None:
        self._claimed.discard(claim)
        self._workspace.release(claim)

    def _keep(self, key: str, verdict: Verdict, *, replayed: bool) -> None:
        self._verdicts[key] = verdict
        if self._onlooker is not None:
            self._onlooker.judged(verdict, replayed=replayed)


async def _written(writes: Sequence[Future[None]]) -> None:
    """One thread writes, in this order: when the last of these is on the disk, so are the others."""
    if writes:
        await asyncio.wait([asyncio.wrap_future(writes[-1])])
    for write in writes:
        write.result()


def verdict_in(row: sqlite3.Row) -> Verdict:
    scores = json.loads(row["scores"])
    return Verdict(row["outcome"], row["value"], scores, row["reason"], row["missing"])
