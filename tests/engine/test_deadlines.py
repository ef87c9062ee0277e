"""Calls of different beginnings, with one deadline for each."""

from __future__ import annotations

import asyncio
import math

import pytest

import jumping_time
from convergebench.engine.deadlines import Deadlines

SECONDS = 100.0


async def timed(deadlines: Deadlines, after: float, takes: float) -> tuple[bool, float]:
    """Whether it expired, and the time from its beginning to its end."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(after)
    started = loop.time()
    try:
        async with asyncio.timeout(None) as limit:
            deadlines.begin(limit)
            try:
                await asyncio.sleep(takes)
            finally:
                deadlines.end(limit)
    except TimeoutError:
        return True, loop.time() - started
    return False, loop.time() - started


def test_each_call_has_all_of_its_time_and_no_more() -> None:
    async def run() -> list[tuple[bool, float]]:
        deadlines = Deadlines(SECONDS)
        return await asyncio.gather(*(timed(deadlines, 25.0 * number, 1000) for number in range(8)))

    for expired, seconds in jumping_time.run(run()):
        assert expired
        assert seconds == pytest.approx(SECONDS, abs=0.01)


def test_a_call_that_ends_in_time_is_not_disturbed_and_ends_no_other() -> None:
    async def run() -> list[tuple[bool, float]]:
        deadlines = Deadlines(SECONDS)
        short = (timed(deadlines, 12.0 * number, 6) for number in range(16))
        return await asyncio.gather(timed(deadlines, 12, 1000), *short)

    (expired, seconds), *short = jumping_time.run(run())
    assert expired
    assert seconds == pytest.approx(SECONDS, abs=0.01)
    assert not any(expired for expired, _ in short)


@pytest.mark.parametrize("seconds", [SECONDS, math.inf])
def test_cancelling_a_call_is_not_its_deadline(seconds: float) -> None:
    async def run() -> None:
        call = asyncio.create_task(timed(Deadlines(seconds), 0, 1000))
        await asyncio.sleep(1)
        call.cancel()
        await call

    with pytest.raises(asyncio.CancelledError):
        jumping_time.run(run())
