"""What is set aside stays counted, prices learn from charges, and a limit can be for a whole workspace."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from convergebench.engine import Budget, Lane, Limits, Patience, RunLimits
from convergebench.engine.budget import BudgetReached
from convergebench.errors import WrongUse
from convergebench.store import Workspace
from convergebench.store.spending import WorkspaceSpending, total_spent_usd
from convergebench.types import BadOutput, EditError, NoReply, RateLimited, Refused, Unavailable

ONCE = Patience(attempts=1)


@dataclass
class Reply:
    cost_usd: float | None


def limits(budget: Budget) -> Limits:
    return Limits(Lane(), ONCE, budget, asyncio.Event())


def spent(outcome: Reply | EditError, price_usd: float | None = 0.05) -> float:
    async def once() -> float:
        budget = Budget()

        async def call() -> Reply:
            if isinstance(outcome, EditError):
                raise outcome
            return outcome

        await limits(budget).attempt(call, price_usd)
        return budget.spent_usd

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("outcome", "usd"),
    [
        (Reply(0.03), 0.03),
        (Reply(0.0), 0.0),
        (Reply(None), 0.05),
        (NoReply("the reply was cut off"), 0.05),
        (BadOutput("no usage and no picture"), 0.05),
        (BadOutput("charged", cost_usd=0.02), 0.02),
        (Unavailable("500: broken"), 0.0),
        (RateLimited("slow down"), 0.0),
        (Refused("content policy"), 0.0),
    ],
    ids=lambda value: str(value),
)
def test_the_listed_price_counts_unless_the_provider_says_otherwise(
    outcome: Reply | EditError, usd: float
) -> None:
    assert spent(outcome) == pytest.approx(usd)


@pytest.mark.parametrize("stated", [-1.0, math.inf, -math.inf, math.nan, True, 1e9, 10**30])
def test_a_cost_that_cannot_be_one_is_replaced_by_the_listed_price_with_a_warning(
    stated: float, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "convergebench"):
        assert spent(Reply(stated)) == pytest.approx(0.05)
    assert "the listed price is counted" in caplog.text


def test_a_call_that_is_cancelled_stays_counted() -> None:
    async def once() -> float:
        budget, asked = Budget(1.0), asyncio.Event()

        async def never() -> Reply:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        call = asyncio.create_task(limits(budget).attempt(never, 0.05))
        await asked.wait()
        call.cancel()
        await asyncio.wait({call})
        return budget.spent_usd

    assert asyncio.run(once()) == pytest.approx(0.05)


def test_a_call_that_is_cancelled_before_its_turn_is_not_counted(tmp_path: Path) -> None:
    async def once(workspace: Workspace) -> None:
        budget = Budget(ledger=WorkspaceSpending(workspace, 1, None))
        lane, asked, answer = Lane(1), asyncio.Event(), asyncio.Event()
        held = Limits(lane, ONCE, budget, asyncio.Event())

        async def slow() -> Reply:
            asked.set()
            await answer.wait()
            return Reply(0.05)

        first = asyncio.create_task(held.attempt(slow, 0.05))
        await asked.wait()
        second = asyncio.create_task(held.attempt(slow, 0.07))
        async with asyncio.timeout(60):
            while total_spent_usd(workspace) < 0.12:  # noqa: ASYNC110 - a thread sets it aside
                await asyncio.sleep(0.001)
        second.cancel()
        await asyncio.wait({second})
        answer.set()
        await first

    with Workspace.create(tmp_path) as workspace:
        asyncio.run(once(workspace))
    with Workspace.create(tmp_path) as workspace:
        assert total_spent_usd(workspace) == pytest.approx(0.05)


def test_a_call_that_is_cancelled_while_its_price_is_set_aside_is_not_counted(tmp_path: Path) -> None:
    async def once(workspace: Workspace) -> None:
        writing, may_write = threading.Event(), threading.Event()

        def slow_write(_: object) -> None:
            writing.set()
            may_write.wait(60)

        workspace.submit(slow_write)
        await asyncio.to_thread(writing.wait, 60)
        call = asyncio.create_task(WorkspaceSpending(workspace, 1, None).reserve(0.05))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait({call})
        may_write.set()
        async with asyncio.timeout(60):
            while not workspace.query("SELECT 1 FROM spending WHERE charged_usd = 0"):  # noqa: ASYNC110
                await asyncio.sleep(0.001)

    with Workspace.create(tmp_path) as workspace:
        asyncio.run(once(workspace))
        assert total_spent_usd(workspace) == 0


@pytest.mark.parametrize("at_once", [1, 4])
@pytest.mark.parametrize("charged", [0.01, 0.1, 0.4])
def test_the_limit_is_passed_by_no_more_than_what_was_in_flight_before_the_first_bill(
    at_once: int, charged: float
) -> None:
    listed, most = 0.02, 2.0

    async def run() -> float:
        budget = Budget(most)
        held = Limits(Lane(at_once), ONCE, budget, asyncio.Event())

        async def call() -> Reply:
            await asyncio.sleep(0)
            return Reply(charged)

        async def work() -> None:
            while True:
                await held.attempt(call, listed)

        with pytest.raises(BudgetReached):
            await asyncio.gather(*(work() for _ in range(at_once)))
        return budget.spent_usd

    total = asyncio.run(run())
    assert total <= most + at_once * max(charged - listed, 0) + 1e-6
    assert total > most - charged - 1e-6, "it stops only when the next call might not fit"


class HeldLedger:
    """Answers when the test allows it, with entries for so many calls and a refusal for the others."""

    def __init__(self, entries: int = 1000, error: Exception | None = None) -> None:
        self.waiting, self.release = 0, asyncio.Event()
        self._entries, self._error = entries, error

    async def reserve(self, usd: float) -> int | None:
        self.waiting += 1
        await self.release.wait()
        if self._error is not None:
            raise self._error
        self._entries -= 1
        return self._entries if self._entries >= 0 else None

    def settle(self, entry: int, usd: float) -> None:
        self._entries += usd == 0

    async def record(self, usd: float) -> None: ...


async def reach(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():  # noqa: ASYNC110 - what is waited for happens in other tasks
            await asyncio.sleep(0)


def test_many_calls_wait_for_the_disk_together() -> None:
    async def run() -> None:
        ledger = HeldLedger()
        held = Limits(Lane(50), ONCE, Budget(None, ledger), asyncio.Event())

        async def call() -> Reply:
            return Reply(0.1)

        calls = [asyncio.create_task(held.attempt(call, 0.1)) for _ in range(50)]
        await reach(lambda: ledger.waiting == 50)
        ledger.release.set()
        await asyncio.gather(*calls)

    asyncio.run(run())


def test_what_the_ledger_cannot_set_aside_is_not_counted() -> None:
    async def run() -> float:
        ledger = HeldLedger(error=OSError("the disk is gone"))
        ledger.release.set()
        budget = Budget(0.1, ledger)
        for _ in range(3):
            with pytest.raises(OSError, match="the disk is gone"):
                async with budget.pay(0.1):
                    raise AssertionError("nothing is called")
        return budget.spent_usd

    assert asyncio.run(run()) == 0


def test_calls_that_find_the_total_reached_wait_for_those_in_flight_and_then_end() -> None:
    async def run() -> list[object]:
        ledger, bill = HeldLedger(entries=2), asyncio.Event()
        held = Limits(Lane(5), ONCE, Budget(None, ledger), asyncio.Event())

        async def call() -> Reply:
            await bill.wait()
            return Reply(0.1)

        calls = [asyncio.create_task(held.attempt(call, 0.1)) for _ in range(5)]
        await reach(lambda: ledger.waiting == 5)
        ledger.release.set()
        bill.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    ended = asyncio.run(run())
    assert sum(isinstance(one, BudgetReached) for one in ended) == 3


def spend(
    workspace: Workspace, most_usd: float | None, calls: int, price: float = 0.1, listed: float | None = 0.1
) -> int:
    """How many of the calls were made before the limit of the workspace."""

    async def run() -> int:
        made = 0
        held = limits(Budget(None, WorkspaceSpending(workspace, 1, most_usd)))

        async def call() -> Reply:
            return Reply(price)

        for _ in range(calls):
            try:
                await held.attempt(call, listed)
            except BudgetReached as reached:
                assert reached.limit == "--max-total"
                break
            made += 1
        return made

    return asyncio.run(run())


def test_the_total_of_a_workspace_holds_over_runs(tmp_path: Path) -> None:
    with Workspace.create(tmp_path) as workspace:
        assert spend(workspace, None, 3) == 3
    with Workspace.create(tmp_path) as workspace:
        assert spend(workspace, 0.5, 9) == 2
        assert total_spent_usd(workspace) == pytest.approx(0.5)


def test_the_total_of_a_workspace_holds_over_threads_and_open_workspaces(tmp_path: Path) -> None:
    made: list[int] = []

    def work() -> None:
        with Workspace.create(tmp_path) as workspace:
            made.append(spend(workspace, 1.0, 30))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(made) == 10


def test_what_a_dead_process_had_set_aside_stays_counted(tmp_path: Path) -> None:
    with Workspace.create(tmp_path) as workspace:
        asyncio.run(WorkspaceSpending(workspace, 1, None).reserve(0.4))
    with Workspace.create(tmp_path) as workspace:
        assert total_spent_usd(workspace) == pytest.approx(0.4)
        assert spend(workspace, 0.5, 9) == 1


def test_a_total_that_is_no_number_of_dollars_is_refused() -> None:
    with pytest.raises(WrongUse, match="--max-total must be a number of dollars"):
        RunLimits(max_total_usd=-1)


def test_claims_hold_for_threads_whatever_path_the_workspace_was_opened_by(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    paths = [tmp_path / "real", tmp_path / "link", tmp_path / "real" / ".." / "real"]
    opened = [Workspace.create(path) for path in paths]
    try:
        assert [workspace.claim(7) for workspace in opened] == [True, False, False]
        opened[0].release(7)
        assert opened[2].claim(7)
    finally:
        for workspace in opened:
            workspace.close()


def test_a_long_retry_after_is_capped_and_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def stopped_within(self: Limits, seconds: float) -> bool:
        waits.append(seconds)
        return False

    monkeypatch.setattr(Limits, "_stopped_within", stopped_within)

    async def run() -> None:
        held = Limits(Lane(), Patience(attempts=2), Budget(), asyncio.Event())

        async def call() -> Reply:
            raise RateLimited("come back tomorrow", 86400.0)

        monkeypatch.setattr(Lane, "adapt", lambda *_: None)
        await held.attempt(call, None)

    with caplog.at_level(logging.WARNING, "convergebench"):
        asyncio.run(run())
    assert waits == [300.0]
    assert "continuing in 300 s" in caplog.text


def test_a_charge_for_which_nothing_was_set_aside_counts_even_beyond_the_total(tmp_path: Path) -> None:
    with Workspace.create(tmp_path) as workspace:
        assert spend(workspace, 0.25, 1, listed=None) == 1
        assert spend(workspace, 0.25, 1, price=0.3, listed=None) == 1, "nobody could know its price"
        assert total_spent_usd(workspace) == pytest.approx(0.4)
        assert spend(workspace, 0.25, 1) == 0
