"""A queue of requests with futures for their replies."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

WAIT_SECONDS = 0.01

Request = TypeVar("Request")
Reply = TypeVar("Reply")


@dataclass(eq=False)
class QueuedRequest(Generic[Request, Reply]):
    """A request, and the future of its reply."""

    request: Request
    answer: asyncio.Future[Reply]
    losses: int = 0
    """Number of servers lost while serving this request."""

    def settle(self, outcome: Reply | Exception) -> None:
        if self.answer.done():
            return  # the caller was cancelled
        if isinstance(outcome, Exception):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class RequestQueue(Generic[Request, Reply]):
    """Requests that wait for one or several servers. They are taken in batches, in order.

    Idle servers come first. Busy servers can be notified when there may be more for them.
    """

    def __init__(self) -> None:
        self._waiting: deque[QueuedRequest[Request, Reply]] = deque()
        self._is_filled = asyncio.Event()
        self._idle = 0
        self._busy: dict[asyncio.Future[None], None] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def ask(self, request: Request) -> asyncio.Future[Reply]:
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append(QueuedRequest(request, answer))
        self._notify()
        return answer

    def put_back(self, queued: QueuedRequest[Request, Reply]) -> None:
        """Put a request at the front of the queue: its server was lost, and it has waited long enough."""
        self._waiting.appendleft(queued)
        self._notify()

    def refuse_all(self, error: Exception) -> None:
        while self._waiting:
            self._waiting.popleft().settle(error)

    async def take(
        self, most: int, wait_seconds: float = WAIT_SECONDS
    ) -> list[QueuedRequest[Request, Reply]]:
        """Take up to `most` requests as soon as one is available. Waits a moment for others to join, and
        again after each that does."""
        self._idle += 1
        try:
            while True:
                await self._is_filled.wait()
                with contextlib.suppress(TimeoutError):
                    while len(self._waiting) < most:
                        self._is_filled.clear()
                        async with asyncio.timeout(wait_seconds):
                            await self._is_filled.wait()
                if batch := self.take_waiting(most):
                    return batch
        finally:
            self._idle -= 1

    def take_waiting(self, most: int) -> list[QueuedRequest[Request, Reply]]:
        """Take up to this number of requests. A request whose server was lost is taken alone: it may be the
        cause, and must not affect others."""
        batch: list[QueuedRequest[Request, Reply]] = []
        while self._waiting and len(batch) < most:
            if self._waiting[0].answer.done():
                self._waiting.popleft()
            elif self._waiting[0].losses:
                batch = batch or [self._waiting.popleft()]
                break
            else:
                batch.append(self._waiting.popleft())
        if self._waiting:
            self._is_filled.set()  # for other servers
        else:
            self._is_filled.clear()
        return batch

    def has_spare(self, batch: int) -> bool:
        """Whether a busy server may take this number at once, because no idle server waits for them."""
        return not self._idle and self.is_full(batch)

    def grown(self) -> asyncio.Future[None]:
        """A future that completes when there may be requests to spare for a busy server. Waiting servers are
        notified in turn."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._busy[waiter] = None
        waiter.add_done_callback(self._busy.pop)
        return waiter

    def is_full(self, batch: int) -> bool:
        """Whether this number of requests is waiting and may be taken at once."""
        together = itertools.islice(self._waiting, batch)
        return sum(not queued.losses and not queued.answer.done() for queued in together) == batch

    def _notify(self) -> None:
        self._is_filled.set()
        waiter = next((each for each in self._busy if not each.done()), None)
        if waiter is not None and not self._idle:
            waiter.set_result(None)
