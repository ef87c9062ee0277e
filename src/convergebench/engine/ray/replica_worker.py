"""One replica that works on a queue of requests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from convergebench.engine.editing.batching import AT_ONCE
from convergebench.engine.request_queue import QueuedRequest, RequestQueue

Request = TypeVar("Request")
Reply = TypeVar("Reply")
Asks = TypeVar("Asks", contravariant=True)
Gives = TypeVar("Gives", covariant=True)


class ReplicaLost(Exception):
    """The replica is lost, together with its work in progress."""


class Replica(Protocol[Asks, Gives]):
    async def serve(self, requests: Sequence[Asks]) -> Sequence[Gives | Exception]:
        """One reply per request, in order. Raises ReplicaLost if the replica is lost."""

    async def close(self) -> None: ...


class ReplicaWorker(Generic[Request, Reply]):
    """Sends a replica a batch, and the next full batch while it serves the first, unless another replica is
    free. The replica reads and writes pictures while its device works.

    Requests held by a lost replica go to `unserved`. The deadline applies to each batch, from the start of
    its turn.
    """

    def __init__(
        self,
        replica: Replica[Request, Reply],
        line: RequestQueue[Request, Reply],
        batch_size: int,
        deadline_seconds: float,
        unserved: Callable[[QueuedRequest[Request, Reply], str], None],
    ) -> None:
        self._replica = replica
        self._line = line
        self._batch_size = batch_size
        self._deadline_seconds = deadline_seconds
        self._unserved = unserved

    async def serve(self, batch: Sequence[QueuedRequest[Request, Reply]]) -> None:
        """Serve the batch and those sent after it, until none is in progress. Raises ReplicaLost if the
        replica is lost."""
        is_suspect = any(queued.losses for queued in batch)  # served alone, so that no other is lost with it
        under_way = deque([asyncio.create_task(self._answer(batch))])
        try:
            while under_way:
                if is_suspect or len(under_way) == AT_ONCE:
                    await under_way.popleft()
                elif self._line.has_spare(self._batch_size):
                    spare = self._line.take_waiting(self._batch_size)
                    under_way.append(asyncio.create_task(self._answer(spare, after=under_way[-1])))
                elif await self._is_done_before_the_line_grows(under_way[0]):
                    await under_way.popleft()
        finally:
            for answering in under_way:
                answering.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _is_done_before_the_line_grows(self, answering: asyncio.Task[None]) -> bool:
        grown = self._line.grown()
        try:
            await asyncio.wait({answering, grown}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            grown.cancel()
        return answering.done()

    async def _answer(
        self, batch: Sequence[QueuedRequest[Request, Reply]], after: asyncio.Task[None] | None = None
    ) -> None:
        outcomes: Sequence[Reply | Exception]
        try:
            outcomes = await self._outcomes([queued.request for queued in batch], after)
            if len(outcomes) != len(batch):
                raise ValueError(f"{len(outcomes)} replies to {len(batch)} requests")
        except (ReplicaLost, asyncio.CancelledError) as error:
            for queued in reversed(batch):
                self._unserved(queued, str(error) or "it went with another request")
            raise
        except Exception as error:
            outcomes = [error] * len(batch)
        for queued, outcome in zip(batch, outcomes, strict=True):
            queued.settle(outcome)

    async def _outcomes(
        self, requests: Sequence[Request], after: asyncio.Task[None] | None
    ) -> Sequence[Reply | Exception]:
        served = asyncio.ensure_future(self._replica.serve(requests))
        try:
            if after is not None:
                await asyncio.wait({after, served}, return_when=asyncio.FIRST_COMPLETED)
            async with asyncio.timeout(self._deadline_seconds):
                return await served
        except TimeoutError:
            raise ReplicaLost(f"no answer within {self._deadline_seconds:g} s") from None
        finally:
            served.cancel()
