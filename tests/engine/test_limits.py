from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from convergebench.engine.budget import Budget, BudgetReached, Stopped
from convergebench.engine.limits import Attempted, Lane, Limits, Patience
from convergebench.types import (
    BadOutput,
    Crashed,
    EditError,
    Misconfigured,
    RateLimited,
    Refused,
    Unavailable,
)

HURRY = Patience(attempts=3, first_wait_seconds=0.001, deadline_seconds=60)


@dataclass(frozen=True)
class Reply:
    cost_usd: float | None = 0.1


class Server:
    """Answers with what its script says, one entry a call, then with success."""

    def __init__(self, *script: Exception, seconds: float = 0.0, held: asyncio.Event | None = None) -> None:
        self.calls = 0
        self.most_at_once = 0
        self.starts: list[float] = []
        self._script = list(script)
        self._seconds = seconds
        self._held = held
        self._at_once = 0

    async def __call__(self) -> Reply:
        self.calls += 1
        self.starts.append(time.monotonic())
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(self._seconds)
            if self._held is not None:
                await self._held.wait()
            if self._script:
                raise self._script.pop(0)
            return Reply()
        finally:
            self._at_once -= 1


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():  # noqa: ASYNC110 - the server counts its calls
            await asyncio.sleep(0.001)


async def limits(
    lane: Lane | None = None, budget: Budget | None = None, patience: Patience = HURRY
) -> Limits:
    return Limits(lane or Lane(), patience, budget or Budget(), asyncio.Event())


def attempt(server: Callable[[], Awaitable[Reply]], patience: Patience = HURRY) -> Attempted[Reply]:
    async def once() -> Attempted[Reply]:
        return await (await limits(patience=patience)).attempt(server, 0.1)

    return asyncio.run(once())


@pytest.mark.parametrize("passing", [RateLimited("429"), Unavailable("503"), BadOutput("half a file")])
def test_what_can_pass_is_asked_again(passing: EditError) -> None:
    server = Server(passing, passing)
    done = attempt(server)
    assert done.outcome == Reply()
    assert done.attempts == server.calls == 3


@pytest.mark.parametrize("final", [Refused("policy"), Misconfigured("no key"), Crashed("KeyError")])
def test_what_cannot_pass_is_asked_once(final: EditError) -> None:
    server = Server(final)
    assert attempt(server).outcome is final
    assert server.calls == 1


def test_patience_ends_with_the_last_error() -> None:
    server = Server(*[Unavailable(str(n)) for n in range(9)])
    done = attempt(server)
    assert (str(done.outcome), done.attempts) == ("2", 3)


def test_a_server_that_never_answers_is_left_at_the_deadline() -> None:
    done = attempt(Server(seconds=60), Patience(attempts=1, deadline_seconds=0.02))
    assert isinstance(done.outcome, Unavailable)
    assert "0.02 s" in str(done.outcome)


def test_the_server_says_how_long_to_wait() -> None:
    server = Server(RateLimited("slow down", after_seconds=0.08))
    attempt(server, Patience(first_wait_seconds=30))
    assert server.starts[1] - server.starts[0] >= 0.08


def test_no_more_requests_at_once_than_the_lane_is_wide() -> None:
    server = Server(seconds=0.005)

    async def many() -> None:
        narrow = await limits(Lane(at_once=3))
        await asyncio.gather(*(narrow.attempt(server, 0.0) for _ in range(20)))

    asyncio.run(many())
    assert server.most_at_once == 3


def test_those_who_wait_get_their_turn_in_order_and_the_cancelled_take_none() -> None:
    async def run() -> list[int]:
        lane, order = Lane(at_once=1), list[int]()

        async def enter(number: int) -> None:
            async with lane:
                order.append(number)

        async with lane:
            tasks = [asyncio.create_task(enter(number)) for number in range(5)]
            await asyncio.sleep(0)
            tasks[0].cancel()
            tasks[2].cancel()
        tasks[1].cancel()  # which has just got the turn
        async with asyncio.timeout(60):
            await asyncio.gather(*tasks, return_exceptions=True)
            await enter(5)
        return order

    assert asyncio.run(run()) == [3, 4, 5]


def test_a_wider_lane_lets_in_those_who_wait() -> None:
    async def run() -> int:
        held, lane = asyncio.Event(), Lane(at_once=1)
        server = Server(held=held)
        narrow = await limits(lane)
        waiting = [asyncio.create_task(narrow.attempt(server, 0.0)) for _ in range(3)]
        await until(lambda: server.calls == 1)
        lane.widen(3)
        await until(lambda: server.calls == 3)
        held.set()
        await asyncio.gather(*waiting)
        return server.most_at_once

    assert asyncio.run(run()) == 3


def test_requests_a_minute_are_spaced() -> None:
    server = Server()

    async def many() -> None:
        spaced = await limits(Lane(per_minute=60 / 0.02))
        await asyncio.gather(*(spaced.attempt(server, 0.0) for _ in range(5)))

    started = time.monotonic()
    asyncio.run(many())
    assert all(start - started >= number * 0.02 for number, start in enumerate(server.starts))


def test_the_lane_narrows_when_told_that_it_is_too_much_and_widens_again() -> None:
    async def widths() -> tuple[int, int]:
        lane = Lane(at_once=8)
        lane._active = 8
        lane.adapt(RateLimited("429"), 0.0)
        narrowed = int(lane._allowed)
        for _ in range(100):
            lane.adapt(Reply(), 0.0)
        return narrowed, int(lane._allowed)

    assert asyncio.run(widths()) == (4, 8)


def test_money_in_flight_counts_and_the_budget_is_never_exceeded() -> None:
    server, budget = Server(seconds=0.005), Budget(1.0)

    async def many() -> list[object]:
        held = await limits(budget=budget)
        return await asyncio.gather(*(held.attempt(server, 0.1) for _ in range(30)), return_exceptions=True)

    outcomes = asyncio.run(many())
    assert budget.spent_usd == pytest.approx(1.0)
    assert server.calls == 10
    assert sum(isinstance(outcome, BudgetReached) for outcome in outcomes) == 20


def test_a_budget_of_just_the_price_pays_for_all() -> None:
    async def thrice() -> None:
        held = await limits(budget=Budget(0.3))
        for _ in range(3):
            await held.attempt(server, 0.1)  # 0.1 + 0.1 + 0.1 is more than 0.3 in binary

    server = Server()
    asyncio.run(thrice())
    assert server.calls == 3


def test_what_costs_less_than_was_set_aside_leaves_money_for_those_who_wait() -> None:
    server, budget = Server(seconds=0.005), Budget(2.0)

    async def many() -> None:
        held = await limits(budget=budget, patience=Patience())
        await asyncio.gather(*(held.attempt(server, 1.0) for _ in range(9)))

    asyncio.run(many())
    assert server.calls == 9
    assert budget.spent_usd == pytest.approx(0.9)


def test_nobody_waits_for_money_while_only_what_is_free_goes_on() -> None:
    async def one_free_one_dear() -> None:
        held = await limits(budget=Budget(0.1), patience=Patience())
        going = Server(seconds=600)
        free = asyncio.create_task(held.attempt(going, 0.0))
        await until(lambda: going.calls == 1)
        with pytest.raises(BudgetReached):
            async with asyncio.timeout(60):
                await held.attempt(Server(), 0.2)
        free.cancel()

    asyncio.run(one_free_one_dear())


def test_what_is_charged_for_failures_is_counted_and_held_by_the_budget() -> None:
    server, budget = Server(*[BadOutput("half a file", cost_usd=0.1) for _ in range(9)]), Budget(0.25)

    async def once() -> Limits:
        held = await limits(budget=budget)
        with pytest.raises(BudgetReached) as reached:
            await held.attempt(server, 0.1)
        before = reached.value.attempted
        assert before is not None
        assert (before.attempts, before.cost_usd) == (2, pytest.approx(0.2))
        return held

    assert asyncio.run(once()).spent_usd == budget.spent_usd == pytest.approx(0.2)
    assert server.calls == 2


@pytest.mark.parametrize(
    ("failed", "succeeded", "together"),
    [(0.2, 0.1, 0.3), (None, 0.1, 0.2), (0.2, None, 0.3), (None, None, 0.2), (0.0, 0.1, 0.1)],
)
def test_a_result_costs_what_all_attempts_cost_by_the_listed_price_where_nothing_is_said(
    failed: float | None, succeeded: float | None, together: float
) -> None:
    script = [BadOutput("half a file", cost_usd=failed)]

    async def answer() -> Reply:
        if script:
            raise script.pop()
        return Reply(succeeded)

    assert attempt(answer).cost_usd == pytest.approx(together)


def test_what_failed_cost_nothing() -> None:
    budget = Budget(0.25)

    async def twice() -> None:
        held = await limits(budget=budget)
        await held.attempt(Server(Refused("no")), 0.1)
        await held.attempt(Server(), 0.1)

    asyncio.run(twice())
    assert budget.spent_usd == pytest.approx(0.1)


def test_waiting_to_ask_again_ends_when_the_run_stops() -> None:
    async def stopped() -> Attempted[Reply]:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(0.02, stop.set)
        held = Limits(Lane(), Patience(first_wait_seconds=60), Budget(), stop)
        return await held.attempt(Server(RateLimited("wait", after_seconds=60)), 0.1)

    started = time.monotonic()
    assert isinstance(asyncio.run(stopped()).outcome, RateLimited)
    assert time.monotonic() - started < 50


def test_those_who_wait_for_their_turn_when_the_run_stops_do_not_ask() -> None:
    async def run() -> list[Attempted[Reply] | BaseException]:
        stop = asyncio.Event()
        one = Limits(Lane(at_once=2), HURRY, Budget(), stop)
        asking = asyncio.gather(*(one.attempt(server, 0.1) for _ in range(5)), return_exceptions=True)
        await until(lambda: server.calls == 2)
        stop.set()
        go_on.set()
        return await asking

    go_on = asyncio.Event()
    server = Server(held=go_on)
    outcomes = asyncio.run(run())
    assert server.calls == 2
    assert [isinstance(one, Stopped) for one in outcomes] == [False, False, True, True, True]


def test_a_failure_stands_where_the_run_stops_before_the_next_attempt() -> None:
    async def run() -> Attempted[Reply]:
        stop = asyncio.Event()

        async def fails_at_the_end() -> Reply:
            stop.set()
            raise Unavailable("down")

        return await Limits(Lane(), HURRY, Budget(), stop).attempt(fails_at_the_end, 0.1)

    done = asyncio.run(run())
    assert (done.attempts, str(done.outcome)) == (1, "down")
