"""Edits of many trajectories in one call, for editors that serve batches."""

from __future__ import annotations

import asyncio

from convergebench.types import BatchEditor, Edited, EditError, EditRequest


class Batched:
    """Gathers requests while the editor is busy, or for a moment when it is idle, and sends them together."""

    def __init__(self, editor: BatchEditor, wait_seconds: float = 0.01) -> None:
        self.facts = editor.facts
        self._editor = editor
        self._wait_seconds = wait_seconds
        self._waiting: list[tuple[EditRequest, asyncio.Future[Edited]]] = []
        self._sender: asyncio.Task[None] | None = None

    async def edit(self, request: EditRequest) -> Edited:
        answer: asyncio.Future[Edited] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_all())
        return await answer

    async def close(self) -> None:
        await self._editor.close()

    async def _send_all(self) -> None:
        while self._waiting:
            if len(self._waiting) < self._editor.batch_size:
                await asyncio.sleep(self._wait_seconds)
            batch, self._waiting = (
                self._waiting[: self._editor.batch_size],
                self._waiting[self._editor.batch_size :],
            )
            await self._send(batch)

    async def _send(self, batch: list[tuple[EditRequest, asyncio.Future[Edited]]]) -> None:
        try:
            outcomes = await self._editor.edit_batch([request for request, _ in batch])
        except Exception as error:
            for _, answer in batch:
                _settle(answer, error)
            return
        for (_, answer), outcome in zip(batch, outcomes, strict=True):
            _settle(answer, outcome)


def _settle(answer: asyncio.Future[Edited], outcome: Edited | EditError | Exception) -> None:
    if answer.done():
        return  # whoever asked has gone
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)
