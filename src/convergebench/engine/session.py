"""The common part of editing, refining and judging: claims, reasons to stop, and outcomes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from convergebench.engine.budget import BudgetReached, CostLimit, Stopped
from convergebench.engine.editing.durable_edit import StepFailed
from convergebench.engine.limits import Limits
from convergebench.engine.shared_limits import SharedLimits
from convergebench.errors import BadPicture
from convergebench.judges import JudgeFacts
from convergebench.store import Workspace
from convergebench.store.claims import POLL_SECONDS
from convergebench.types import Editor, FailureKind, Misconfigured, PictureFacts, Step

TRAJECTORIES_AT_ONCE = 8
THREADS = 32
NOTICE_SECONDS = 5.0

Ending: TypeAlias = Literal["finished", "interrupted", "out of budget"]

log = logging.getLogger("convergebench")


@dataclass
class SessionOutcome:
    """The outcome of a session; the results themselves are in the workspace."""

    seconds: float = 0.0
    spent_usd: float = 0.0
    interrupted: bool = False
    out_of_budget: bool = False
    cost_limit: CostLimit = "--max-cost"
    """Which limit ended it, if it is out of budget."""
    unusable: dict[str, str] = field(default_factory=dict)
    """Models, judges and reasoners that could not continue at all, and why."""

    @property
    def ending(self) -> Ending:
        if self.interrupted:
            return "interrupted"
        return "out of budget" if self.out_of_budget else "finished"


@dataclass
class RunOutcome(SessionOutcome):
    trajectories: int = 0
    complete: int = 0
    edits: int = 0
    replayed: int = 0
    failures: Counter[FailureKind] = field(default_factory=Counter)
    unreadable: dict[str, str] = field(default_factory=dict)
    """Cases whose source picture cannot be used, and why."""

    def count(self, step: Step, *, replayed: bool) -> None:
        if replayed:
            self.replayed += 1
        elif isinstance(step.outcome, PictureFacts):
            self.edits += 1


class SessionProgress(Protocol):
    def stopping(self, in_flight: int) -> None: ...


class Claimable(Protocol):
    """Work that only one process may do at a time."""

    @property
    def claim(self) -> int: ...


class ClaimNotice:
    """Says once that work is held by another process, when that takes more than some seconds."""

    def __init__(self, workspace: Workspace) -> None:
        self._folder = workspace.folder
        self._since: float | None = None
        self._is_said = False

    def waiting(self) -> None:
        now = time.monotonic()
        self._since = self._since or now
        if not self._is_said and now - self._since > NOTICE_SECONDS:
            self._is_said = True
            log.warning("waiting for another process that is working in %s", self._folder)

    def working(self) -> None:
        self._since = None


OutcomeT = TypeVar("OutcomeT", bound=SessionOutcome)
TrajectoriesT = TypeVar("TrajectoriesT", bound=RunOutcome)
Work = TypeVar("Work", bound=Claimable)


class Session(Generic[OutcomeT]):
    """One stage of a run. It starts work until it is stopped, finishes requests in flight, and raises
    unexpected errors at the end."""

    def __init__(
        self,
        workspace: Workspace,
        limits: SharedLimits,
        outcome: OutcomeT,
        progress: SessionProgress,
        on_unusable: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """`on_unusable` is called once, when the judge or reasoner cannot continue."""
        self.outcome = outcome
        self.stop = limits.stop.child()
        self.in_flight = 0
        self._workspace = workspace
        self._shared = limits
        self._limits: list[Limits] = []
        self._progress = progress
        self._on_unusable = on_unusable
        self._error: Exception | None = None
        self._is_over = False
        self._started = time.perf_counter()

    def limits_for_editors(self, editors: Iterable[Editor]) -> dict[str, Limits]:
        """Keyed by provider: its models share its lane."""
        limits = {editor.facts.provider: self._shared.for_editor(editor, self.stop) for editor in editors}
        self._limits += limits.values()
        return limits

    def limits_for_judge(self, facts: JudgeFacts, concurrency: int | None) -> Limits:
        limits = self._shared.for_judge(facts, concurrency, self.stop)
        self._limits.append(limits)
        return limits

    def may_begin(self, name: str) -> bool:
        return not self.stop.is_set() and name not in self.outcome.unusable

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count as in flight."""
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    @contextlib.contextmanager
    def ending(self, judge: str = "") -> Iterator[None]:
        """Convert an exception that ends a piece of work into the outcome: of this session alone, if the
        judge or reasoner of this name is misconfigured, or of the whole run."""
        try:
            yield
        except Stopped:
            pass
        except BudgetReached as reached:
            self.outcome.out_of_budget = True
            self.outcome.cost_limit = reached.limit
            self._shared.stop.set()
        except Misconfigured as error:
            if judge:
                self._give_up(judge, str(error))
            else:
                self.fail(error)
        except Exception as error:
            self.fail(error)

    def _give_up(self, judge: str, reason: str) -> None:
        if judge not in self.outcome.unusable:
            self.outcome.unusable[judge] = reason
            self._on_unusable(reason)
        self.stop.set()

    def fail(self, error: Exception) -> None:
        """Start nothing new in the whole run. Requests in flight finish, then `finish` raises the error."""
        self._error = self._error or error
        self._shared.stop.set()

    def interrupt(self) -> None:
        """Start nothing new. Requests in flight finish and are stored."""
        if not self._is_over:
            self.outcome.interrupted = True
            self._shared.stop.set()
            self._progress.stopping(self.in_flight)

    def close(self) -> None:
        """From now on an interrupt does not affect the outcome of this session."""
        self._is_over = True

    def finish(self) -> OutcomeT:
        self.close()
        if self._error is not None:
            raise self._error
        self.outcome.spent_usd = sum(limits.spent_usd for limits in self._limits)
        self.outcome.seconds = time.perf_counter() - self._started
        return self.outcome


class TrajectorySession(Session[TrajectoriesT]):
    """A session that runs trajectories."""

    async def follow_all(
        self, name: str, work: Sequence[Work], follow: Callable[[Work], Awaitable[None]]
    ) -> None:
        """Run all trajectories of a model with this name, several at a time. A trajectory claimed by another
        process is run after that process has finished, when its results are replayed."""
        waiting = deque(work)
        notice = ClaimNotice(self._workspace)

        async def follow_waiting() -> None:
            while waiting and self.may_begin(name):
                one = waiting.popleft()
                if not self._workspace.claim(one.claim):
                    waiting.append(one)
                    notice.waiting()
                    await asyncio.sleep(POLL_SECONDS)
                    continue
                notice.working()
                try:
                    with self.counted():
                        await follow(one)
                finally:
                    self._workspace.release(one.claim)

        concurrency = self._shared.limits.concurrency or TRAJECTORIES_AT_ONCE
        await asyncio.gather(*(follow_waiting() for _ in range(min(concurrency, len(waiting)))))

    @contextlib.contextmanager
    def trajectory_ending(self, model: str, case: str, judge: str = "") -> Iterator[None]:
        """Like `ending`, for one trajectory; failures of that trajectory alone are counted."""
        with self.ending(judge):
            try:
                yield
            except StepFailed as failed:
                self.outcome.failures[failed.failure.kind] += 1
                if failed.failure.kind == "misconfigured":
                    self.outcome.unusable[model] = failed.failure.reason
            except BadPicture as error:
                self.outcome.unreadable[case] = str(error)


@contextlib.asynccontextmanager
async def claimed(workspace: Workspace, claim: int, may_begin: Callable[[], bool]) -> AsyncIterator[None]:
    """Wait until no other process works on it, then hold the claim. Raises Stopped if the run ends first."""
    notice = ClaimNotice(workspace)
    while not workspace.claim(claim):
        if not may_begin():
            raise Stopped
        notice.waiting()
        await asyncio.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        workspace.release(claim)


def use_many_threads() -> None:
    """These threads mostly wait for the disk; with the small default number, pictures would queue for it."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
