"""The durable `reason`: advice in the workspace is replayed; other advice is requested, and stored before
use."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from convergebench.engine.budget import Stopped
from convergebench.engine.judging.judge_client import ASK_AGAIN, JudgeClient
from convergebench.engine.judging.judge_images import JudgeImageCache
from convergebench.engine.limits import Limits
from convergebench.engine.session import claimed
from convergebench.judges import Judge, Verdict, reasoning
from convergebench.judges.reasoning import OWN_PROMPTS, Advice, Prompt, ReasonerPrompts
from convergebench.results.judgements import stored_verdicts
from convergebench.store import Workspace
from convergebench.store.judgements import JudgementRequest, claim_of, enlist_judge
from convergebench.store.reasoner_calls import reply_to
from convergebench.types import Digest


class NoAdvice(Exception):
    """Ends a refinement: the reasoner gave no usable advice."""


@dataclass(frozen=True)
class ReasonerReply:
    """A reasoner's advice on a picture, and the judgement that stores it."""

    judgement: str
    advice: Advice | None
    missing: str | None
    """The reason why advice is missing."""


class Reasoner:
    """Queries one reasoner, which is started with the first question. The same question is never asked twice,
    even if several refinements and processes need it."""

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
        prompts: ReasonerPrompts = OWN_PROMPTS,
    ) -> None:
        self.looks = 0
        """Number of pictures that the reasoner was asked about."""
        self.missing: Counter[str] = Counter()
        self._prompts = prompts
        self._judge = judge
        self._workspace = workspace
        self._run = run
        self._stop = stop
        self._retry_missing = retry_missing
        self._client = JudgeClient(judge, workspace, run, limits, stop, ASK_AGAIN)
        self._images = JudgeImageCache(workspace.pictures)
        self._replies: dict[str, asyncio.Task[ReasonerReply]] = {}
        self._at_once = asyncio.Semaphore(at_once)
        self._is_enlisted = False

    @property
    def calls(self) -> int:
        return self._client.calls

    async def look(
        self, sources: Sequence[Digest], result: Digest, instruction: str, category: str = ""
    ) -> ReasonerReply:
        """The advice on a result. Raises Misconfigured, BudgetReached and Stopped."""
        prompt = self._prompts.of(category)
        request = self._request(prompt, sources, result, instruction)
        if request.key not in self._replies:
            self._replies[request.key] = asyncio.create_task(
                self._reply(request, prompt, sources, result, instruction)
            )
        return await self._replies[request.key]

    async def close(self) -> None:
        await self._client.close()

    def _request(
        self, prompt: Prompt, sources: Sequence[Digest], result: Digest, instruction: str
    ) -> JudgementRequest:
        pictures = (*(("source", digest) for digest in sources), ("result", result))
        texts = {"instruction": instruction}
        judge, wording = self._judge.facts.fingerprint, prompt.fingerprint
        return JudgementRequest(
            reasoning.key_of(judge, wording, pictures, texts), judge, wording, pictures, texts, repeat=0
        )

    async def _reply(
        self,
        request: JudgementRequest,
        prompt: Prompt,
        sources: Sequence[Digest],
        result: Digest,
        instruction: str,
    ) -> ReasonerReply:
        """The recorded reply, or a new one. Waits for a reply that another process has already requested."""
        if (verdict := self._recorded(request.key)) is None:
            async with claimed(self._workspace, claim_of(request.key), lambda: not self._stop.is_set()):
                if (verdict := self._recorded(request.key)) is None:
                    verdict = await self._ask(request, prompt, sources, result, instruction)
        return self._read(request.key, verdict, instruction)

    def _recorded(self, key: str) -> Verdict | None:
        """The stored verdict if it is final. After an error the question is repeated, as edits are."""
        verdict = stored_verdicts(self._workspace, [key]).get(key)
        if verdict is None or verdict.outcome == "error":
            return None
        return verdict if verdict.outcome == "ok" or not self._retry_missing else None

    async def _ask(
        self,
        request: JudgementRequest,
        prompt: Prompt,
        sources: Sequence[Digest],
        result: Digest,
        instruction: str,
    ) -> Verdict:
        if self._stop.is_set():
            raise Stopped
        await self._enlist()
        await self._client.started()
        question = await asyncio.to_thread(
            reasoning.question, prompt, instruction, sources, result, self._images
        )
        writes: list[Future[None]] = []
        verdict = None
        try:
            async with self._at_once:
                verdict = await self._client.verdict(request, reasoning.verdict, question, writes)
        finally:
            for write in writes:
                await asyncio.wrap_future(write)
        if verdict is None:
            raise Stopped
        self.looks += 1
        return verdict

    async def _enlist(self) -> None:
        if not self._is_enlisted:
            facts = self._judge.facts
            await asyncio.to_thread(enlist_judge, self._workspace, facts, self._prompts.all)
            self._is_enlisted = True

    def _read(self, key: str, verdict: Verdict, instruction: str) -> ReasonerReply:
        if verdict.outcome != "ok":
            self.missing[verdict.outcome] += 1
            return ReasonerReply(key, None, verdict.missing)
        advice = reasoning.advice_in(reply_to(self._workspace, key))
        return ReasonerReply(key, advice.always(instruction) if self._prompts.always_edits else advice, None)
