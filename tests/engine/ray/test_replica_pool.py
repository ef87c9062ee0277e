"""Replicas of a line, with servers of this process."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from convergebench.engine.ray.replica_pool import ReplicaPool, ReplicasGone, Scale
from convergebench.engine.ray.replica_worker import ReplicaLost
from convergebench.errors import WrongUse
from jumping_time import run


class Doubling:
    """Doubles numbers; loses itself whenever it meets a deadly one."""

    def __init__(self, deadly: Sequence[int] = (), seconds: float = 0.0) -> None:
        self.batches: list[list[int]] = []
        self.closed = False
        self._deadly = deadly
        self._seconds = seconds

    async def serve(self, requests: Sequence[int]) -> Sequence[int | Exception]:
        self.batches.append(list(requests))
        await asyncio.sleep(self._seconds)
        if set(requests) & set(self._deadly):
            raise ReplicaLost("struck by a number")
        return [2 * number if number >= 0 else ValueError("negative") for number in requests]

    async def close(self) -> None:
        self.closed = True


class Nursery:
    """Starts replicas and remembers them."""

    def __init__(self, make: Callable[[int], Doubling] = lambda number: Doubling()) -> None:
        self.made: list[Doubling] = []
        self._make = make

    async def __call__(self) -> Doubling:
        self.made.append(self._make(len(self.made)))
        return self.made[-1]

    @property
    def open(self) -> int:
        return sum(not one.closed for one in self.made)


def within(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run(asyncio.wait_for(work(), 3600))


async def until(reached: Callable[[], bool]) -> None:
    while not reached():  # noqa: ASYNC110 - replicas count their batches; `within` sets the limit
        await asyncio.sleep(0.001)


def test_each_request_gets_its_own_reply_or_error() -> None:
    async def work() -> None:
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", Nursery(), Scale(1, 3), batch_size=4)
        replies = await asyncio.gather(*map(replicas.ask, [1, -1, 3, 4, 5, 6, 7]), return_exceptions=True)
        assert [reply for reply in replies if isinstance(reply, int)] == [2, 6, 8, 10, 12, 14]
        assert str(replies[1]) == "negative"
        await replicas.close()

    within(work)


def test_replicas_grow_with_the_line_up_to_the_most_and_idle_ones_are_let_go() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(seconds=0.05))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(1, 3), idle_seconds=0.1)
        await replicas.ready()
        assert replicas.up == 1
        await asyncio.gather(*map(replicas.ask, range(12)))
        assert len(nursery.made) == 3
        await until(lambda: (replicas.up, nursery.open) == (1, 1))
        assert await replicas.ask(21) == 42
        await replicas.close()
        assert nursery.open == 0

    within(work)


def test_a_busy_replica_is_given_the_next_full_batch_and_no_part_of_one() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(seconds=0.5))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(), batch_size=2)
        asked = [asyncio.create_task(replicas.ask(number)) for number in range(5)]
        await until(lambda: bool(nursery.made) and len(nursery.made[0].batches) == 2)
        assert nursery.made[0].batches == [[0, 1], [2, 3]]
        assert await asyncio.gather(*asked) == [0, 2, 4, 6, 8]
        assert nursery.made[0].batches == [[0, 1], [2, 3], [4]]
        await replicas.close()

    within(work)


def test_a_busy_replica_hears_of_what_comes_later() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(seconds=0.5))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale())
        asked = [asyncio.create_task(replicas.ask(1))]
        await until(lambda: bool(nursery.made) and len(nursery.made[0].batches) == 1)
        asked += [asyncio.create_task(replicas.ask(number)) for number in (2, 3)]
        await until(lambda: len(nursery.made[0].batches) == 2)
        assert nursery.made[0].batches == [[1], [2]]
        assert await asyncio.gather(*asked) == [2, 4, 6]
        await replicas.close()

    within(work)


def test_nothing_is_sent_ahead_to_a_busy_replica_while_another_is_free() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(seconds=0.1))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(2, 2))
        await replicas.ready()
        await until(lambda: replicas.up == 2)
        await asyncio.gather(*map(replicas.ask, range(2)))
        assert [len(one.batches) for one in nursery.made] == [1, 1]
        await replicas.close()

    within(work)


def test_what_was_sent_ahead_to_a_replica_that_is_lost_is_done_by_another_one() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(deadly=[1] if number == 0 else [], seconds=0.05))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(), batch_size=2)
        assert await asyncio.gather(*map(replicas.ask, range(6))) == [0, 2, 4, 6, 8, 10]
        assert nursery.made[0].batches == [[0, 1], [2, 3]]
        assert sorted(itertools.chain(*nursery.made[1].batches)) == [0, 1, 2, 3, 4, 5]
        await replicas.close()

    within(work)


def test_a_request_that_a_replica_was_lost_for_is_served_with_nothing_beside_it() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(deadly=[0], seconds=0.05))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale())
        replies = await asyncio.gather(*map(replicas.ask, range(4)), return_exceptions=True)
        assert isinstance(replies[0], ReplicasGone)
        assert replies[1:] == [2, 4, 6]
        await replicas.close()

    within(work)


def test_the_deadline_of_what_was_sent_ahead_begins_with_its_turn() -> None:
    class OneByOne(Doubling):
        def __init__(self) -> None:
            super().__init__(seconds=0.5)
            self._turn = asyncio.Lock()

        async def serve(self, requests: Sequence[int]) -> Sequence[int | Exception]:
            async with self._turn:
                return await super().serve(requests)

    async def work() -> None:
        nursery = Nursery(lambda number: OneByOne())
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(), deadline_seconds=1.5)
        assert await asyncio.gather(*map(replicas.ask, range(4))) == [0, 2, 4, 6]
        assert len(nursery.made) == 1
        await replicas.close()

    within(work)


def test_what_a_lost_replica_was_doing_is_done_by_another_one_alone() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(deadly=[3] if number == 0 else []))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(), batch_size=4)
        assert await asyncio.gather(*map(replicas.ask, [1, 2, 3, 4])) == [2, 4, 6, 8]
        assert [one.batches for one in nursery.made] == [[[1, 2, 3, 4]], [[1], [2], [3], [4]]]
        await replicas.close()

    within(work)


def test_a_request_that_ends_every_replica_fails_and_the_others_do_not() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(deadly=[3]))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(), batch_size=4)
        replies = await asyncio.gather(*map(replicas.ask, [1, 2, 3, 4]), return_exceptions=True)
        assert [replies[place] for place in (0, 1, 3)] == [2, 4, 8]
        assert isinstance(replies[2], ReplicasGone)
        assert "3 replicas were lost during this request (struck by a number)" in str(replies[2])
        await replicas.close()

    within(work)


def test_a_replica_that_does_not_answer_is_given_up_and_waiting_in_line_does_not_count() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(seconds=60.0 if number == 0 else 0.3))
        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", nursery, Scale(), deadline_seconds=1.5)
        assert await asyncio.gather(*map(replicas.ask, range(6))) == [0, 2, 4, 6, 8, 10]
        assert len(nursery.made) == 2
        await replicas.close()

    within(work)


@pytest.mark.parametrize("error", [ReplicaLost("no such node"), ValueError("no weights")])
def test_when_none_can_be_started_every_request_says_why(error: Exception) -> None:
    async def work() -> None:
        async def fail() -> Doubling:
            raise error

        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", fail, Scale(1, 2))
        await replicas.ready()
        for number in range(2):
            with pytest.raises(
                ReplicasGone if isinstance(error, ReplicaLost) else ValueError, match=str(error)
            ):
                await replicas.ask(number)
        await replicas.close()

    within(work)


def test_one_node_that_cannot_start_a_replica_does_not_stop_the_others() -> None:
    async def work() -> None:
        nursery = Nursery(lambda number: Doubling(seconds=0.02))
        starts = 0

        async def sometimes() -> Doubling:
            nonlocal starts
            starts += 1
            if starts % 2 == 0:
                raise ValueError("no weights here")
            return await nursery()

        replicas: ReplicaPool[int, int] = ReplicaPool("doubling", sometimes, Scale(1, 3))
        assert await asyncio.gather(*map(replicas.ask, range(30))) == list(range(0, 60, 2))
        await replicas.close()

    within(work)


@pytest.mark.parametrize("text", ["0..2", "4..1", "many", "1...3", ""])
def test_a_scale_that_makes_no_sense_is_said_to_be_so(text: str) -> None:
    with pytest.raises(WrongUse, match="--replicas"):
        Scale.parse(text)
