"""A thread for calls of a user's code, which may hang."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeAlias

_Call: TypeAlias = tuple[Callable[[], Any], "Future[Any]"]


class CallThread:
    """Makes one call at a time. Nothing waits for a call that was given up: Python would, at its end, for a
    thread of an executor, and a run with a hanging call could only be killed."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call | None] | None = None

    async def run(self, call: Callable[[], Any]) -> Any:
        if self._calls is None:
            self._calls = SimpleQueue()
            threading.Thread(target=_work, args=(self._calls,), name="call", daemon=True).start()
        done: Future[Any] = Future()
        done.set_running_or_notify_cancel()  # so that giving it up leaves its result a place
        self._calls.put((partial(copy_context().run, call), done))  # as in a thread of an executor
        try:
            return await asyncio.wrap_future(done)
        except asyncio.CancelledError:
            self.close()  # the next call gets another thread, since this one may never end
            raise

    def close(self) -> None:
        if self._calls is not None:
            self._calls.put(None)
            self._calls = None


def _work(calls: SimpleQueue[_Call | None]) -> None:
    while (given := calls.get()) is not None:
        _make(*given)
        del given  # it holds a picture, and the next call may be long in coming


def _make(call: Callable[[], Any], done: Future[Any]) -> None:
    try:
        done.set_result(call())
    except BaseException as error:  # whoever waits for it decides
        done.set_exception(error)
