"""The line in front of the metrics, with a gauge that is told when to go on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence

import pytest

from convergebench.engine.measuring.measurement_queue import MeasurementQueue, Row
from convergebench.engine.progress import NoProgress
from convergebench.store import MeasurementKey, Workspace


class Held:
    """Measures nothing, and returns when it is let go."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.go_on = threading.Event()

    def lacks(self, item: int, known: Mapping[MeasurementKey, bool]) -> bool:
        return True

    def measure(self, items: Sequence[int]) -> list[Row]:
        self.sizes.append(len(items))
        self.go_on.wait(5)
        return []


@pytest.mark.parametrize(("fill", "sizes"), [(True, [1, 4]), (False, [1, 1, 3])])
def test_a_batch_that_is_to_be_full_waits_while_another_is_measured(
    workspace: Workspace, fill: bool, sizes: list[int]
) -> None:
    async def run() -> None:
        line = MeasurementQueue(gauge, workspace, NoProgress(), errors.append, at_once=2, batch=4, fill=fill)
        for item in range(5):
            await line.offer(item, {})
            await asyncio.sleep(0.03)
        gauge.go_on.set()
        await line.finish()

    gauge, errors = Held(), list[Exception]()
    asyncio.run(run())
    assert (gauge.sizes, errors) == (sizes, [])
