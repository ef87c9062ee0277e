"""An event loop whose clock goes on as usual, and is put forward by a test: for deadlines beside real servers
and threads, however slow these are."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`."""
    with asyncio.Runner(loop_factory=_LoopWithClock) as runner:
        return runner.run(work)


def let_pass(seconds: float) -> None:
    """Put the clock of the running loop forward: for all that waits there, connections in the making too."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _LoopWithClock)
    loop.seconds_passed += seconds


class _LoopWithClock(asyncio.SelectorEventLoop):
    seconds_passed = 0.0

    def time(self) -> float:
        return super().time() + self.seconds_passed
