"""The least recently used cache of the package, bounded by count and by bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def array_bytes(value: Any) -> int:
    """Bytes of an array or a tensor; of a tuple, the sum over its members."""
    if isinstance(value, tuple):
        return sum(array_bytes(member) for member in value)
    return int(getattr(value, "nbytes", 0))


class LruCache(Generic[Key, Value]):
    """The most recently used values; safe to share between threads. The newest value stays, however large.

    A value that several threads request at once is computed by one of them. A failed computation is retried
    at the next request.
    """

    def __init__(
        self,
        *,
        count: int | None = None,
        max_bytes: int | None = None,
        size: Callable[[Value], int] = array_bytes,
    ) -> None:
        self._count = count
        self._max_bytes = max_bytes
        self._size = size
        self._values: OrderedDict[Key, Future[Value]] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The cached value, or what `make` returns."""
        with self._lock:
            value = self._values.get(key)
            if value is None:
                promise = self._values[key] = Future()
            else:
                self._values.move_to_end(key)
        if value is not None:
            try:
                return value.result()
            finally:
                del value  # see below
        try:
            made = make()
        except BaseException as error:
            with self._lock:
                del self._values[key]
            promise.set_exception(error)
            del promise  # it has the error, which has this frame: what callers hold would be in a cycle
            raise
        promise.set_result(made)
        self._count_in(key, made)
        return made

    def find(self, key: Key) -> Value | None:
        """The cached value, or None."""
        with self._lock:
            if key not in self._sizes:
                return None
            self._values.move_to_end(key)
            return self._values[key].result()

    def peek(self, key: Key) -> Value | None:
        """As `find`, but it does not count as a use."""
        with self._lock:
            return self._values[key].result() if key in self._sizes else None

    def put(self, key: Key, value: Value) -> None:
        self.get(key, lambda: value)

    def _count_in(self, key: Key, value: Value) -> None:
        with self._lock:
            self._sizes[key] = self._size(value)
            self._bytes += self._sizes[key]
            while not self._fits() and len(self._sizes) > 1:
                oldest = next(known for known in self._values if known in self._sizes)
                del self._values[oldest]
                self._bytes -= self._sizes.pop(oldest)

    def _fits(self) -> bool:
        few_enough = self._count is None or len(self._values) <= self._count
        return few_enough and (self._max_bytes is None or self._bytes <= self._max_bytes)
