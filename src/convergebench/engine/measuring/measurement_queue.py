"""The measurement queue: a short queue that is measured in parallel with editing, in batches on threads."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Protocol, TypeAlias, TypeVar

from convergebench.engine.progress import RunProgress
from convergebench.metrics.metric_set import BATCH
from convergebench.store import MeasurementKey, Workspace
from convergebench.types import Digest, Measurement

WORKERS = max(1, os.cpu_count() or 1)
GPU_WORKERS = max(1, min(4, os.cpu_count() or 1))
"""Threads that fill and empty a GPU; more would wait for it."""
FILL_SECONDS = 0.004
QUIET_SECONDS = 0.05
"""A batch that waits to be full is measured when nothing was added for so long. A small batch takes the
processor nearly as long as a large one, and where pictures come fast, this is time to store them."""
ITEMS_PER_WORKER = 4
MANY = 4
"""Batches of small pictures are this much larger: handing one to a thread takes as long as measuring some."""
SMALL_PIXELS = 1024 * 1024
"""Of all items of such a batch."""
USUAL_PIXELS = 1024 * 1024
"""Of an item. Of larger ones, fewer are in memory at once."""

Row: TypeAlias = tuple[Digest, Digest, Measurement]

Item = TypeVar("Item")
Taken = TypeVar("Taken", contravariant=True)


class Measurer(Protocol[Taken]):
    """Measures the items of a queue; called from several threads at once."""

    def lacks(self, item: Taken, known: Mapping[MeasurementKey, bool]) -> bool:
        """Whether the item has a measurement that was not tried before."""

    def measure(self, items: Sequence[Taken]) -> list[Row]: ...


class ItemQueue(asyncio.Queue[Item]):
    """A queue that has room for more items while their pictures are small, and for fewer large ones."""

    def __init__(self, maxsize: int, pixels: Callable[[Item], int]) -> None:
        super().__init__(maxsize)
        self._pixels = pixels
        self._waiting_pixels = 0

    def full(self) -> bool:
        if self.qsize() < self.maxsize:
            return self._waiting_pixels >= self.maxsize * USUAL_PIXELS
        return self.qsize() >= MANY * self.maxsize or self._waiting_pixels >= 2 * SMALL_PIXELS

    def _put(self, item: Item) -> None:
        super()._put(item)
        self._waiting_pixels += self._pixels(item)

    def _get(self) -> Item:
        item = super()._get()
        self._waiting_pixels -= self._pixels(item)
        return item


class MeasurementQueue(Generic[Item]):
    """A bounded queue of items to measure: when it is full, editing waits."""

    def __init__(
        self,
        measurer: Measurer[Item],
        workspace: Workspace,
        progress: RunProgress,
        on_error: Callable[[Exception], None],
        at_once: int = WORKERS,
        batch: int = BATCH,
        fills: Callable[[], bool] = lambda: False,
        full_at_once: int = GPU_WORKERS,
        pixels: Callable[[Item], int] = lambda item: SMALL_PIXELS,
    ) -> None:
        """`fills`: whether an incomplete batch waits while another is measured or items are added, and no
        more than `full_at_once` are measured. `pixels`: the size of an item."""
        self._measurer = measurer
        self._workspace = workspace
        self._progress = progress
        self._on_error = on_error
        self._batch = batch
        self._fills = fills
        self._measuring = 0
        self._filling = asyncio.Lock()
        self._at_once = at_once
        self._full_at_once = full_at_once
        self._pixels = pixels
        self._queue = ItemQueue(max(2 * batch, ITEMS_PER_WORKER * at_once), pixels)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="measure")
        self._workers = [asyncio.create_task(self._work()) for _ in range(at_once)]

    async def offer(self, item: Item, known: Mapping[MeasurementKey, bool]) -> None:
        """Queue the item, unless all its values are known."""
        if not self._measurer.lacks(item, known):
            return
        if self._queue.full():
            await self._queue.put(item)
        else:
            self._queue.put_nowait(item)

    async def finish(self) -> None:
        """Measure all waiting items, then stop."""
        await self._queue.join()
        while self._workers:  # a cancelled task refers to this queue, and so to processes on a GPU
            self._workers.pop().cancel()
        self._threads.shutdown()

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            async with self._filling:  # several incomplete batches would wait for each other
                batch = await self._next_batch()
            self._measuring += 1
            try:
                await loop.run_in_executor(self._threads, self._measure, batch, loop)
            except Exception as error:
                self._recorded(len(batch), error)
            del batch  # its pictures, while the next one is awaited
            self._measuring -= 1

    async def _next_batch(self) -> list[Item]:
        batch = [await self._queue.get()]
        fills = self._fills()
        # An even share of what waits: one thread with a full batch would leave the others without work.
        waiting = 1 + self._queue.qsize() // self._at_once
        share = self._full(batch[0]) if fills else min(self._most(batch[0]), waiting)
        quiet_seconds = 0.0
        while len(batch) < share or (fills and self._measuring >= self._full_at_once):
            if len(batch) < share and not self._queue.empty():
                batch.append(self._queue.get_nowait())
                quiet_seconds = 0.0
            elif fills and (self._measuring or quiet_seconds < QUIET_SECONDS):
                await asyncio.sleep(FILL_SECONDS)
                quiet_seconds += FILL_SECONDS
            else:
                break
        return batch

    def _full(self, first: Item) -> int:
        return max(1, min(self._batch, self._batch * USUAL_PIXELS // self._pixels(first)))

    def _most(self, first: Item) -> int:
        usual = min(self._batch, BATCH)
        many = MANY * usual
        return many if many * self._pixels(first) <= SMALL_PIXELS else usual

    def _measure(self, batch: list[Item], loop: asyncio.AbstractEventLoop) -> None:
        """On a thread. The next batch is measured while the disk completes this one."""

        def report(done: Future[None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed, as after a second interrupt
                loop.call_soon_threadsafe(self._recorded, count, done.exception())

        count = len(batch)
        self._workspace.record_measurements(self._measurer.measure(batch)).add_done_callback(report)

    def _recorded(self, count: int, error: BaseException | None) -> None:
        if isinstance(error, Exception):
            self._on_error(error)  # and continue to empty the queue, or editing would wait forever
        else:
            self._progress.measured(count)
        for _ in range(count):
            self._queue.task_done()
