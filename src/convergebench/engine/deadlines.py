"""The same time limit for many calls at once."""

from __future__ import annotations

import asyncio
import math


class Deadlines:
    """Ends calls that take too long. All have the same time, so that the first to begin is the first to end,
    and one timer serves all: with hundreds of calls at once, a timer each takes longer than the rest."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Timeout, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, call: asyncio.Timeout) -> None:
        """Let this context, which was entered without a limit, expire at the deadline."""
        if self._seconds == math.inf:
            return
        end = asyncio.get_running_loop().time() + self._seconds
        self._ends[call] = end
        if self._timer is None:
            self._wake_at(end)

    def end(self, call: asyncio.Timeout) -> None:
        self._ends.pop(call, None)
        if not self._ends and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wake_at(self, end: float) -> None:
        self._timer = asyncio.get_running_loop().call_at(end, self._expire)

    def _expire(self) -> None:
        now = asyncio.get_running_loop().time()
        self._timer = None
        for call, end in list(self._ends.items()):
            if end > now:
                self._wake_at(end)
                return
            del self._ends[call]
            call.reschedule(now)
