from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from convergebench.lru_cache import LruCache


class Maker:
    """Counts how often each value was made."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, key: str, size: int = 1) -> object:
        self.made.append(key)
        return np.zeros(size, np.uint8)


@pytest.fixture
def maker() -> Maker:
    return Maker()


def test_a_value_is_made_once(maker: Maker) -> None:
    cache: LruCache[str, object] = LruCache(count=2, max_bytes=100)
    first = cache.get("a", lambda: maker("a"))
    assert cache.get("a", lambda: maker("a")) is first
    assert maker.made == ["a"]


def test_the_value_unused_for_longest_goes_first(maker: Maker) -> None:
    cache: LruCache[str, object] = LruCache(count=2, max_bytes=100)
    for key in "abaca":
        cache.get(key, lambda key=key: maker(key))
    assert maker.made == ["a", "b", "c"]
    cache.get("b", lambda: maker("b"))
    assert maker.made == ["a", "b", "c", "b"]


def test_bytes_are_bounded_and_the_newest_value_stays(maker: Maker) -> None:
    cache: LruCache[str, object] = LruCache(count=10, max_bytes=100)
    for key in "abab":
        cache.get(key, lambda key=key: (maker(key, 60), maker(key, 60)))
    assert maker.made == list("aabbaabb")
    cache.get("b", lambda: maker("b"))
    assert maker.made == list("aabbaabb")


def test_threads_that_ask_at_once_share_one_making(maker: Maker) -> None:
    cache: LruCache[str, object] = LruCache(count=2, max_bytes=100)
    started = threading.Barrier(4)

    def ask() -> object:
        started.wait()
        return cache.get("a", lambda: maker("a"))

    with ThreadPoolExecutor(4) as pool:
        values = [future.result() for future in [pool.submit(ask) for _ in range(4)]]
    assert maker.made == ["a"]
    assert all(value is values[0] for value in values)


def test_a_failure_is_not_kept(maker: Maker) -> None:
    cache: LruCache[str, object] = LruCache(count=2, max_bytes=100)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 / 0)
    cache.get("a", lambda: maker("a"))
    assert maker.made == ["a"]


def test_what_is_put_is_found_until_newer_values_need_its_room() -> None:
    cache: LruCache[str, bytes] = LruCache(max_bytes=100, size=len)
    for number in range(10):
        cache.put(str(number), bytes(30))
        cache.find("0")
    assert cache.find("0") is not None
    assert [number for number in range(1, 10) if cache.find(str(number))] == [8, 9]


def test_a_peek_does_not_count_as_a_use() -> None:
    cache: LruCache[str, str] = LruCache(count=2)
    cache.put("a", "first")
    cache.put("b", "second")
    assert cache.peek("a") == "first"
    cache.put("c", "third")
    assert (cache.peek("a"), cache.peek("b")) == (None, "second")


class Held: ...


def asked_in_vain(cache: LruCache[str, object], make: Callable[[], object]) -> weakref.ref[Held]:
    """To what the frame that asked had, as a measurement has pictures."""
    held = Held()
    with contextlib.suppress(ZeroDivisionError):
        cache.get("a", make)
    return weakref.ref(held)


def test_a_failed_making_keeps_nothing_of_who_asked(no_collection: None) -> None:
    cache: LruCache[str, object] = LruCache(count=2)
    assert asked_in_vain(cache, lambda: 1 // 0)() is None


def test_nor_of_those_who_waited_for_it(no_collection: None) -> None:
    cache: LruCache[str, object] = LruCache(count=2)
    asked, failing = threading.Event(), threading.Event()

    def fail() -> object:
        asked.set()
        assert failing.wait(60)
        return 1 // 0

    with ThreadPoolExecutor(5) as threads:
        first = threads.submit(asked_in_vain, cache, fail)
        assert asked.wait(60)
        others = [threads.submit(asked_in_vain, cache, lambda: 1 // 0) for _ in range(4)]
        failing.set()
        held = [each.result() for each in (first, *others)]  # all of them: they share the error
    assert [each() for each in held] == [None] * 5


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Only what is in no cycle goes."""
    gc.disable()
    yield
    gc.enable()
