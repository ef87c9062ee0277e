"""An event loop whose clock jumps to the next timer whenever there is nothing else to do.

What waits takes no time, and takes the same time on every machine. For tasks of one process alone: what a
thread, a socket or another process does while the clock jumps is not waited for.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`. What can never go on is an error, and no hang."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(work)


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_JumpingSelector(self._jump))

    def time(self) -> float:
        return self._now

    def _jump(self, seconds: float) -> None:
        self._now += seconds


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[valid-type,misc]
    def __init__(self, jump: Any) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if timeout is None and not ready:
            raise AssertionError("every task waits for another one")
        if not ready:
            self._jump(timeout)
        return ready
