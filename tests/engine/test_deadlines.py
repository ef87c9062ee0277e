"""Calls of different beginnings, with one deadline for each."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from convergebench.engine.deadlines import Deadlines

SECONDS = 0.2


async def timed(deadlines: Deadlines, after: float, takes: float) -> tuple[bool, float]:
    """Whether it expired, and the time from its beginning to its end."""
    await asyncio.sleep(after)
    started = time.monotonic()
    try:
        async with asyncio.timeout(None) as limit:
            deadlines.begin(limit)
            try:
                await asyncio.sleep(takes)
            finally:
                deadlines.end(limit)
    except TimeoutError:
        return True, time.monotonic() - started
    return False, time.monotonic() - started


def test_each_call_has_all_of_its_time_and_no_more() -> None:
    async def run() -> list[tuple[bool, float]]:
        deadlines = Deadlines(SECONDS)
        return await asyncio.gather(*(timed(deadlines, number * SECONDS / 4, 60) for number in range(8)))

    ends = asyncio.run(asyncio.wait_for(run(), 30))
    assert all(expired and seconds >= SECONDS for expired, seconds in ends)


def test_a_call_that_ends_in_time_is_not_disturbed_and_ends_no_other() -> None:
    async def run() -> list[tuple[bool, float]]:
        deadlines = Deadlines(SECONDS)
        short = (timed(deadlines, number * SECONDS / 8, SECONDS / 16) for number in range(16))
        return await asyncio.gather(timed(deadlines, SECONDS / 8, 60), *short)

    (expired, seconds), *short = asyncio.run(asyncio.wait_for(run(), 30))
    assert expired and seconds >= SECONDS
    assert not any(expired for expired, _ in short)


@pytest.mark.parametrize("seconds", [SECONDS, math.inf])
def test_cancelling_a_call_is_not_its_deadline(seconds: float) -> None:
    async def run() -> None:
        call = asyncio.create_task(timed(Deadlines(seconds), 0.0, 60))
        await asyncio.sleep(0.01)
        call.cancel()
        await call

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
