"""One judgement: query a judge until its reply is well-formed, and record every attempt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

from convergebench.engine.budget import Stopped
from convergebench.engine.limits import Limits
from convergebench.judges import Judge, JudgeAttempt, JudgeReply, Question, Verdict
from convergebench.judges.asking import likely_cost_usd
from convergebench.store import Workspace
from convergebench.store.judgements import JudgementRequest, conclude, record_attempt
from convergebench.types import Crashed, EditError, Misconfigured, NoReply, Refused

ASK_AGAIN = 1
FINAL = ("ok", "refused")
"""Outcomes after which the judge is not asked again."""

Read = Callable[[JudgeReply], Verdict]
"""Converts a reply to a verdict."""


class JudgeClient:
    """Queries one judge within the limits. The judge is started with the first question."""

    def __init__(
        self,
        judge: Judge,
        workspace: Workspace,
        run: int,
        limits: Limits,
        stop: asyncio.Event,
        ask_again: int,
    ) -> None:
        self.calls = 0
        self._judge = judge
        self._workspace = workspace
        self._run = run
        self._limits = limits
        self._stop = stop
        self._ask_again = ask_again
        self._starting: asyncio.Task[None] | None = None

    async def started(self) -> None:
        """Start the judge if it is not running, which can take long. Raises Stopped if the run ends first,
        and Misconfigured if the judge cannot be started."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._judge.start())
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({self._starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not self._starting.done():
            raise Stopped
        try:
            self._starting.result()
        except EditError as error:
            raise Misconfigured(str(error)) from error

    async def close(self) -> None:
        if self._starting is not None:
            self._starting.cancel()  # has no effect on a finished task
            await asyncio.wait({self._starting})
            await self._judge.close()

    async def verdict(
        self, request: JudgementRequest, read: Read, question: Question, writes: list[Future[None]]
    ) -> Verdict | None:
        """The first well-formed reply, or the error of the last one; None if the run ends before either.
        `writes` collects the pending disk writes, of every attempt and of the verdict.

        Raises Misconfigured, which says nothing about the subject: the question is repeated once the judge is
        configured correctly.
        """
        verdict: Verdict | None = None
        for number in range(1 + self._ask_again):
            seed = request.repeat * (1 + self._ask_again) + number
            outcome = await self._attempt(replace(question, seed=seed), read, request, writes)
            if isinstance(outcome, EditError):
                verdict = self._failed(outcome)
                break
            verdict = outcome
            if verdict.outcome in FINAL:
                return verdict  # stored with its attempt
            question = question.asked_again(verdict.missing or verdict.outcome)
            if self._stop.is_set():
                return None
        if verdict is not None:
            writes.append(conclude(self._workspace, request.key, self._run, verdict))
        return verdict

    async def _attempt(
        self, asking: Question, read: Read, request: JudgementRequest, writes: list[Future[None]]
    ) -> Verdict | EditError:
        sizes = tuple(picture.size for picture in asking.pictures)
        facts = self._judge.facts
        price_usd = likely_cost_usd(facts, asking)
        verdict: Verdict | None = None

        async def call() -> JudgeReply:
            nonlocal verdict
            started = time.perf_counter()
            self.calls += 1

            def note(verdict: Verdict, outcome: JudgeReply | EditError) -> None:
                seconds, cost_usd = time.perf_counter() - started, self._limits.cost_usd(outcome, price_usd)
                reply = outcome if isinstance(outcome, JudgeReply) else None
                detail = verdict.missing or ""
                attempt = JudgeAttempt(verdict.outcome, detail, seconds, reply, sizes, cost_usd)
                settled = verdict if reply is not None and verdict.outcome in FINAL else None
                writes.append(record_attempt(self._workspace, request, self._run, attempt, settled))

            try:
                reply = await self._judge.ask(asking)
            except asyncio.CancelledError:
                unanswered = NoReply("no answer before the deadline or the end of the run")
                note(Verdict("error", missing=str(unanswered)), unanswered)
                raise
            except Exception as error:
                note(_no_reply(error), error if isinstance(error, EditError) else Crashed(error))
                raise
            verdict = _read(read, reply)
            note(verdict, reply)
            return reply

        attempted = await self._limits.attempt(call, price_usd, facts.fingerprint)
        if isinstance(attempted.outcome, EditError):
            return attempted.outcome
        assert verdict is not None
        return verdict

    def _failed(self, error: EditError) -> Verdict | None:
        if isinstance(error, Misconfigured):
            raise error
        given_up = self._stop.is_set() and not isinstance(error, Refused)
        return None if given_up else _no_reply(error)


def _read(read: Read, reply: JudgeReply) -> Verdict:
    """The verdict in the reply. A reply that our own parser fails on is paid for too, and is stored
    unchanged."""
    try:
        return read(reply)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return Verdict("unparseable", missing=f"the reply could not be read ({message})")


def _no_reply(error: Exception) -> Verdict:
    """The outcome if the judge gave no answer: a refusal by the provider, or an error."""
    kind = error.kind if isinstance(error, EditError) else "crashed"
    message = str(error) if isinstance(error, EditError) else f"{type(error).__name__}: {error}"
    return Verdict(
        "refused" if kind == "refused" else "error", missing=f"{kind.replace('_', ' ')}: {message}"
    )
