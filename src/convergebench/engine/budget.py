"""Money: what a run and a workspace may cost, and what is set aside until a provider says what it charged."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol

ROUNDING_USD = 1e-6
"""Tolerance for rounding errors in sums of costs."""

CostLimit = Literal["--max-cost", "--max-total"]


class Stopped(Exception):
    """The run is ending; no new requests are sent."""


class BudgetReached(Exception):
    """The next call could cost more than is left of --max-cost, or of --max-total."""

    def __init__(self, limit: CostLimit = "--max-cost", attempted: Any = None) -> None:
        super().__init__()
        self.limit = limit
        self.attempted = attempted
        """Earlier failed attempts that were paid for."""


class SpendingLedger(Protocol):
    """The spending of a workspace, by all runs and processes. What is reserved stays counted until it is
    settled, also when the process that reserved it is gone."""

    async def reserve(self, usd: float) -> int | None:
        """An entry for this amount; None if the total would pass its limit."""

    def settle(self, entry: int, usd: float) -> None: ...

    async def record(self, usd: float) -> None:
        """A charge for which nothing was set aside; it counts, whatever the limit."""


@dataclass(eq=False)
class Reservation:
    """Money set aside for one call."""

    of: str
    """What is called: prices are learned for each separately."""
    estimate_usd: float
    entry: int | None = None
    settled_usd: float | None = field(default=None, init=False)
    is_called: bool = field(default=False, init=False)
    """Whether the call may have reached the provider."""

    def settle(self, usd: float) -> None:
        """Count this amount instead of the estimate."""
        self.settled_usd = usd


class Budget:
    """The budget of one run. A call sets its price aside until the actual price is known, and charges correct
    what is set aside: once a call has been charged more than its estimate, so are all later estimates.
    """

    def __init__(self, most_usd: float | None = None, ledger: SpendingLedger | None = None) -> None:
        self.most_usd = most_usd
        self.spent_usd = 0.0
        self._ledger = ledger
        self._in_flight: dict[Reservation, None] = {}
        self._charged_by_estimate: dict[str, float] = {}
        self._highest_usd: dict[str, float] = {}
        self._changed = asyncio.Condition()

    def pay(self, price_usd: float | None, of: str = "") -> Payment:
        """Set the price aside. The caller settles it; if it cannot, the price stays counted, unless the call
        was never made (it was cancelled before, or Stopped).

        If too little is left, wait: reservations of other requests may turn out not to be needed.
        """
        return Payment(self, Reservation(of, price_usd or 0.0))

    async def reserve(self, wanted: Reservation) -> None:
        if self.most_usd is None and not self.price_usd(wanted):
            self._in_flight[wanted] = None  # free: nothing to wait for
        else:
            await self._reserve(wanted)

    async def _reserve(self, wanted: Reservation) -> None:
        await self._set_aside(wanted)
        while not await self._is_in_ledger(wanted):
            async with self._changed:
                del self._in_flight[wanted]
                self._changed.notify_all()
                if not self._is_any_in_flight():
                    raise BudgetReached("--max-total")
                await self._changed.wait()
            await self._set_aside(wanted)

    async def _set_aside(self, wanted: Reservation) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._is_left(wanted) or not self._is_any_in_flight())
            if not self._is_left(wanted):
                raise BudgetReached("--max-cost")
            self._in_flight[wanted] = None

    async def _is_in_ledger(self, wanted: Reservation) -> bool:
        """Whether its price, if it has one, is set aside in the workspace. Others do not wait meanwhile: the
        disk completes the reservations of many calls together."""
        price = self.price_usd(wanted)
        if self._ledger is None or not price:
            return True
        try:
            wanted.entry = await self._ledger.reserve(price)
        except BaseException:
            async with self._changed:
                del self._in_flight[wanted]
                self._changed.notify_all()
            raise
        return wanted.entry is not None

    def _is_any_in_flight(self) -> bool:
        return any(map(self.price_usd, self._in_flight))

    async def close(self, done: Reservation) -> None:
        price = self.price_usd(done)
        charged = price if done.settled_usd is None else done.settled_usd
        if not price and not charged:  # nobody waits for it, and nothing is learned from it
            del self._in_flight[done]
            return
        async with self._changed:
            self.spent_usd += charged
            self._learn(done)
            del self._in_flight[done]
            self._changed.notify_all()
        if self._ledger is None or done.settled_usd is None:
            return
        if done.entry is not None:
            self._ledger.settle(done.entry, charged)
        elif charged:
            await self._ledger.record(charged)

    def price_usd(self, call: Reservation) -> float:
        """What to set aside for this call, by all that was charged so far."""
        if not call.estimate_usd:
            return self._highest_usd.get(call.of, 0.0)
        return call.estimate_usd * self._charged_by_estimate.get(call.of, 1.0)

    def _learn(self, done: Reservation) -> None:
        if not done.settled_usd:  # what was not charged, or is not known, says nothing of the price
            return
        self._highest_usd[done.of] = max(done.settled_usd, self._highest_usd.get(done.of, 0.0))
        if done.estimate_usd:
            ratio = done.settled_usd / done.estimate_usd
            self._charged_by_estimate[done.of] = max(ratio, self._charged_by_estimate.get(done.of, 0.0))

    def _is_left(self, wanted: Reservation) -> bool:
        if self.most_usd is None:
            return True
        set_aside = sum(map(self.price_usd, self._in_flight))
        return self.spent_usd + set_aside + self.price_usd(wanted) <= self.most_usd + ROUNDING_USD


class Payment:
    """The context of a call that is paid for."""

    def __init__(self, budget: Budget, reservation: Reservation) -> None:
        self._budget = budget
        self._reservation = reservation

    async def __aenter__(self) -> Reservation:
        await self._budget.reserve(self._reservation)
        return self._reservation

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Stopped) or (error is not None and not self._reservation.is_called):
            self._reservation.settle(0.0)
        await self._budget.close(self._reservation)
