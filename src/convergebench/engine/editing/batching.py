"""Edits of many trajectories in one call, for editors that serve batches."""

from __future__ import annotations

import asyncio

from convergebench.engine.budget import Stopped
from convergebench.engine.request_queue import WAIT_SECONDS, QueuedRequest, RequestQueue
from convergebench.types import BatchEditor, Edited, Editor, EditRequest, Unavailable

FIRST_WAIT_SECONDS = 0.1
"""Trajectories start one after the other, as their sources are read, and a call for few edits takes as long
as for many."""
AT_ONCE = 2
"""Batches sent to an editor at a time: one in progress on its device, one ready to follow."""
DEADLINE_SECONDS = 900.0


def batched(editor: Editor, stop: asyncio.Event, deadline_seconds: float) -> Editor:
    """The editor itself, or a wrapper that sends it batches if it serves them."""
    return BatchingEditor(editor, stop, deadline_seconds) if isinstance(editor, BatchEditor) else editor


class BatchingEditor:
    """Collects requests while the editor is busy, or for a moment when it is idle, and sends them together.

    A full batch is sent while another is in progress, so that the editor's device need not wait until the
    pictures of the first are encoded, stored and sent back with the next request. The deadline applies to a
    batch: the time that a request waits in the queue says nothing about the editor. Requests that still wait
    when the run stops are not started.
    """

    def __init__(
        self, editor: BatchEditor, stop: asyncio.Event, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        self.facts = editor.facts
        self._editor = editor
        self._stop = stop
        self._deadline_seconds = deadline_seconds
        self._queue: RequestQueue[EditRequest, Edited] = RequestQueue()
        self._sender: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._wait_seconds = FIRST_WAIT_SECONDS

    async def edit(self, request: EditRequest) -> Edited:
        answer = self._queue.ask(request)
        self._changed.set()
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_all())
        return await answer

    async def close(self) -> None:
        await self._editor.close()

    async def _send_all(self) -> None:
        while len(self._queue):
            if self._stop.is_set():
                self._queue.refuse_all(Stopped())
            elif self._may_send():
                batch = await self._queue.take(self._editor.batch_size, self._wait_seconds)
                self._wait_seconds = WAIT_SECONDS
                sent = asyncio.create_task(self._send(batch))
                self._under_way.add(sent)
                sent.add_done_callback(self._ended)
            else:
                self._changed.clear()
                await self._changed.wait()

    def _may_send(self) -> bool:
        is_full = self._queue.is_full(self._editor.batch_size)
        return not self._under_way or (is_full and len(self._under_way) < AT_ONCE)

    def _ended(self, sent: asyncio.Task[None]) -> None:
        self._under_way.discard(sent)
        self._changed.set()

    async def _send(self, batch: list[QueuedRequest[EditRequest, Edited]]) -> None:
        try:
            async with asyncio.timeout(self._deadline_seconds):
                outcomes = await self._editor.edit_batch([queued.request for queued in batch])
                if len(outcomes) != len(batch):
                    raise ValueError(f"{len(outcomes)} outcomes for {len(batch)} requests")
        except TimeoutError:
            outcomes = [Unavailable(f"no answer within {self._deadline_seconds:g} s")] * len(batch)
        except Exception as error:
            for queued in batch:
                queued.settle(error)
            return
        for queued, outcome in zip(batch, outcomes, strict=True):
            queued.settle(outcome)
