from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from convergebench.metrics._lru import LruCache


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
    kept = LruCache(count=2, max_bytes=100)
    first = kept.get("a", lambda: maker("a"))
    assert kept.get("a", lambda: maker("a")) is first
    assert maker.made == ["a"]


def test_the_value_unused_for_longest_goes_first(maker: Maker) -> None:
    kept = LruCache(count=2, max_bytes=100)
    for key in "abaca":
        kept.get(key, lambda key=key: maker(key))
    assert maker.made == ["a", "b", "c"]
    kept.get("b", lambda: maker("b"))
    assert maker.made == ["a", "b", "c", "b"]


def test_bytes_are_bounded_and_the_newest_value_stays(maker: Maker) -> None:
    kept = LruCache(count=10, max_bytes=100)
    for key in "abab":
        kept.get(key, lambda key=key: (maker(key, 60), maker(key, 60)))
    assert maker.made == list("aabbaabb")
    kept.get("b", lambda: maker("b"))
    assert maker.made == list("aabbaabb")


def test_threads_that_ask_at_once_share_one_making(maker: Maker) -> None:
    kept = LruCache(count=2, max_bytes=100)
    started = threading.Barrier(4)

    def ask() -> object:
        started.wait()
        return kept.get("a", lambda: maker("a"))

    with ThreadPoolExecutor(4) as pool:
        values = [future.result() for future in [pool.submit(ask) for _ in range(4)]]
    assert maker.made == ["a"]
    assert all(value is values[0] for value in values)


def test_a_failure_is_not_kept(maker: Maker) -> None:
    kept = LruCache(count=2, max_bytes=100)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 / 0)
    kept.get("a", lambda: maker("a"))
    assert maker.made == ["a"]
