"""Limits and costs: how often, how fast and at what price a provider is called."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from convergebench.types import (
    BadOutput,
    BatchEditor,
    Crashed,
    EditError,
    Editor,
    EditorFacts,
    PreparedEditor,
    RateLimited,
    Unavailable,
    UnusableAnswer,
)

log = logging.getLogger("convergebench")

WORTH_RETRYING = (RateLimited, Unavailable, BadOutput)
ROUNDING_USD = 1e-6
"""Tolerance for rounding errors in sums of costs."""


class Paid(Protocol):
    @property
    def cost_usd(self) -> float | None: ...


T = TypeVar("T", bound=Paid)


@dataclass(frozen=True)
class Patience:
    """Number of attempts and delay between them: exponential with full jitter, or as requested by the
    server."""

    attempts: int = 5
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    deadline_seconds: float = 900.0
    """For one attempt, so that a server that never answers cannot block the run."""

    def wait_seconds(self, attempt: int, error: EditError) -> float:
        if isinstance(error, RateLimited) and error.after_seconds is not None:
            return error.after_seconds
        return random.uniform(0, min(self.longest_wait_seconds, self.first_wait_seconds * 2 ** (attempt - 1)))


@dataclass(frozen=True)
class Attempted(Generic[T]):
    outcome: T | EditError
    attempts: int
    seconds: float
    """Duration of the last attempt only: the editor's time, without the time the request waited."""
    cost_usd: float | None
    """Cost of all attempts, because failures can be charged too; None if unknown."""


class Stopped(Exception):
    """The run is ending; no new requests are sent."""


class BudgetReached(Exception):
    """The next call could cost more than is left of --max-cost."""

    def __init__(self, attempted: Attempted[Any] | None = None) -> None:
        super().__init__()
        self.attempted = attempted
        """Earlier failed attempts that were paid for."""


class Budget:
    """The budget of one run. Requests in flight reserve their listed price until the actual price is
    known."""

    def __init__(self, most_usd: float | None = None) -> None:
        self.most_usd = most_usd
        self.spent_usd = 0.0
        self._set_aside_usd: list[float] = []
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def pay(self, price_usd: float | None) -> AsyncIterator[Callable[[float | None], None]]:
        """Reserve the price. The caller reports the actual cost, or nothing if there was none.

        If too little is left, wait: reservations of other requests may turn out not to be needed.
        """
        if self.most_usd is None:
            yield self._settle
            return
        price = price_usd or 0.0
        async with self._changed:
            await self._changed.wait_for(lambda: self._is_left(price) or not any(self._set_aside_usd))
            if not self._is_left(price):
                raise BudgetReached
            self._set_aside_usd.append(price)
        try:
            yield self._settle
        finally:
            async with self._changed:
                self._set_aside_usd.remove(price)
                self._changed.notify_all()

    def _is_left(self, price: float) -> bool:
        assert self.most_usd is not None
        return self.spent_usd + sum(self._set_aside_usd) + price <= self.most_usd + ROUNDING_USD

    def _settle(self, cost_usd: float | None) -> None:
        self.spent_usd += cost_usd or 0.0


class Lane:
    """One provider's lane: limits parallel requests and requests per minute. A rate-limit reply halves the
    parallel requests; as many successes as there are parallel requests add one."""

    def __init__(self, at_once: int | None = None, per_minute: float | None = None) -> None:
        self._most = float(at_once or 1_000_000)
        self._allowed = self._most
        self._spacing_seconds = 60 / per_minute if per_minute else 0.0
        self._active = 0
        self._next_start = 0.0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self._changed:
            await self._changed.wait_for(lambda: self._active < int(self._allowed))
            self._active += 1
            start = max(time.monotonic(), self._next_start)
            self._next_start = start + self._spacing_seconds
        try:
            wait = start - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            yield
        finally:
            async with self._changed:
                self._active -= 1
                self._changed.notify_all()

    def widen(self, at_once: int) -> None:
        """Allow at least this number of parallel requests."""
        if at_once > self._most:
            self._most = self._allowed = float(at_once)

    def adapt(self, outcome: object, wait_seconds: float) -> None:
        """Adapt the number of parallel requests to a reply."""
        if isinstance(outcome, RateLimited):
            self._allowed = max(1.0, min(self._allowed, float(self._active + 1)) / 2)
            self._next_start = max(self._next_start, time.monotonic() + wait_seconds)
        elif not isinstance(outcome, EditError):
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)


def patience_with(editor: Editor, patience: Patience) -> Patience:
    """Batch editors and remote editors apply the deadline themselves, to the work alone."""
    is_waited_for = isinstance(editor, BatchEditor | PreparedEditor)
    return replace(patience, deadline_seconds=math.inf) if is_waited_for else patience


def lane_for(facts: EditorFacts, at_once: int | None, per_minute: float | None) -> Lane:
    """An explicit number overrides the account's limit, but not the limit of this machine."""
    runs_here = facts.price_usd == 0
    if facts.at_once is None or at_once is None:
        most = facts.at_once
    else:
        most = min(at_once, facts.at_once) if runs_here else at_once
    return Lane(most, per_minute or facts.per_minute)


class Limits:
    """The limits of one provider: its lane, the run's patience and budget, and the stop signal."""

    def __init__(self, lane: Lane, patience: Patience, budget: Budget, stop: asyncio.Event) -> None:
        self._lane = lane
        self._patience = patience
        self._budget = budget
        self._stop = stop
        self.spent_usd = 0.0

    async def attempt(self, call: Callable[[], Awaitable[T]], price_usd: float | None) -> Attempted[T]:
        """The call's result, or the error that remained after all worthwhile attempts. Raises Stopped if the
        run ends before the first attempt."""
        done: Attempted[T] | None = None
        for attempt in range(1, self._patience.attempts + 1):
            try:
                done = await self._once_more(call, price_usd, done)
            except Stopped:
                break
            except BudgetReached:
                raise BudgetReached(done) from None
            outcome = done.outcome
            is_last = attempt == self._patience.attempts or not _is_worth_retrying(outcome)
            wait = (
                0.0 if not isinstance(outcome, EditError) else self._patience.wait_seconds(attempt, outcome)
            )
            self._lane.adapt(outcome, wait)
            if is_last or await self._stopped_within(wait):
                break
        if done is None:
            raise Stopped
        return done

    async def _once_more(
        self, call: Callable[[], Awaitable[T]], price_usd: float | None, before: Attempted[T] | None
    ) -> Attempted[T]:
        async with self._budget.pay(price_usd) as settle, self._lane.turn():
            if self._stop.is_set():
                raise Stopped
            started = time.perf_counter()
            outcome = await self._outcome(call)
            seconds = time.perf_counter() - started
            settle(outcome.cost_usd)
            self.spent_usd += outcome.cost_usd or 0.0
        attempts = 1 if before is None else before.attempts + 1
        return Attempted(outcome, attempts, seconds, _cost_of_both(before, outcome))

    async def _outcome(self, call: Callable[[], Awaitable[T]]) -> T | EditError:
        try:
            async with asyncio.timeout(self._patience.deadline_seconds):
                return await call()
        except Stopped:
            raise
        except EditError as error:
            return error
        except TimeoutError:
            return Unavailable(f"no answer within {self._patience.deadline_seconds:g} s")
        except Exception as error:  # an error in one editor must not end the work of the others
            log.debug("an editor crashed", exc_info=True)
            return Crashed(" ".join(f"{type(error).__name__}: {error}".split()))

    async def _stopped_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return False
        return True


def _is_worth_retrying(outcome: object) -> bool:
    return isinstance(outcome, WORTH_RETRYING) and not isinstance(outcome, UnusableAnswer)


def _cost_of_both(before: Attempted[T] | None, outcome: T | EditError) -> float | None:
    if outcome.cost_usd is None and not isinstance(outcome, EditError):
        return None
    known = [one.cost_usd for one in (before, outcome) if one is not None and one.cost_usd is not None]
    return sum(known) if known else None
