"""Limits and costs: how often, how fast and at what price a provider is called."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from convergebench.engine.budget import Budget, BudgetReached, Stopped
from convergebench.engine.deadlines import Deadlines
from convergebench.providers import sane_cost_usd
from convergebench.types import (
    BadOutput,
    BatchEditor,
    Crashed,
    EditError,
    Editor,
    EditorFacts,
    Misconfigured,
    NoReply,
    PreparedEditor,
    RateLimited,
    Refused,
    Unavailable,
    UnusableAnswer,
)

log = logging.getLogger("convergebench")

WORTH_RETRYING = (RateLimited, Unavailable, BadOutput)
LONGEST_RETRY_SECONDS = 300.0
"""The longest Retry-After that is obeyed; a server that names more is asked again after this time."""
LONG_WAIT_SECONDS = 30.0
"""A longer wait is reported."""
UNCHARGED = (Refused, RateLimited, Misconfigured, Unavailable)
"""Answers in which a provider declines: nothing is charged unless they say so."""


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
            return min(error.after_seconds, LONGEST_RETRY_SECONDS)
        return random.uniform(0, min(self.longest_wait_seconds, self.first_wait_seconds * 2 ** (attempt - 1)))


@dataclass(frozen=True)
class Attempted(Generic[T]):
    outcome: T | EditError
    attempts: int
    seconds: float
    """Duration of the last attempt only: the editor's time, without the time the request waited."""
    cost_usd: float | None
    """Cost of all attempts, because failures can be charged too; None if unknown."""


class Lane:
    """One provider's lane: limits parallel requests and requests per minute. A rate-limit reply halves the
    parallel requests; as many successes as there are parallel requests add one."""

    def __init__(self, at_once: int | None = None, per_minute: float | None = None) -> None:
        self._most = float(at_once or 1_000_000)
        self._allowed = self._most
        self._spacing_seconds = 60 / per_minute if per_minute else 0.0
        self._active = 0
        self._next_start = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        """Take a turn, after those who came before."""
        if self._waiting or self._active >= int(self._allowed):
            await self._place()
        else:
            self._active += 1
        now = time.monotonic()
        start = max(now, self._next_start)
        self._next_start = start + self._spacing_seconds
        if start > now:
            try:
                await asyncio.sleep(start - now)
            except BaseException:
                self._leave()
                raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    async def _place(self) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._give_places()  # there may be one, if those who waited have just been cancelled
        try:
            await place
        except BaseException:
            if not place.cancelled():  # it was given in the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        self._active -= 1
        self._give_places()

    def _give_places(self) -> None:
        while self._waiting and self._active < int(self._allowed):
            place = self._waiting.popleft()
            if not place.done():  # or its request was cancelled
                self._active += 1
                place.set_result(None)

    def widen(self, at_once: int) -> None:
        """Allow at least this number of parallel requests."""
        if at_once > self._most:
            self._most = self._allowed = float(at_once)
            self._give_places()

    def adapt(self, outcome: object, wait_seconds: float) -> None:
        """Adapt the number of parallel requests to a reply."""
        if isinstance(outcome, RateLimited):
            self._allowed = max(1.0, min(self._allowed, float(self._active + 1)) / 2)
            self._next_start = max(self._next_start, time.monotonic() + wait_seconds)
        elif not isinstance(outcome, EditError):
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
            self._give_places()


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
        self._deadlines = Deadlines(patience.deadline_seconds)
        self.spent_usd = 0.0
        self._warned = False

    async def attempt(
        self, call: Callable[[], Awaitable[T]], price_usd: float | None, of: str = ""
    ) -> Attempted[T]:
        """The call's result, or the error that remained after all worthwhile attempts. Raises Stopped if the
        run ends before the first attempt. `of` names what is called, for the prices that are learned."""
        done: Attempted[T] | None = None
        for attempt in range(1, self._patience.attempts + 1):
            try:
                done = await self._once_more(call, price_usd, of, done)
            except Stopped:
                break
            except BudgetReached as reached:
                raise BudgetReached(reached.limit, done) from None
            outcome = done.outcome
            is_last = attempt == self._patience.attempts or not _is_worth_retrying(outcome)
            wait = (
                0.0 if not isinstance(outcome, EditError) else self._patience.wait_seconds(attempt, outcome)
            )
            self._lane.adapt(outcome, wait)
            if wait > LONG_WAIT_SECONDS and not is_last:
                log.warning("the provider asks to wait (%s); continuing in %.0f s", outcome, wait)
            if is_last or await self._stopped_within(wait):
                break
        if done is None:
            raise Stopped
        return done

    async def _once_more(
        self,
        call: Callable[[], Awaitable[T]],
        price_usd: float | None,
        of: str,
        before: Attempted[T] | None,
    ) -> Attempted[T]:
        async with self._budget.pay(price_usd, of) as reserved, self._lane:
            if self._stop.is_set():
                raise Stopped
            reserved.is_called = True
            started = time.perf_counter()
            outcome = await self._outcome(call)
            seconds = time.perf_counter() - started
            cost = self.cost_usd(outcome, price_usd)
            reserved.settle(cost or 0.0)
            self.spent_usd += cost or 0.0
        attempts = 1 if before is None else before.attempts + 1
        return Attempted(outcome, attempts, seconds, _cost_of_both(before, outcome, cost))

    def cost_usd(self, outcome: Paid, price_usd: float | None) -> float | None:
        """What the provider says it charged. Where it says nothing, or nothing sensible, the listed price, as
        long as a charge is possible; None if that is unknown or there was no charge."""
        stated = outcome.cost_usd
        if stated is not None and (cost := sane_cost_usd(stated)) is not None:
            return cost
        if stated is not None and not self._warned:
            self._warned = True
            log.warning("a provider states a cost of %r; the listed price is counted instead", stated)
        declined = isinstance(outcome, UNCHARGED) and not isinstance(outcome, NoReply)
        return None if stated is None and (declined or not price_usd) else price_usd

    async def _outcome(self, call: Callable[[], Awaitable[T]]) -> T | EditError:
        try:
            async with asyncio.timeout(None) as limit:
                self._deadlines.begin(limit)
                try:
                    return await call()
                finally:
                    self._deadlines.end(limit)
        except Stopped:
            raise
        except EditError as error:
            return error
        except TimeoutError:
            return NoReply(f"no answer within {self._patience.deadline_seconds:g} s")
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


def _cost_of_both(
    before: Attempted[T] | None, outcome: T | EditError, cost_usd: float | None
) -> float | None:
    if cost_usd is None and not isinstance(outcome, EditError):
        return None
    earlier = None if before is None else before.cost_usd
    known = [one for one in (earlier, cost_usd) if one is not None]
    return sum(known) if known else None
