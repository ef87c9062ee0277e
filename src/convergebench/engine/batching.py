"""Edits of many trajectories in one call, for editors that serve batches."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from convergebench.engine.limits import Stopped
from convergebench.types import BatchEditor, Edited, EditRequest, Unavailable

WAIT_SECONDS = 0.01
FIRST_WAIT_SECONDS = 0.1
"""Trajectories start one after the other, as their sources are read, and few cost as long a call as many."""
AT_ONCE = 2
"""Batches that an editor is given at a time: one that its device works on, one that is ready for it."""
DEADLINE_SECONDS = 900.0

Request = TypeVar("Request")
Reply = TypeVar("Reply")


@dataclass(eq=False)
class Asked(Generic[Request, Reply]):
    """A request, and whoever waits for its reply."""

    request: Request
    answer: asyncio.Future[Reply]
    losses: int = 0
    """How often whoever served it was lost meanwhile."""

    def settle(self, outcome: Reply | Exception) -> None:
        if self.answer.done():
            return  # whoever asked has gone
        if isinstance(outcome, Exception):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class Line(Generic[Request, Reply]):
    """Requests that wait to be served, by one server or by many; taken in batches, in order."""

    def __init__(self) -> None:
        self._waiting: deque[Asked[Request, Reply]] = deque()
        self._is_filled = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def ask(self, request: Request) -> asyncio.Future[Reply]:
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append(Asked(request, answer))
        self._is_filled.set()
        return answer

    def put_back(self, asked: Asked[Request, Reply]) -> None:
        """To the front: its server was lost, and it has waited long enough."""
        self._waiting.appendleft(asked)
        self._is_filled.set()

    def refuse_all(self, error: Exception) -> None:
        while self._waiting:
            self._waiting.popleft().settle(error)

    async def take(self, most: int, wait_seconds: float = WAIT_SECONDS) -> list[Asked[Request, Reply]]:
        """Up to so many, as soon as there is one; a moment is left for others to join it, and one more after
        each who does."""
        while True:
            await self._is_filled.wait()
            with contextlib.suppress(TimeoutError):
                while len(self._waiting) < most:
                    self._is_filled.clear()
                    async with asyncio.timeout(wait_seconds):
                        await self._is_filled.wait()
            batch = self._first(most)
            if self._waiting:
                self._is_filled.set()  # for others who take from here
            else:
                self._is_filled.clear()
            if batch:
                return batch

    def _first(self, most: int) -> list[Asked[Request, Reply]]:
        """One whose server was lost goes alone: it may be the reason, and shall not take others with it."""
        batch: list[Asked[Request, Reply]] = []
        while self._waiting and len(batch) < most:
            if self._waiting[0].answer.done():
                self._waiting.popleft()
            elif self._waiting[0].losses:
                return batch or [self._waiting.popleft()]
            else:
                batch.append(self._waiting.popleft())
        return batch


class Batched:
    """Gathers requests while the editor is busy, or for a moment when it is idle, and sends them together.

    A batch that is full is sent while another is under way, so that the editor's device need not wait until
    that one's pictures are encoded, stored and sent back with the next request. The deadline is a batch's:
    how long a request waits for its turn says nothing about the editor. Those that wait when the run stops
    are not begun.
    """

    def __init__(
        self, editor: BatchEditor, stop: asyncio.Event, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        self.facts = editor.facts
        self._editor = editor
        self._stop = stop
        self._deadline_seconds = deadline_seconds
        self._line: Line[EditRequest, Edited] = Line()
        self._sender: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._wait_seconds = FIRST_WAIT_SECONDS

    async def edit(self, request: EditRequest) -> Edited:
        answer = self._line.ask(request)
        self._changed.set()
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_all())
        return await answer

    async def close(self) -> None:
        await self._editor.close()

    async def _send_all(self) -> None:
        while len(self._line):
            if self._stop.is_set():
                self._line.refuse_all(Stopped())
            elif self._may_send():
                batch = await self._line.take(self._editor.batch_size, self._wait_seconds)
                self._wait_seconds = WAIT_SECONDS
                sent = asyncio.create_task(self._send(batch))
                self._under_way.add(sent)
                sent.add_done_callback(self._ended)
            else:
                self._changed.clear()
                await self._changed.wait()

    def _may_send(self) -> bool:
        is_full = len(self._line) >= self._editor.batch_size
        return not self._under_way or (is_full and len(self._under_way) < AT_ONCE)

    def _ended(self, sent: asyncio.Task[None]) -> None:
        self._under_way.discard(sent)
        self._changed.set()

    async def _send(self, batch: list[Asked[EditRequest, Edited]]) -> None:
        try:
            async with asyncio.timeout(self._deadline_seconds):
                outcomes = await self._editor.edit_batch([asked.request for asked in batch])
        except TimeoutError:
            outcomes = [Unavailable(f"no answer within {self._deadline_seconds:g} s")] * len(batch)
        except Exception as error:
            for asked in batch:
                asked.settle(error)
            return
        for asked, outcome in zip(batch, outcomes, strict=True):
            asked.settle(outcome)
