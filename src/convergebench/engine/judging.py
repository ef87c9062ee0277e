"""Judging what is in a workspace: many questions at a time, each durable, none asked twice."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from convergebench.engine.limits import Attempted, Budget, BudgetReached, Lane, Limits, Patience
from convergebench.engine.local import _interruptible
from convergebench.engine.shown import Shown
from convergebench.judges import Judge, JudgeAttempt, Question, Reply, Rubric, Subject, Verdict
from convergebench.judges.asking import (
    key_of,
    lacking,
    likely_cost_usd,
    question,
    shown_pictures,
    shown_texts,
)
from convergebench.judges.contract import verdict as verdict_of
from convergebench.store import Workspace
from convergebench.store.judgements import (
    Asked,
    begin_judgement,
    conclude,
    concluded,
    enlist_judge,
    record_attempt,
    verdict_row,
)
from convergebench.types import EditError, Misconfigured, Refused

AT_ONCE = 8
ASK_AGAIN = 2
FINAL = ("ok", "refused")
"""After these a judge is not asked again."""
CLAIM_POLL_SECONDS = 0.1
_FIRST_CLAIM = 1 << 40
"""Judgements are claimed by bytes far behind those of the trajectories."""


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
    def judged(self, verdict: Verdict, *, replayed: bool) -> None: ...


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
    at_once = concurrency or AT_ONCE
    limits = Limits(Lane(at_once, per_minute), patience or Patience(), budget, stop)
    session = _Session(judge, workspace, run, limits, stop, ask_again, retry_missing, onlooker)
    started = time.perf_counter()
    with _interruptible(session.interrupted):
        result = await session.run(tasks, at_once)
    result.spent_usd = budget.spent_usd
    result.seconds = time.perf_counter() - started
    return result


@dataclass(frozen=True)
class _Waiting:
    asked: Asked
    rubric: Rubric
    subject: Subject


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
        self._workspace = workspace
        self._run = run
        self._limits = limits
        self._stop = stop
        self._ask_again = ask_again
        self._retry_missing = retry_missing
        self._onlooker = onlooker
        self._shown = Shown(workspace.pictures)
        self._verdicts: dict[str, Verdict] = {}
        self._error: Exception | None = None
        self._result = Judged([])

    async def run(self, tasks: Sequence[Task], at_once: int) -> Judged:
        facts = self._judge.facts
        rubrics = {task.rubric.fingerprint: task.rubric for task in tasks}
        await asyncio.to_thread(enlist_judge, self._workspace, facts, list(rubrics.values()))
        waiting = [self._waiting(task) for task in tasks]
        kept = await asyncio.to_thread(concluded, self._workspace, facts.fingerprint)
        self._take_kept(waiting, kept)
        line = deque({one.asked.key: one for one in waiting if one.asked.key not in self._verdicts}.values())
        if line:
            await self._work_off(line, at_once)
        if self._error is not None:
            raise self._error
        self._result.verdicts = [self._verdicts.get(one.asked.key) for one in waiting]
        self._result.missing.update(
            one.outcome for one in self._result.verdicts if one and one.outcome != "ok"
        )
        return self._result

    def interrupted(self) -> None:
        self._result.interrupted = True
        self._stop.set()

    def _waiting(self, task: Task) -> _Waiting:
        absent = lacking(task.rubric, task.subject)
        if absent is not None:
            raise ValueError(f"{task.rubric.name} must see {absent}, which this subject does not have")
        judge = self._judge.facts.fingerprint
        pictures, texts = shown_pictures(task.rubric, task.subject), shown_texts(task.rubric, task.subject)
        key = key_of(judge, task.rubric, task.subject, task.repeat)
        asked = Asked(key, judge, task.rubric.fingerprint, pictures, texts, task.repeat)
        return _Waiting(asked, task.rubric, task.subject)

    def _take_kept(self, waiting: Iterable[_Waiting], kept: Mapping[str, sqlite3.Row]) -> None:
        for key in {one.asked.key for one in waiting} & set(kept):
            if self._stands(kept[key]):
                self._keep(key, _verdict_in(kept[key]), replayed=True)

    def _stands(self, row: sqlite3.Row) -> bool:
        return row["outcome"] == "ok" or not self._retry_missing

    async def _work_off(self, line: deque[_Waiting], at_once: int) -> None:
        try:
            await self._judge.start()
            async with asyncio.TaskGroup() as workers:
                for _ in range(min(at_once, len(line))):
                    workers.create_task(self._work(line))
        except EditError as error:
            self._result.unusable = str(error)
        finally:
            await self._judge.close()

    async def _work(self, line: deque[_Waiting]) -> None:
        while line and not self._stop.is_set():
            waiting = line.popleft()
            claim = _FIRST_CLAIM + int(waiting.asked.key[:10], 16)
            if not self._workspace.claim(claim):
                line.append(waiting)  # another process asks for it; what it gets is taken from there
                await asyncio.sleep(CLAIM_POLL_SECONDS)
                continue
            try:
                await self._settle(waiting)
            except BudgetReached:
                self._result.out_of_budget = True
                self._stop.set()
            except Exception as error:
                self._error = self._error or error  # raised when what is in flight has finished
                self._stop.set()
            finally:
                self._workspace.release(claim)

    async def _settle(self, waiting: _Waiting) -> None:
        """One judgement, up to its verdict."""
        key = waiting.asked.key
        meanwhile = verdict_row(self._workspace, key)
        if meanwhile is not None and self._stands(meanwhile):
            self._keep(key, _verdict_in(meanwhile), replayed=True)
            return
        # One thread writes, in this order: when the last of these is on the disk, so are the others.
        writes = [begin_judgement(self._workspace, waiting.asked, self._run)]
        verdict = await self._judgement(waiting, writes)
        if verdict is not None:
            writes.append(conclude(self._workspace, key, self._run, verdict))
        await asyncio.gather(*map(asyncio.wrap_future, writes))
        if verdict is None:
            return
        self._result.asked += 1
        self._keep(key, verdict, replayed=False)

    async def _judgement(self, waiting: _Waiting, writes: list[Future[None]]) -> Verdict | None:
        """The first reply in form, or what the last one lacks; None if the run ends before either."""
        verdict = None
        for number in range(1 + self._ask_again):
            asking = await self._question(waiting, number)
            attempted = await self._asked(waiting, asking, writes)
            if isinstance(attempted.outcome, EditError):
                return self._failed(attempted.outcome)
            verdict = verdict_of(attempted.outcome, waiting.rubric)
            if verdict.outcome in FINAL:
                return verdict
            if self._stop.is_set():
                return None
        return verdict

    async def _question(self, waiting: _Waiting, number: int) -> Question:
        seed = waiting.asked.repeat * (1 + self._ask_again) + number
        make = partial(question, waiting.rubric, waiting.subject, self._shown, seed)
        digests = (digest for _, digest in waiting.asked.pictures)
        at_hand = self._shown.holds(digests, waiting.rubric.pictures)
        return make() if at_hand else await asyncio.to_thread(make)

    async def _asked(
        self, waiting: _Waiting, asking: Question, writes: list[Future[None]]
    ) -> Attempted[Reply]:
        sizes = tuple(picture.size for picture in asking.pictures)

        async def call() -> Reply:
            started = time.perf_counter()
            self._result.calls += 1

            def note(verdict: Verdict, reply: Reply | None = None) -> None:
                seconds = time.perf_counter() - started
                attempt = JudgeAttempt(verdict.outcome, verdict.missing or "", seconds, reply, sizes)
                writes.append(record_attempt(self._workspace, waiting.asked.key, self._run, attempt))

            try:
                reply = await self._judge.ask(asking)
            except asyncio.CancelledError:
                note(Verdict("error", missing="no answer before the deadline or the end of the run"))
                raise
            except Exception as error:
                note(_no_reply(error))
                raise
            note(verdict_of(reply, waiting.rubric), reply)
            return reply

        return await self._limits.attempt(call, likely_cost_usd(self._judge.facts, asking))

    def _failed(self, error: EditError) -> Verdict | None:
        if isinstance(error, Misconfigured):
            self._result.unusable = str(error)
            self._stop.set()
            return None  # says nothing about this subject: it is asked again when the judge is set right
        given_up = self._stop.is_set() and not isinstance(error, Refused)
        return None if given_up else _no_reply(error)

    def _keep(self, key: str, verdict: Verdict, *, replayed: bool) -> None:
        self._verdicts[key] = verdict
        if self._onlooker is not None:
            self._onlooker.judged(verdict, replayed=replayed)


def _no_reply(error: Exception) -> Verdict:
    """Refused by the provider before the judge could answer, or an error."""
    kind = error.kind if isinstance(error, EditError) else "crashed"
    said = str(error) if isinstance(error, EditError) else f"{type(error).__name__}: {error}"
    return Verdict("refused" if kind == "refused" else "error", missing=f"{kind.replace('_', ' ')}: {said}")


def _verdict_in(row: sqlite3.Row) -> Verdict:
    scores = json.loads(row["scores"])
    return Verdict(row["outcome"], row["value"], scores, row["reason"], row["missing"])
