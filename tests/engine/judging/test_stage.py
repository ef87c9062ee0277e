"""Judging as a stage: tasks that come one after the other, with a loopback judge."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from convergebench.engine import Patience, RunLimits
from convergebench.engine.judging.judgement_queue import BATCH
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.judging.tasks import JudgingOutcome, JudgingTask
from convergebench.engine.shared_limits import SharedLimits
from convergebench.judges import Question, Subject, Verdict, open_judge, rubric
from convergebench.picture import Picture
from convergebench.store import Workspace
from made_pictures import textured
from servers.judge import Answer, Asked, JudgeServer, completion, failure, graded

HURRY = Patience(attempts=3, first_wait_seconds=0.001, deadline_seconds=60)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


class Listening:
    """A progress that remembers, and says when a question has an outcome."""

    def __init__(self) -> None:
        self.plans: list[int] = []
        self.reasons: list[str] = []
        self.heard = asyncio.Event()

    def planned(self, judgements: int) -> None:
        self.plans.append(judgements)

    def judged(self, verdict: Verdict, *, replayed: bool) -> None:
        self.heard.set()

    def given_up(self, reason: str) -> None:
        self.reasons.append(reason)
        self.heard.set()

    def stopping(self, in_flight: int) -> None:
        pass


class Stage:
    """One judging stage in a workspace, with a run of its own."""

    def __init__(self, workspace: Workspace, server: JudgeServer) -> None:
        self.workspace, self.server = workspace, server
        self.anew()

    def anew(self, concurrency: int | None = None) -> None:
        self.limits = SharedLimits(RunLimits(judge_concurrency=concurrency, patience=HURRY))
        self.progress = Listening()

    def judging(self, expected: int = 0) -> JudgingStage:
        run = self.workspace.start_run({}, "test")
        return JudgingStage(
            open_judge(self.server.name), self.workspace, self.limits, run=run, progress=self.progress,
            expected=expected,
        )  # fmt: skip

    def tasks(self, *seeds: int) -> list[JudgingTask]:
        return [self._task(seed) for seed in seeds]

    def _task(self, seed: int) -> JudgingTask:
        pictures = [Picture.from_pixels(textured(seed=number)) for number in (0, seed)]
        for picture in pictures:
            self.workspace.pictures.put(picture)
        source, result = (picture.digest for picture in pictures)
        subject = Subject({"source": (source,), "result": (result,)}, {"instruction": "Add a hat."})
        return JudgingTask(rubric("gedit_sc"), subject)

    async def judge_in_turn(self, first: int, *then: int) -> JudgingOutcome:
        """The others come when something has come of the first."""
        async with self.judging() as judging:
            keys = judging.add(self.tasks(first))
            await asyncio.wait_for(self.progress.heard.wait(), 60)
            keys += judging.add(self.tasks(*then))
        return judging.judged(keys)


@pytest.fixture
def stage(workspace: Workspace, server: JudgeServer) -> Stage:
    return Stage(workspace, server)


def test_what_comes_first_is_judged_before_the_rest_has_come(stage: Stage) -> None:
    done = asyncio.run(stage.judge_in_turn(1, 2, 1))
    assert (done.ok, done.new, len(stage.server.asked)) == (3, 2, 2)


def test_a_judge_that_cannot_go_on_ends_the_judging_alone(stage: Stage) -> None:
    stage.server.script = lambda number, asked: failure(401, "no such key")
    done = asyncio.run(stage.judge_in_turn(*range(1, 20)))
    assert not stage.limits.stop.is_set()
    assert (done.verdicts, len(stage.server.asked)) == ([None] * 19, 1)
    assert stage.progress.reasons == [done.unusable_reason]


def test_what_is_kept_is_known_though_the_judge_cannot_go_on(stage: Stage) -> None:
    asyncio.run(stage.judge_in_turn(1, 2))
    stage.server.script = lambda number, asked: failure(401, "no such key")
    stage.anew()
    done = asyncio.run(stage.judge_in_turn(3, 1, 2))
    assert [verdict and verdict.outcome for verdict in done.verdicts] == [None, "ok", "ok"]


def test_many_that_wait_hold_no_pictures(stage: Stage) -> None:
    both_asked, counted = threading.Event(), threading.Event()

    def held_at_first(number: int, asked: Asked) -> Answer:
        if number == 2:
            both_asked.set()
        return replace(completion(graded(asked)), when=counted.is_set)

    stage.server.script = held_at_first

    async def judge() -> int:
        stage.anew(concurrency=2)
        async with stage.judging() as judging:
            judging.add(stage.tasks(*range(1, 61)))
            assert await asyncio.to_thread(both_asked.wait, 60)
            await asyncio.sleep(0.3)  # time to make more of them ready than should be
            gc.collect()
            counted.set()
            return sum(type(one) is Question for one in gc.get_objects())

    in_flight, next_in_line, with_a_seed = 2, 2, 2
    assert 2 <= asyncio.run(judge()) <= in_flight + next_in_line + BATCH + with_a_seed
    assert len(stage.server.asked) == 60


def test_progress_gets_the_most_that_may_come_and_then_how_many_came(stage: Stage) -> None:
    async def judge() -> None:
        async with stage.judging(expected=5) as judging:
            for seed in (1, 2, 3):
                judging.add(stage.tasks(seed))

    asyncio.run(judge())
    assert stage.progress.plans == [5, 3]


def test_an_error_beside_it_lets_what_is_in_flight_finish_and_asks_nothing_more(stage: Stage) -> None:
    is_asked, is_broken = threading.Event(), threading.Event()

    def held(number: int, asked: Asked) -> Answer:
        is_asked.set()
        return replace(completion(graded(asked)), when=is_broken.is_set)

    stage.server.script = held

    async def judge() -> None:
        stage.anew(concurrency=1)
        async with stage.judging() as judging:
            judging.add(stage.tasks(*range(1, 9)))
            assert await asyncio.to_thread(is_asked.wait, 60)
            is_broken.set()
            raise RuntimeError("editing broke")

    with pytest.raises(RuntimeError, match="editing broke"):
        asyncio.run(judge())
    assert len(stage.server.asked) == 1
    assert [row["outcome"] for row in stage.workspace.query("SELECT outcome FROM judgements")] == ["ok"]
