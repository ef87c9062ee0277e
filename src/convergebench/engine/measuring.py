"""Measuring beside editing: pictures wait in a short line, and are measured in batches on threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from convergebench.engine.watch import Watch
from convergebench.metrics import Ruler
from convergebench.picture import Picture
from convergebench.store import Tried, Workspace
from convergebench.types import Digest, Measurement

BATCH = 16
WORKERS = max(1, min(4, os.cpu_count() or 1))

Pair = tuple[Picture, Picture]


class Measuring:
    """A bounded line of (reference, picture): when it is full, editing waits."""

    def __init__(
        self, ruler: Ruler, workspace: Workspace, watch: Watch, on_error: Callable[[Exception], None]
    ) -> None:
        self._ruler = ruler
        self._workspace = workspace
        self._watch = watch
        self._on_error = on_error
        self._line: asyncio.Queue[Pair] = asyncio.Queue(maxsize=2 * BATCH)
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="measure")
        self._workers = [asyncio.create_task(self._work()) for _ in range(WORKERS)]

    def lacks(self, reference: Picture, picture: Picture, known: Mapping[Tried, bool]) -> bool:
        """Whether some metric was never tried on the pair, or lacked weights then and can be had now."""
        for facts in self._ruler.facts:
            there = known.get((reference.digest, picture.digest, facts.name, facts.version))
            if there is None or (not there and facts.needs_weights and self._ruler.can_measure(facts.name)):
                return True
        return False

    async def offer(self, reference: Picture, picture: Picture) -> None:
        await self._line.put((reference, picture))

    async def finish(self) -> None:
        """Measure all that waits, then stop."""
        await self._line.join()
        for worker in self._workers:
            worker.cancel()
        self._threads.shutdown()

    async def _work(self) -> None:
        while True:
            batch = [await self._line.get()]
            while len(batch) < BATCH and not self._line.empty():
                batch.append(self._line.get_nowait())
            try:
                await self._measure_and_record(batch)
            except Exception as error:
                self._on_error(error)  # and go on taking from the line, or editing would wait for ever
            for _ in batch:
                self._line.task_done()

    async def _measure_and_record(self, batch: list[Pair]) -> None:
        rows = await asyncio.get_running_loop().run_in_executor(self._threads, self._measure, batch)
        await asyncio.wrap_future(self._workspace.record_measurements(rows))
        self._watch.measured(len(batch))

    def _measure(self, batch: list[Pair]) -> list[tuple[Digest, Digest, Measurement]]:
        return [
            (reference.digest, picture.digest, measurement)
            for (reference, picture), values in zip(batch, self._ruler.measure(batch), strict=True)
            for measurement in values.values()
        ]
