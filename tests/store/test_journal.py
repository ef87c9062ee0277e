from __future__ import annotations

import asyncio
import sqlite3
import threading

import pytest

from convergebench.store.insertion import Insertion
from convergebench.store.journal import Journal


def connect() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def test_whoever_stops_waiting_for_a_write_stops_neither_it_nor_those_behind_it() -> None:
    journal, gate, written = Journal(connect, lambda error: error), threading.Event(), []

    async def leave() -> None:
        journal.submit(lambda db: gate.wait(60))
        waiting = asyncio.ensure_future(
            asyncio.wrap_future(journal.submit(lambda db: written.append("left")))
        )
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
        gate.set()

    asyncio.run(leave())
    assert journal.submit(lambda db: "next").result(60) == "next"
    assert written == ["left"]
    journal.close()


def test_a_database_that_cannot_be_opened_is_said_at_once() -> None:
    def fail() -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        Journal(fail, lambda error: error)


def test_one_bad_write_harms_no_other() -> None:
    journal = Journal(connect, lambda error: error)
    gate = threading.Event()
    journal.submit(lambda db: gate.wait(60))
    bad = journal.submit(lambda db: db.execute("INSERT INTO nowhere VALUES (1)"))
    good = journal.submit(lambda db: "kept")
    gate.set()
    assert good.result(60) == "kept"
    assert isinstance(bad.exception(60), sqlite3.OperationalError)
    journal.close()


def test_rows_of_many_writes_are_all_there_in_order_and_a_bad_one_harms_no_other() -> None:
    journal, gate = Journal(connect, lambda error: error), threading.Event()
    numbers = Insertion("numbers", ("number", "square"), "ON CONFLICT DO NOTHING")
    journal.submit(
        lambda db: db.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY, square NOT NULL)")
    )
    journal.submit(lambda db: gate.wait(10))
    written = [
        journal.insert(numbers, [(n, n * n) for n in range(start, start + 3)]) for start in range(0, 300, 3)
    ]
    counted = journal.submit(lambda db: db.execute("SELECT count(*) FROM numbers").fetchone()[0])
    journal.insert(numbers, [(1, "again")])
    bad = journal.insert(numbers, [(300, None), (301, 1)])
    gate.set()
    assert counted.result(10) == 300
    assert [one.result(10) for one in written] == [None] * 100
    assert isinstance(bad.exception(10), sqlite3.IntegrityError)
    rows = journal.submit(lambda db: db.execute("SELECT * FROM numbers ORDER BY rowid").fetchall())
    assert rows.result(10) == [(n, n * n) for n in range(300)]
    journal.close()


def test_a_write_that_follows_from_another_is_made_though_the_journal_is_being_closed() -> None:
    journal, gate, written = Journal(connect, lambda error: error), threading.Event(), []
    closing, following = threading.Thread(target=journal.close), threading.Event()

    def follow(_: object) -> None:
        closing.start()
        following.set()
        closing.join(0.2)  # it waits for this thread
        journal.submit(lambda db: written.append("followed"))

    journal.submit(lambda db: gate.wait(60)).add_done_callback(follow)
    gate.set()
    assert following.wait(60)
    closing.join(60)
    assert written == ["followed"]
