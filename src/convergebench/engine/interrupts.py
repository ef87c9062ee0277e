"""Ctrl-C: once to stop asking, twice to drop what is in flight."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def interruptible(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """While this lasts the first SIGINT calls `on_interrupt`; the next one is an ordinary interrupt again."""
    loop = asyncio.get_running_loop()
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def first() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        on_interrupt()

    loop.add_signal_handler(signal.SIGINT, first)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
