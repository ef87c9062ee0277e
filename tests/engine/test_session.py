"""What ends a session, and what ends the whole run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from convergebench.engine.budget import BudgetReached, Stopped
from convergebench.engine.progress import NoProgress
from convergebench.engine.run_limits import RunLimits
from convergebench.engine.session import RunOutcome, TrajectorySession, claimed
from convergebench.engine.shared_limits import SharedLimits
from convergebench.errors import BadPicture
from convergebench.store import Workspace
from convergebench.types import Misconfigured


@dataclass(frozen=True)
class Work:
    claim: int


class Stages:
    """Two sessions of one run."""

    def __init__(self, workspace: Workspace, concurrency: int = 2) -> None:
        self.shared = SharedLimits(RunLimits(concurrency))
        self.one, self.other = (
            TrajectorySession(workspace, self.shared, RunOutcome(), NoProgress()) for _ in range(2)
        )

    @property
    def stopped(self) -> tuple[bool, bool]:
        return self.one.stop.is_set(), self.other.stop.is_set()


@pytest.fixture
def stages(workspace: Workspace) -> Stages:
    return Stages(workspace)


def test_a_misconfigured_judge_ends_its_session_alone(stages: Stages) -> None:
    with stages.one.ending("judge"):
        raise Misconfigured("no key")
    assert stages.stopped == (True, False)
    assert stages.one.finish().unusable == {"judge": "no key"}


def test_an_exhausted_budget_ends_the_whole_run(stages: Stages) -> None:
    with stages.one.ending():
        raise BudgetReached
    assert stages.stopped == (True, True)
    assert stages.one.finish().out_of_budget
    assert not stages.other.finish().out_of_budget


def test_an_unforeseen_error_ends_the_whole_run_and_is_raised_at_the_end(stages: Stages) -> None:
    for error in (ZeroDivisionError("first"), KeyError("second")):
        with stages.one.ending():
            raise error
    assert stages.stopped == (True, True)
    with pytest.raises(ZeroDivisionError, match="first"):
        stages.one.finish()


def test_a_picture_that_cannot_be_read_ends_its_trajectory_alone(stages: Stages) -> None:
    with stages.one.trajectory_ending("model", "case"):
        raise BadPicture("damaged")
    assert stages.stopped == (False, False)
    assert stages.one.finish().unreadable == {"case": "damaged"}


def test_an_interrupt_after_its_end_says_nothing_about_a_session(stages: Stages) -> None:
    stages.one.close()
    stages.one.interrupt()
    stages.other.interrupt()
    assert (stages.one.finish().interrupted, stages.other.finish().interrupted) == (False, True)


def test_work_is_claimed_while_it_is_followed_and_no_more_than_allowed_at_a_time(
    workspace: Workspace, stages: Stages
) -> None:
    in_flight: list[int] = []

    async def follow(work: Work) -> None:
        in_flight.append(stages.one.in_flight)
        assert not workspace.claim(work.claim)
        await asyncio.sleep(0)

    asyncio.run(stages.one.follow_all("model", [Work(number) for number in range(1, 8)], follow))
    assert (len(in_flight), max(in_flight)) == (7, 2)
    assert all(workspace.claim(number) for number in range(1, 8))


def test_what_is_claimed_elsewhere_is_followed_when_it_is_free(workspace: Workspace, stages: Stages) -> None:
    order: list[int] = []
    assert workspace.claim(1)

    async def follow(work: Work) -> None:
        order.append(work.claim)
        workspace.release(1)

    asyncio.run(stages.one.follow_all("model", [Work(1), Work(2)], follow))
    assert order == [2, 1]


def test_a_claim_is_waited_for_until_the_run_ends(workspace: Workspace) -> None:
    assert workspace.claim(1)

    async def wait() -> None:
        async with claimed(workspace, 1, lambda: False):
            pass

    with pytest.raises(Stopped):
        asyncio.run(wait())
