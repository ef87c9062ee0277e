"""Values that are dear to make, the latest of them kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class LruCache:
    """The most recently used values, up to a count and a number of bytes; safe to share between threads.

    A value that several threads ask for at once is made by one of them. One that could not be made is
    tried again the next time.
    """

    def __init__(self, count: int, max_bytes: int) -> None:
        self._count = count
        self._max_bytes = max_bytes
        self._values: OrderedDict[str, Future[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
        return value.result() if value is not None else self._make(key, make)

    def _make(self, key: str, make: Callable[[], Any]) -> Any:
        promise: Future[Any] = Future()
        with self._lock:
            value = self._values.setdefault(key, promise)
        if value is not promise:
            return value.result()
        try:
            promise.set_result(make())
        except BaseException as error:
            with self._lock:
                del self._values[key]
            promise.set_exception(error)
            raise
        with self._lock:
            self._drop_oldest()
        return promise.result()

    def _drop_oldest(self) -> None:
        sizes = {key: bytes_of(value.result()) for key, value in self._values.items() if value.done()}
        held = sum(sizes.values())
        for key, size in list(sizes.items())[:-1]:
            if len(self._values) <= self._count and held <= self._max_bytes:
                return
            del self._values[key]
            held -= size


def bytes_of(value: Any) -> int:
    """What the arrays and tensors in a value take; a tuple is the sum of its members."""
    if isinstance(value, tuple):
        return sum(bytes_of(member) for member in value)
    return int(getattr(value, "nbytes", 0))
