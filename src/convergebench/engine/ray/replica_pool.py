"""Replicas that serve a queue of requests: started as it grows, stopped when idle, replaced when lost."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from convergebench.engine.editing.batching import FIRST_WAIT_SECONDS
from convergebench.engine.ray.replica_worker import Replica, ReplicaLost, ReplicaWorker
from convergebench.engine.request_queue import WAIT_SECONDS, QueuedRequest, RequestQueue
from convergebench.errors import ConvergeBenchError, WrongUse

log = logging.getLogger("convergebench")

MOST_LOSSES = 3
"""For one request: a request that ended its replica three times is expected to do so again."""
MOST_FAILED_STARTS = 3
"""Consecutive failed starts, while no replica is running."""
IDLE_SECONDS = 30.0
DEADLINE_SECONDS = 900.0
"""For one batch: a replica that never answers is abandoned."""
LONGEST_PAUSE_SECONDS = 30.0

Request = TypeVar("Request")
Reply = TypeVar("Reply")


class ReplicasGone(ConvergeBenchError):
    """No reply: replicas were lost too often, or cannot be started."""


@dataclass(frozen=True)
class Scale:
    """The minimum and maximum number of replicas."""

    fewest: int = 1
    most: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.fewest <= self.most:
            raise WrongUse(f"--replicas {self.fewest}..{self.most} makes no sense; write 4, or 1..8")

    @classmethod
    def parse(cls, text: str) -> Scale:
        """
        >>> Scale.parse("1..8"), Scale.parse("4")
        (Scale(fewest=1, most=8), Scale(fewest=4, most=4))
        """
        fewest, _, most = text.partition("..")
        try:
            return cls(int(fewest), int(most or fewest))
        except ValueError:
            raise WrongUse(f"--replicas must be such as 4 or 1..8, not {text}") from None


class ReplicaPool(Generic[Request, Reply]):
    """Serves requests with as many replicas as the work requires, within the scale.

    A request whose replica is lost goes to another replica, alone. After several losses it fails with
    ReplicasGone.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], Awaitable[Replica[Request, Reply]]],
        scale: Scale,
        batch_size: int = 1,
        idle_seconds: float = IDLE_SECONDS,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._name = name
        self._start = start
        self._scale = scale
        self._batch_size = batch_size
        self._idle_seconds = idle_seconds
        self._deadline_seconds = deadline_seconds
        self._queue: RequestQueue[Request, Reply] = RequestQueue()
        self._servers: set[asyncio.Task[None]] = set()
        self._up = 0
        self._unanswered = 0
        self._wait_seconds = FIRST_WAIT_SECONDS
        self._failed_starts = 0
        self._failure: Exception | None = None
        self._is_decided = asyncio.Event()

    @property
    def up(self) -> int:
        """Number of replicas that are ready or busy."""
        return self._up

    async def ready(self) -> None:
        """Wait until a replica is running, or until it is clear that none will start. Requests then fail with
        the reason."""
        self._grow()
        await self._is_decided.wait()

    async def ask(self, request: Request) -> Reply:
        if self._failure is not None:
            raise self._failure
        answer = self._queue.ask(request)
        self._unanswered += 1
        try:
            self._grow()
            return await answer
        finally:
            self._unanswered -= 1

    async def close(self) -> None:
        self._failure = self._failure or ReplicasGone(f"the replicas of {self._name} were stopped")
        for server in self._servers:
            server.cancel()
        await asyncio.gather(*self._servers, return_exceptions=True)

    def _grow(self) -> None:
        batches = math.ceil(self._unanswered / self._batch_size)
        wanted = min(self._scale.most, max(self._scale.fewest, batches))
        while self._failure is None and len(self._servers) < wanted:
            server = asyncio.create_task(self._serve())
            self._servers.add(server)
            server.add_done_callback(self._ended)

    def _ended(self, server: asyncio.Task[None]) -> None:
        self._servers.discard(server)
        if not server.cancelled() and (error := server.exception()) is not None:
            self._give_up(error if isinstance(error, Exception) else ReplicasGone(str(error)))
        self._grow()

    async def _serve(self) -> None:
        """The lifetime of one replica."""
        replica = await self._started()
        if replica is None:
            return
        self._up += 1
        self._is_decided.set()
        service = ReplicaWorker(
            replica, self._queue, self._batch_size, self._deadline_seconds, self._run_again
        )
        try:
            while batch := await self._next_batch():
                await service.serve(batch)
                self._failed_starts = 0
        except ReplicaLost as lost:
            log.warning("a replica of %s was lost: %s", self._name, lost)
        finally:
            self._up -= 1
            await replica.close()

    async def _started(self) -> Replica[Request, Reply] | None:
        try:
            return await self._start()
        except Exception as error:
            self._failed_starts += 1
            log.warning("a replica of %s did not start: %s", self._name, error)
            most = MOST_FAILED_STARTS * self._scale.fewest  # that many can fail for the same reason
            may_get_better = isinstance(error, ReplicaLost) and self._failed_starts < most
            if self._up == 0 and not may_get_better:
                self._give_up(
                    ReplicasGone(f"{self._name}: {error}") if isinstance(error, ReplicaLost) else error
                )
        await asyncio.sleep(min(LONGEST_PAUSE_SECONDS, 0.25 * 2**self._failed_starts))
        return None

    async def _next_batch(self) -> list[QueuedRequest[Request, Reply]] | None:
        """The next batch, or None if the replica was idle for a while and is not needed."""
        while True:
            try:
                async with asyncio.timeout(self._idle_seconds):
                    batch = await self._queue.take(self._batch_size, self._wait_seconds)
                    self._wait_seconds = WAIT_SECONDS
                    return batch
            except TimeoutError:
                if len(self._servers) > self._scale.fewest:
                    return None

    def _run_again(self, queued: QueuedRequest[Request, Reply], reason: str) -> None:
        queued.losses += 1
        if self._failure is not None:
            queued.settle(self._failure)
        elif queued.losses < MOST_LOSSES:
            self._queue.put_back(queued)
        else:
            queued.settle(
                ReplicasGone(
                    f"{queued.losses} replicas were lost during this request ({reason}); it is skipped"
                )
            )

    def _give_up(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._queue.refuse_all(self._failure)
        self._is_decided.set()
