"""Ctrl-C or SIGTERM: the first stops new requests, the second drops requests in flight."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def interruptible(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """Inside the `with` block the first signal calls `on_interrupt`; the next has its usual effect."""
    loop = asyncio.get_running_loop()
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def restore() -> None:
        for number in SIGNALS:
            loop.remove_signal_handler(number)

    def first() -> None:
        restore()
        on_interrupt()

    for number in SIGNALS:
        loop.add_signal_handler(number, first)
    try:
        yield
    finally:
        restore()
