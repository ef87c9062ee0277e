"""What the stages of a run share: lanes, the budget and the stop signal."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from convergebench.engine.budget import BudgetReached
from convergebench.engine.limits import Limits
from convergebench.engine.run_limits import RunLimits
from convergebench.engine.shared_limits import SharedLimits, StopSignal
from convergebench.judges import JudgeFacts
from convergebench.types import Editor, EditorFacts
from scripted import Scripted


@dataclass
class Calls:
    """Counts how many are in flight."""

    seconds: float = 0.01
    now: int = 0
    most: int = 0
    cost_usd: float | None = 1.0

    async def __call__(self) -> Calls:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(self.seconds)
        self.now -= 1
        return self


def editor() -> Editor:
    made = Scripted()
    made.facts = EditorFacts("editor", "1", price_usd=0.1, provider="openai", at_once=2)
    return made


def judge(provider: str = "openai") -> JudgeFacts:
    return JudgeFacts(f"{provider}:vl", "1", provider, "vl")


async def ask(calls: Calls, *those: Limits, times: int) -> None:
    await asyncio.gather(*(one.attempt(calls, 0.0) for one in those for _ in range(times)))


@pytest.mark.parametrize(("provider", "at_once"), [("openai", 2), ("gemini", 2 + 8)])
def test_an_editor_and_a_judge_share_the_lane_of_one_provider_and_no_other(
    provider: str, at_once: int
) -> None:
    limits, calls = SharedLimits(RunLimits()), Calls()
    edits = limits.for_editor(editor(), limits.stop)
    questions = limits.for_judge(judge(provider), None, limits.stop)
    asyncio.run(ask(calls, edits, questions, times=12))
    assert calls.most == at_once


def test_what_an_account_allows_holds_for_both_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "limits.toml").write_text("[limits.openai]\nat_once = 3\n")
    monkeypatch.setenv("CONVERGEBENCH_CONFIG", str(tmp_path / "limits.toml"))
    limits, calls = SharedLimits(RunLimits()), Calls()
    questions = [limits.for_judge(judge(), None, limits.stop) for _ in range(2)]
    asyncio.run(ask(calls, *questions, times=6))
    assert calls.most == 3


def test_requests_a_minute_are_those_of_all_stages() -> None:
    limits, calls = SharedLimits(RunLimits(per_minute=60 / 0.05)), Calls(seconds=0)
    edits = limits.for_editor(editor(), limits.stop)
    questions = limits.for_judge(judge(), None, limits.stop)
    started = time.monotonic()
    asyncio.run(ask(calls, edits, questions, times=3))
    assert time.monotonic() - started >= 5 * 0.05


def test_a_larger_number_that_is_asked_for_makes_the_lane_wider() -> None:
    limits, calls = SharedLimits(RunLimits()), Calls()
    looks = limits.for_judge(judge(), 2, limits.stop)
    verdicts = limits.for_judge(judge(), 5, limits.stop)
    asyncio.run(ask(calls, looks, verdicts, times=8))
    assert calls.most == 5


def test_one_budget_holds_all_stages_and_each_knows_its_own_part() -> None:
    limits, calls = SharedLimits(RunLimits(max_cost_usd=3.5)), Calls()
    edits = limits.for_editor(editor(), limits.stop)
    questions = limits.for_judge(judge("gemini"), None, limits.stop)

    async def spend() -> None:
        await edits.attempt(calls, 1.0)
        await questions.attempt(calls, 1.0)
        await questions.attempt(calls, 1.0)
        with pytest.raises(BudgetReached):
            await edits.attempt(calls, 1.0)

    asyncio.run(spend())
    assert (edits.spent_usd, questions.spent_usd) == (1.0, 2.0)


def test_a_child_signal_stops_with_its_parent_and_can_stop_alone() -> None:
    all_of_it = StopSignal()
    one, other = all_of_it.child(), all_of_it.child()
    one.set()
    assert (one.is_set(), other.is_set(), all_of_it.is_set()) == (True, False, False)
    all_of_it.set()
    assert other.is_set()
    assert all_of_it.child().is_set()
