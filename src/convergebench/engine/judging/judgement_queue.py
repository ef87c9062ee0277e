"""Tasks that wait for a judge. Each question is asked once, and not at all if it is answered or claimed by
another process."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from convergebench.engine.judging.tasks import JudgingTask
from convergebench.judges import JudgeFacts, JudgeReply, Verdict
from convergebench.judges.contract import verdict as verdict_of
from convergebench.results.judgements import stored_verdicts
from convergebench.store import Workspace
from convergebench.store.judgements import JudgementRequest, claim_of, enlist_judge

BATCH = 8
"""Number of questions that are claimed, looked up and prepared together, ahead of use."""
LOOKUP_BATCH = 1000
"""Number of verdicts read from the database at once."""


@dataclass(frozen=True)
class QueuedJudgement:
    """A queued task refers to its pictures by name and does not hold them, so the queue can be of any
    length."""

    request: JudgementRequest
    task: JudgingTask

    @property
    def claim(self) -> int:
        return claim_of(self.request.key)

    def read(self, reply: JudgeReply) -> Verdict:
        return verdict_of(reply, self.task.rubric)


class JudgementQueue:
    def __init__(self, workspace: Workspace, judge: JudgeFacts, *, retry_missing: bool) -> None:
        self._workspace = workspace
        self._judge = judge
        self._fingerprint = judge.fingerprint
        self._retry_missing = retry_missing
        self._keys: set[str] = set()
        self._rubrics: set[str] = set()
        self._arrived: deque[QueuedJudgement] = deque()
        self._open: deque[QueuedJudgement] = deque()
        self._claimed: set[int] = set()

    def __len__(self) -> int:
        """The number of different judgements added so far."""
        return len(self._keys)

    @property
    def has_new(self) -> bool:
        return bool(self._arrived)

    @property
    def is_waiting(self) -> bool:
        return bool(self._open)

    def add(self, tasks: Iterable[JudgingTask]) -> list[str]:
        """Queue the tasks and return their keys, in order."""
        keys = []
        for task in tasks:
            request = task.request_to(self._fingerprint)
            keys.append(request.key)
            if request.key not in self._keys:
                self._keys.add(request.key)
                self._arrived.append(QueuedJudgement(request, task))
        return keys

    async def take_in(self) -> dict[str, Verdict]:
        """Move new tasks to the queue, and return the verdicts of those that are already answered."""
        answered: dict[str, Verdict] = {}
        while self._arrived:
            new = [self._arrived.popleft() for _ in range(min(LOOKUP_BATCH, len(self._arrived)))]
            stored = await asyncio.to_thread(self._looked_up, new)
            answered |= self._final(stored)
            self._open.extend(one for one in new if one.request.key not in answered)
        return answered

    def claim_some(self) -> list[QueuedJudgement]:
        """Claim the next few tasks. Tasks claimed by another process go to the end of the queue; their
        verdicts are read when they come up again."""
        ready = []
        for _ in range(min(BATCH, len(self._open))):
            waiting = self._open.popleft()
            if self._workspace.claim(waiting.claim):
                self._claimed.add(waiting.claim)
                ready.append(waiting)
            else:
                self._open.append(waiting)
        return ready

    def answered_meanwhile(self, claimed: Sequence[QueuedJudgement]) -> dict[str, Verdict]:
        """Verdicts that another process stored before we had the claim."""
        return self._final(stored_verdicts(self._workspace, [one.request.key for one in claimed]))

    def release(self, waiting: QueuedJudgement) -> None:
        self._claimed.discard(waiting.claim)
        self._workspace.release(waiting.claim)

    def release_all(self) -> None:
        for claim in self._claimed:
            self._workspace.release(claim)
        self._claimed.clear()

    def _looked_up(self, new: Sequence[QueuedJudgement]) -> dict[str, Verdict]:
        """Their verdicts so far; their rubrics are recorded first."""
        self._enlist(new)
        return stored_verdicts(self._workspace, [one.request.key for one in new])

    def _enlist(self, new: Sequence[QueuedJudgement]) -> None:
        rubrics = {
            one.request.rubric: one.task.rubric for one in new if one.request.rubric not in self._rubrics
        }
        if rubrics:
            enlist_judge(self._workspace, self._judge, list(rubrics.values()))
            self._rubrics |= set(rubrics)

    def _final(self, stored: Mapping[str, Verdict]) -> dict[str, Verdict]:
        """The final verdicts. A missing verdict is final too, unless `retry_missing` is set."""
        return {
            key: verdict
            for key, verdict in stored.items()
            if verdict.outcome == "ok" or not self._retry_missing
        }
