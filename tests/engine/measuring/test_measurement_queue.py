"""The measurement queue, with a measurer that returns when the test allows it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence

import pytest

from convergebench.engine.measuring.measurement_queue import MeasurementQueue, Row
from convergebench.engine.progress import NoProgress
from convergebench.store import MeasurementKey, Workspace


class HeldMeasurer:
    """Measures nothing, and returns once `release` is set."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.release = threading.Event()

    def lacks(self, item: int, known: Mapping[MeasurementKey, bool]) -> bool:
        return True

    def measure(self, items: Sequence[int]) -> list[Row]:
        self.sizes.append(len(items))
        self.release.wait(60)
        return []


@pytest.mark.parametrize(("fill", "sizes"), [(True, [1, 4]), (False, [1, 1, 3])])
def test_a_batch_that_is_to_be_full_waits_while_another_is_measured(
    workspace: Workspace, fill: bool, sizes: list[int]
) -> None:
    async def run() -> None:
        queue = MeasurementQueue(
            measurer, workspace, NoProgress(), errors.append, at_once=2, batch=4, fill=fill
        )
        for item in range(5):
            await queue.offer(item, {})
            await asyncio.sleep(0.03)
        measurer.release.set()
        await queue.finish()

    measurer, errors = HeldMeasurer(), list[Exception]()
    asyncio.run(run())
    assert (measurer.sizes, errors) == (sizes, [])
