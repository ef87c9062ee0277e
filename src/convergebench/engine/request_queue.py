"""A queue of requests, and who waits for their replies."""

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
    """How often its server was lost meanwhile."""

    def settle(self, outcome: Reply | Exception) -> None:
        if self.answer.done():
            return  # the caller was cancelled
        if isinstance(outcome, Exception):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class RequestQueue(Generic[Request, Reply]):
    """Requests that wait to be served, by one server or by many; taken in batches, in order.

    Servers that have nothing to do come first; busy ones can be told when there may be more for them.
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

    def put_back(self, asked: QueuedRequest[Request, Reply]) -> None:
        """To the front: its server was lost, and it has waited long enough."""
        self._waiting.appendleft(asked)
        self._notify()

    def refuse_all(self, error: Exception) -> None:
        while self._waiting:
            self._waiting.popleft().settle(error)

    async def take(
        self, most: int, wait_seconds: float = WAIT_SECONDS
    ) -> list[QueuedRequest[Request, Reply]]:
        """Up to `most`, as soon as there is one; a moment is left for others to join it, and one more after
        each who does."""
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
        """Up to this number of the waiting ones. One whose server was lost goes alone: it may be the reason,
        and shall not take others with it."""
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
            self._is_filled.set()  # for others who take from here
        else:
            self._is_filled.clear()
        return batch

    def has_spare(self, batch: int) -> bool:
        """Whether a busy server may take this number together, because no idle one waits for them."""
        return not self._idle and self.is_full(batch)

    def grown(self) -> asyncio.Future[None]:
        """Done when there may be something to spare for one who is busy; each who waits is told in turn."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._busy[waiter] = None
        waiter.add_done_callback(self._busy.pop)
        return waiter

    def is_full(self, batch: int) -> bool:
        """Whether this number is waiting and may be taken together."""
        together = itertools.islice(self._waiting, batch)
        return sum(not asked.losses and not asked.answer.done() for asked in together) == batch

    def _notify(self) -> None:
        self._is_filled.set()
        waiter = next((each for each in self._busy if not each.done()), None)
        if waiter is not None and not self._idle:
            waiter.set_result(None)
