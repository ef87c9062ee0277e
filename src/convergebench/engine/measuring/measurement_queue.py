"""Measuring beside editing: pictures wait in a short line, and are measured in batches on threads."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Protocol, TypeAlias, TypeVar

from convergebench.engine.progress import RunProgress
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics import MetricSet
from convergebench.metrics.metric_set import BATCH
from convergebench.picture import Picture
from convergebench.store import MeasurementKey, Workspace
from convergebench.types import Digest, Measurement

log = logging.getLogger("convergebench")

WORKERS = max(1, min(4, os.cpu_count() or 1))
FILL_SECONDS = 0.004

PicturePair: TypeAlias = tuple[Picture, Picture]
"""Reference and picture."""
Row: TypeAlias = tuple[Digest, Digest, Measurement]

Item = TypeVar("Item")
Taken = TypeVar("Taken", contravariant=True)


class Measurer(Protocol[Taken]):
    """What measures the things in a line; it is used by several threads at once."""

    def lacks(self, item: Taken, known: Mapping[MeasurementKey, bool]) -> bool:
        """Whether there is something to measure here that was not tried before."""

    def measure(self, items: Sequence[Taken]) -> list[Row]: ...


class PairMeasurer:
    """Measures pictures against their references with all that a ruler has."""

    def __init__(self, ruler: MetricSet) -> None:
        self._ruler = ruler

    def lacks(self, item: PicturePair, known: Mapping[MeasurementKey, bool]) -> bool:
        """Whether some metric was never tried on the pair, or lacked weights then and can be had now."""
        reference, picture = item
        for facts in self._ruler.facts:
            there = known.get((reference.digest, picture.digest, facts.name, facts.version))
            if there is None or (not there and facts.needs_weights and self._ruler.can_measure(facts.name)):
                return True
        return False

    def measure(self, items: Sequence[PicturePair]) -> list[Row]:
        there = [pair for pair in items if _is_there(pair)]
        return [
            (reference.digest, picture.digest, measurement)
            for (reference, picture), values in zip(there, self._ruler.measure(there), strict=True)
            for measurement in values.values()
        ]


def _is_there(pair: PicturePair) -> bool:
    """Whether the store has both; if not, that says nothing about the pictures, and they are tried again."""
    try:
        for picture in pair:
            _ = picture.pixels
    except BadPicture:
        return True
    except WorkspaceError as error:
        log.warning("not measured: %s", error)
        return False
    return True


class MeasurementQueue(Generic[Item]):
    """A bounded line of what is to be measured: when it is full, editing waits."""

    def __init__(
        self,
        gauge: Measurer[Item],
        workspace: Workspace,
        watch: RunProgress,
        on_error: Callable[[Exception], None],
        at_once: int = WORKERS,
        batch: int = BATCH,
        fill: bool = False,
    ) -> None:
        """`fill`: a batch that is not full waits while another is measured."""
        self._gauge = gauge
        self._workspace = workspace
        self._watch = watch
        self._on_error = on_error
        self._batch = batch
        self._fill = fill
        self._under_way = 0
        self._line: asyncio.Queue[Item] = asyncio.Queue(maxsize=2 * batch)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="measure")
        self._workers = [asyncio.create_task(self._work()) for _ in range(at_once)]

    async def offer(self, item: Item, known: Mapping[MeasurementKey, bool]) -> None:
        """Have it measured, unless all of it is known."""
        if self._gauge.lacks(item, known):
            await self._line.put(item)

    async def finish(self) -> None:
        """Measure all that waits, then stop."""
        await self._line.join()
        for worker in self._workers:
            worker.cancel()
        self._threads.shutdown()

    async def _work(self) -> None:
        while True:
            batch = await self._next_batch()
            self._under_way += 1
            try:
                await self._measure_and_record(batch)
            except Exception as error:
                self._on_error(error)  # and go on taking from the line, or editing would wait for ever
            self._under_way -= 1
            for _ in batch:
                self._line.task_done()

    async def _next_batch(self) -> list[Item]:
        batch = [await self._line.get()]
        while len(batch) < self._batch:
            if not self._line.empty():
                batch.append(self._line.get_nowait())
            elif self._fill and self._under_way:
                await asyncio.sleep(FILL_SECONDS)
            else:
                break
        return batch

    async def _measure_and_record(self, batch: list[Item]) -> None:
        rows = await asyncio.get_running_loop().run_in_executor(self._threads, self._gauge.measure, batch)
        await asyncio.wrap_future(self._workspace.record_measurements(rows))
        self._watch.measured(len(batch))
