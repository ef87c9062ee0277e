"""The single thread that writes to the database: all waiting writes are committed together, durably."""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from convergebench.store.insertion import Insertion

T = TypeVar("T")


@dataclass(frozen=True)
class NewRows:
    """Rows to insert. Those of several writes are inserted together."""

    insertion: Insertion
    rows: Sequence[Sequence[Any]]


Write: TypeAlias = Callable[[sqlite3.Connection], Any] | NewRows


class Journal:
    """Group commit: a write's future is done when its transaction is on the disk."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], explain: Callable[[Exception], Exception]
    ) -> None:
        self._waiting: queue.SimpleQueue[tuple[Write, Future[Any]] | None] = queue.SimpleQueue()
        self._connection = connect()
        self._explain = explain
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def submit(self, write: Callable[[sqlite3.Connection], T]) -> Future[T]:
        return self._submit(write)

    def insert(self, insertion: Insertion, rows: Sequence[Sequence[Any]]) -> Future[None]:
        return self._submit(NewRows(insertion, rows))

    def _submit(self, write: Write) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # written even if the waiter is cancelled
        self._waiting.put((write, future))
        return future

    def close(self) -> None:
        """Finish all waiting writes, then stop."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        is_closing = False
        while not (is_closing and self._waiting.empty()):  # what is done may lead to another write
            batch: list[tuple[Write, Future[Any]]] = []
            while not batch or not self._waiting.empty():
                item = self._waiting.get()
                if item is None:
                    is_closing = True
                    break
                batch.append(item)
            del item  # or the next wait would keep what the last writer waits with
            self._commit(batch)
        self._connection.close()

    def _commit(self, batch: list[tuple[Write, Future[Any]]]) -> None:
        """All in one transaction; if that fails, each in its own, so that one bad write does not affect
        others."""
        try:
            results = _transact(self._connection, [write for write, _ in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0][1].set_exception(self._explain(error))
            else:
                for one in batch:
                    self._commit([one])
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)


def _transact(connection: sqlite3.Connection, writes: list[Write]) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        results = _run(connection, writes)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return results


def _run(connection: sqlite3.Connection, writes: list[Write]) -> list[Any]:
    """What each returns. New rows wait for the next other write, which may read them, or for the end."""
    results: list[Any] = []
    new: dict[Insertion, list[Sequence[Any]]] = {}
    for write in writes:
        if isinstance(write, NewRows):
            new.setdefault(write.insertion, []).extend(write.rows)
            results.append(None)
        else:
            _insert(connection, new)
            results.append(write(connection))
    _insert(connection, new)
    return results


def _insert(connection: sqlite3.Connection, new: dict[Insertion, list[Sequence[Any]]]) -> None:
    while new:
        insertion, rows = new.popitem()
        insertion.write(connection, rows)
