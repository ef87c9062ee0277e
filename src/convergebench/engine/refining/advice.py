"""The durable `reason`: what was said once is read from the store; all else is asked for, and kept first."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from convergebench.engine.judging.judge_client import ASK_AGAIN, JudgeClient
from convergebench.engine.judging.judge_images import JudgeImageCache
from convergebench.engine.judging.tasks import JudgingProgress
from convergebench.engine.limits import Limits, Stopped
from convergebench.judges import Judge, Verdict, reasoning
from convergebench.judges.reasoning import Advice
from convergebench.results.judgements import stored_verdicts
from convergebench.store import Workspace
from convergebench.store.claims import POLL_SECONDS
from convergebench.store.judgements import JudgementRequest, claim_of, conclude, enlist_judge
from convergebench.store.reasoner_calls import reply_to
from convergebench.types import Digest


class NoAdvice(Exception):
    """A refinement ends here: the reasoner gave nothing that can be followed."""


@dataclass(frozen=True)
class ReasonerReply:
    """What a reasoner made of a picture, and the judgement that it is kept as."""

    judgement: str
    advice: Advice | None
    missing: str | None
    """Why there is no advice."""


class Reasoner:
    """Asks one reasoner, started with the first question. The same question is never asked twice, by
    however many refinements and processes it is asked for."""

    def __init__(
        self,
        judge: Judge,
        workspace: Workspace,
        run: int,
        limits: Limits,
        stop: asyncio.Event,
        *,
        at_once: int,
        retry_missing: bool,
        onlooker: JudgingProgress | None,
    ) -> None:
        self.asked = 0
        self.missing: Counter[str] = Counter()
        self._judge = judge
        self._workspace = workspace
        self._run = run
        self._limits = limits
        self._stop = stop
        self._retry_missing = retry_missing
        self._onlooker = onlooker
        self._questioner = JudgeClient(judge, workspace, run, limits, stop, ASK_AGAIN)
        self._shown = JudgeImageCache(workspace.pictures)
        self._showing = asyncio.Lock()
        self._looks: dict[str, asyncio.Task[ReasonerReply]] = {}
        self._at_once = asyncio.Semaphore(at_once)
        self._is_enlisted = False

    @property
    def calls(self) -> int:
        return self._questioner.calls

    @property
    def spent_usd(self) -> float:
        return self._limits.spent_usd

    async def look(self, sources: Sequence[Digest], result: Digest, instruction: str) -> ReasonerReply:
        """The advice on a result. Misconfigured, BudgetReached and Stopped are raised."""
        asked = self._asked(sources, result, instruction)
        if asked.key not in self._looks:
            self._looks[asked.key] = asyncio.create_task(self._settled(asked, sources, result, instruction))
        return await self._looks[asked.key]

    async def close(self) -> None:
        await self._questioner.close()

    def _asked(self, sources: Sequence[Digest], result: Digest, instruction: str) -> JudgementRequest:
        pictures = (*(("source", digest) for digest in sources), ("result", result))
        texts = {"instruction": instruction}
        judge, prompt = self._judge.facts.fingerprint, reasoning.prompt().fingerprint
        return JudgementRequest(
            reasoning.key_of(judge, prompt, pictures, texts), judge, prompt, pictures, texts, repeat=0
        )

    async def _settled(
        self, asked: JudgementRequest, sources: Sequence[Digest], result: Digest, instruction: str
    ) -> ReasonerReply:
        """Wait for whoever else asks the same; then take what is kept, or ask."""
        claim = claim_of(asked.key)
        while (kept := self._kept(asked.key)) is None and not self._workspace.claim(claim):
            self._go_on()
            await asyncio.sleep(POLL_SECONDS)
        if kept is not None:
            return self._looked(asked.key, kept, replayed=True)
        try:
            if (kept := self._kept(asked.key)) is not None:  # it was settled before we had the claim
                return self._looked(asked.key, kept, replayed=True)
            verdict = await self._answered(asked, sources, result, instruction)
            return self._looked(asked.key, verdict, replayed=False)
        finally:
            self._workspace.release(claim)

    def _kept(self, key: str) -> Verdict | None:
        """A verdict that stands. Where nothing came back at all it is asked for again, as edits are."""
        verdict = stored_verdicts(self._workspace, [key]).get(key)
        if verdict is None or verdict.outcome == "error":
            return None
        return verdict if verdict.outcome == "ok" or not self._retry_missing else None

    async def _answered(
        self, asked: JudgementRequest, sources: Sequence[Digest], result: Digest, instruction: str
    ) -> Verdict:
        self._go_on()
        await self._enlist()
        await self._questioner.started()
        async with self._showing:
            question = await asyncio.to_thread(reasoning.question, instruction, sources, result, self._shown)
        writes: list[Future[None]] = []
        verdict = None
        try:
            async with self._at_once:
                verdict = await self._questioner.verdict(asked, reasoning.verdict, question, writes)
        finally:
            if verdict is not None:
                writes.append(conclude(self._workspace, asked.key, self._run, verdict))
            for write in writes:
                await asyncio.wrap_future(write)
        if verdict is None:
            raise Stopped
        self.asked += 1
        return verdict

    async def _enlist(self) -> None:
        if not self._is_enlisted:
            facts = self._judge.facts
            await asyncio.to_thread(enlist_judge, self._workspace, facts, [reasoning.prompt()])
            self._is_enlisted = True

    def _go_on(self) -> None:
        if self._stop.is_set():
            raise Stopped

    def _looked(self, key: str, verdict: Verdict, *, replayed: bool) -> ReasonerReply:
        if self._onlooker is not None:
            self._onlooker.judged(verdict, replayed=replayed)
        if verdict.outcome != "ok":
            self.missing[verdict.outcome] += 1
            return ReasonerReply(key, None, verdict.missing)
        return ReasonerReply(key, reasoning.advice_in(reply_to(self._workspace, key)), None)
