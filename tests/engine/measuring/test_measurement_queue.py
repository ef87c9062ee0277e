"""The measurement queue, with a measurer that returns when the test allows it."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence

import pytest

from convergebench.engine.measuring import measurement_queue
from convergebench.engine.measuring.measurement_queue import FILL_SECONDS, MeasurementQueue, Row
from convergebench.engine.progress import NoProgress
from convergebench.metrics.metric_set import BATCH
from convergebench.store import MeasurementKey, Workspace


class HeldMeasurer:
    """Measures nothing, and returns once `release` is set."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.most = 0
        """Calls at the same time."""
        self._now = 0
        self._counting = threading.Lock()
        self.release = threading.Event()

    def lacks(self, item: int, known: Mapping[MeasurementKey, bool]) -> bool:
        return True

    def measure(self, items: Sequence[int]) -> list[Row]:
        with self._counting:
            self.sizes.append(len(items))
            self._now += 1
            self.most = max(self.most, self._now)
        self.release.wait(60)
        with self._counting:
            self._now -= 1
        return []


class AnyMeasurer:
    """Counts items of any type."""

    count = 0

    def lacks(self, item: object, known: Mapping[MeasurementKey, bool]) -> bool:
        return True

    def measure(self, items: Sequence[object]) -> list[Row]:
        self.count += len(items)
        return []


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():  # noqa: ASYNC110 - what is waited for happens on threads
            await asyncio.sleep(0.005)


@pytest.mark.parametrize(("fill", "sizes"), [(True, [1, 4]), (False, [1, 1])])
def test_a_batch_that_is_to_be_full_waits_while_another_is_measured(
    workspace: Workspace, fill: bool, sizes: list[int]
) -> None:
    async def run() -> None:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, at_once=2, batch=4, fills=lambda: fill
        )
        for item in range(5):
            await queue.offer(item, {})
            if item < (1 if fill else 2):
                await until(lambda begun=item + 1: len(measurer.sizes) == begun)
        measurer.release.set()
        await queue.finish()

    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (sum(measurer.sizes), errors) == (5, [])
    assert measurer.sizes[:2] == sizes[:2]


@pytest.mark.parametrize(("quiet_seconds", "sizes"), [(60.0, [4]), (0.0, [1, 3])])
def test_a_batch_that_is_to_be_full_waits_while_items_are_added(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, quiet_seconds: float, sizes: list[int]
) -> None:
    async def run() -> None:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, at_once=2, batch=4, fills=lambda: True
        )
        await queue.offer(0, {})
        for _ in range(5):
            await asyncio.sleep(FILL_SECONDS)
        if not quiet_seconds:
            await until(lambda: len(measurer.sizes) == 1)
        for item in range(1, 4):
            await queue.offer(item, {})
        measurer.release.set()
        await queue.finish()

    monkeypatch.setattr(measurement_queue, "QUIET_SECONDS", quiet_seconds)
    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (measurer.sizes, errors) == (sizes, [])


def test_large_batches_are_small_as_long_as_they_need_not_be_full(workspace: Workspace) -> None:
    """As while the processor measures in place of a GPU, which would wait for it to end a large batch."""

    async def run() -> None:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, at_once=1, batch=8 * BATCH, fills=lambda: False
        )
        for item in range(12 * BATCH):
            await queue.offer(item, {})
        measurer.release.set()
        await until(lambda: len(measurer.sizes) >= 3)
        await queue.finish()

    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (sum(measurer.sizes), errors) == (12 * BATCH, [])
    assert max(measurer.sizes) == BATCH


@pytest.mark.parametrize(("fill", "at_once"), [(True, 2), (False, 4)])
def test_few_batches_that_are_to_be_full_are_measured_at_once(
    workspace: Workspace, fill: bool, at_once: int
) -> None:
    """More would wait for a GPU; as long as the processor measures, each core has one."""

    async def run() -> None:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, 4, batch=2, fills=lambda: fill, full_at_once=2
        )
        for item in range(8):
            await queue.offer(item, {})
        await until(lambda: len(measurer.sizes) == at_once)
        measurer.release.set()
        await queue.finish()

    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (sum(measurer.sizes), errors) == (8, [])
    assert measurer.most == at_once


def test_a_finished_queue_keeps_nothing(workspace: Workspace) -> None:
    """Or processes that measure on a GPU would hold it until the collector comes."""

    async def run() -> weakref.ref[HeldMeasurer]:
        measurer = HeldMeasurer()
        measurer.release.set()
        queue = MeasurementQueue(measurer, workspace, NoProgress(), errors.append, at_once=2)
        await queue.offer(0, {})
        await queue.finish()
        return weakref.ref(measurer)

    errors = list[Exception]()
    gc.disable()
    try:
        kept = asyncio.run(run())
        asyncio.run(until(lambda: kept() is None))  # threads may be about to release it
    finally:
        gc.enable()
    assert errors == []


def test_a_measured_item_is_not_kept_while_the_queue_waits_for_others(workspace: Workspace) -> None:
    """Its pictures would be, a full batch of them for every worker."""

    class Item:
        pass

    async def run() -> None:
        queue = MeasurementQueue(measurer, workspace, NoProgress(), errors.append, at_once=2)
        item = Item()
        kept = weakref.ref(item)
        await queue.offer(item, {})
        del item
        await until(lambda: kept() is None)
        await queue.finish()

    measurer, errors = AnyMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (measurer.count, errors) == (1, [])


def test_what_waits_is_divided_among_the_workers(workspace: Workspace) -> None:
    async def run() -> None:
        queue = MeasurementQueue(measurer, workspace, NoProgress(), errors.append, at_once=4, batch=16)
        for item in range(12):
            await queue.offer(item, {})
        await until(lambda: len(measurer.sizes) == 4)
        measurer.release.set()
        await queue.finish()

    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (sum(measurer.sizes), errors) == (12, [])
    assert max(measurer.sizes) <= 4


def offered_together(workspace: Workspace, measurer: HeldMeasurer, count: int, pixels: int) -> int:
    """Offer so many items while one is measured; how many had room at once."""

    async def run() -> int:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, at_once=1, batch=4, pixels=lambda item: pixels
        )
        await queue.offer(0, {})
        await until(lambda: len(measurer.sizes) == 1)
        offering = [asyncio.create_task(queue.offer(item, {})) for item in range(1, count)]
        await asyncio.sleep(0)  # an offer that has room needs one turn of the loop
        accepted = sum(one.done() for one in offering)
        measurer.release.set()
        await asyncio.gather(*offering)
        await queue.finish()
        return accepted

    errors = list[Exception]()
    accepted = asyncio.run(run())
    assert (sum(measurer.sizes), errors) == (count, [])
    return accepted


@pytest.mark.parametrize(("side", "accepted"), [(1024, 8), (2048, 2), (8192, 1)])
def test_fewer_large_pictures_wait(workspace: Workspace, side: int, accepted: int) -> None:
    assert offered_together(workspace, HeldMeasurer(), 40, side * side) == accepted


@pytest.mark.parametrize(("side", "largest"), [(512, 16), (1024, 16), (2048, 4), (8192, 1)])
def test_full_batches_have_fewer_large_pictures(workspace: Workspace, side: int, largest: int) -> None:
    async def run() -> None:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, at_once=2, batch=16, fills=lambda: True,
            pixels=lambda item: side * side,
        )  # fmt: skip
        offering = [asyncio.create_task(queue.offer(item, {})) for item in range(64)]
        measurer.release.set()
        await asyncio.gather(*offering)
        await queue.finish()

    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (sum(measurer.sizes), errors) == (64, [])
    assert max(measurer.sizes) == largest


@pytest.mark.parametrize(("pixels", "largest"), [(64 * 64, 16), (512 * 512, 4)])
def test_batches_of_small_pictures_are_larger(workspace: Workspace, pixels: int, largest: int) -> None:
    measurer = HeldMeasurer()
    offered_together(workspace, measurer, 40, pixels)
    assert max(measurer.sizes) == largest


@pytest.mark.parametrize(("pixels", "room"), [(64 * 64, 32), (512 * 512, 8), (1024 * 1024, 8)])
def test_a_full_queue_makes_editing_wait_later_where_pictures_are_small(
    workspace: Workspace, pixels: int, room: int
) -> None:
    assert offered_together(workspace, HeldMeasurer(), 100, pixels) == room
