"""Judging with a real workspace and a real SDK, against a loopback judge."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from convergebench.engine import Patience, RunLimits
from convergebench.engine.judging.judge_tasks import JudgingOutcome, JudgingTask, judge_tasks
from convergebench.engine.progress import NoJudgingProgress
from convergebench.judges import JudgeFacts, JudgeReply, Question, Subject, Verdict, open_judge, rubric
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.store.spending import total_spent_usd
from convergebench.types import Refused
from made_pictures import textured
from servers.judge import Answer, Asked, JudgeServer, completion, failure, graded

SC, PQ = rubric("gedit_sc"), rubric("gedit_pq")
HURRY = Patience(attempts=3, first_wait_seconds=0.001, deadline_seconds=60)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


def task(
    workspace: Workspace, seed: int = 1, repeat: int = 0, instruction: str = "Add a hat."
) -> JudgingTask:
    pictures = [Picture.from_pixels(textured(seed=number)) for number in (0, seed)]
    for picture in pictures:
        workspace.pictures.put(picture)
    source, result = (picture.digest for picture in pictures)
    subject = Subject({"source": (source,), "result": (result,)}, {"instruction": instruction})
    return JudgingTask(SC, subject, repeat)


def judge(
    workspace: Workspace,
    judge: str,
    *tasks: JudgingTask,
    concurrency: int | None = None,
    max_cost_usd: float | None = None,
    patience: Patience = HURRY,
    **options: Any,
) -> JudgingOutcome:
    run = workspace.start_run({}, "test")
    limits = RunLimits(judge_concurrency=concurrency, max_cost_usd=max_cost_usd, patience=patience)
    return asyncio.run(judge_tasks(tasks, open_judge(judge), workspace, run=run, limits=limits, **options))


def attempts(workspace: Workspace) -> list[sqlite3.Row]:
    return workspace.query("SELECT * FROM judge_attempts ORDER BY id")


def answering(text: str, **more: Any) -> Callable[[int, Asked], Answer]:
    return lambda number, asked: completion(text, **more)


def in_form(**grades: Any) -> Callable[[int, Asked], Answer]:
    return lambda number, asked: completion(graded(asked, **grades))


GOOD = '{"reason": "x", "edit_success": 8, "rest_preserved": 6}'


@pytest.mark.parametrize(
    ("script", "outcome", "calls"),
    [
        (in_form(), "ok", 1),
        (answering(f"```json\n{GOOD}\n```"), "ok", 1),
        (answering(f"<think>hm</think>{GOOD}"), "ok", 1),
        (answering("", refusal="no"), "refused", 1),
        (lambda number, asked: failure(400, "no", "content_policy_violation"), "refused", 1),
        (answering(GOOD[:-10], finish="length"), "truncated", 2),
        (answering(GOOD[:-10]), "unparseable", 2),
        (answering("I would say 8 of 10."), "unparseable", 2),
        (answering(GOOD + GOOD.replace("8", "3")), "unparseable", 2),
        (answering("8"), "unparseable", 2),
        (answering('{"reason": "x", "score": 8}'), "unparseable", 2),
        (in_form(edit_success=15), "out_of_range", 2),
        (in_form(edit_success=-3), "out_of_range", 2),
        (lambda number, asked: failure(500, "oops"), "error", 3),
        (lambda number, asked: failure(429, "slow", **{"retry-after": "0.01"}), "error", 3),
        (lambda number, asked: Answer("{}", after_seconds=3600), "error", 1),
    ],
    ids=[
        "correct", "fenced", "thinking", "refusal", "blocked", "cut off", "truncated JSON", "prose",
        "two objects", "scalar", "wrong key", "out of range", "negative", "500", "429", "silent",
    ],
)  # fmt: skip
def test_every_kind_of_reply_has_its_outcome_and_every_attempt_is_kept(
    workspace: Workspace, server: JudgeServer, script: Any, outcome: str, calls: int
) -> None:
    server.script = script
    patience = replace(HURRY, attempts=1, deadline_seconds=10) if (outcome, calls) == ("error", 1) else HURRY
    done = judge(workspace, server.name, task(workspace), patience=patience)
    (verdict,) = done.verdicts
    assert verdict is not None
    assert (verdict.outcome, done.calls, len(server.asked)) == (outcome, calls, calls)
    assert (verdict.value is None) == (outcome != "ok") == (verdict.missing is not None)
    assert [row["outcome"] for row in attempts(workspace)] == [outcome] * calls


HALF = '{"reason": "a hat %s", "edit_success": 8, "rest_preserved": 6}'


@pytest.mark.parametrize("half", ["\ud83d", "\\ud83d"], ids=["in the reply", "escaped in its JSON"])
def test_half_a_character_in_a_reply_loses_neither_it_nor_the_others(
    workspace: Workspace, server: JudgeServer, half: str
) -> None:
    server.script = lambda number, asked: completion(HALF % half if number == 1 else graded(asked))
    done = judge(workspace, server.name, *(task(workspace, seed=seed) for seed in (1, 2, 3)), concurrency=1)
    assert (done.ok, done.verdicts[0] and done.verdicts[0].reason) == (3, "a hat \ufffd")
    assert len(attempts(workspace)) == 3


def test_a_reply_that_our_reading_trips_over_is_kept_and_asked_for_again(
    workspace: Workspace, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tripping(*_: object) -> Verdict:
        raise TypeError("what is this?")

    monkeypatch.setattr("convergebench.engine.judging.judgement_queue.verdict_of", tripping)
    server.script = answering("odd")
    done = judge(workspace, f"{server.name}&usd_per_million_in=1&usd_per_million_out=10", task(workspace))
    assert (done.missing, done.calls) == ({"unparseable": 1}, 2)
    assert done.spent_usd == pytest.approx(0.004)
    kept = [(row["outcome"], row["reply"], row["cost_usd"]) for row in attempts(workspace)]
    assert kept == [("unparseable", "odd", pytest.approx(0.002))] * 2
    assert "TypeError: what is this?" in attempts(workspace)[0]["detail"]


def test_a_slow_judge_is_waited_for(workspace: Workspace, server: JudgeServer) -> None:
    server.script = lambda number, asked: replace(completion(graded(asked)), after_seconds=0.3)
    assert judge(workspace, server.name, task(workspace)).ok == 1


def test_a_reply_that_does_not_parse_is_asked_for_once_more_with_the_reason_and_another_seed(
    workspace: Workspace, server: JudgeServer
) -> None:
    server.script = lambda number, asked: completion("hm" if number < 2 else graded(asked))
    done = judge(workspace, server.name, task(workspace))
    assert done.ok == 1
    assert [row["outcome"] for row in attempts(workspace)] == ["unparseable", "ok"]
    first, again = server.asked
    assert first.body["seed"] != again.body["seed"]
    assert again.texts[:-1] == first.texts
    assert "holds no JSON object" in again.texts[-1]


def test_a_plain_refusal_is_paid_for_once(workspace: Workspace, server: JudgeServer) -> None:
    server.script = answering("I'm sorry, but I can't help with grading pictures of people.")
    done = judge(workspace, server.name, task(workspace))
    assert (done.missing, done.calls) == ({"refused": 1}, 1)


def test_a_server_that_recovers_is_asked_until_it_answers(workspace: Workspace, server: JudgeServer) -> None:
    server.script = lambda number, asked: failure(503, "busy") if number < 3 else completion(graded(asked))
    assert judge(workspace, server.name, task(workspace)).ok == 1
    assert [row["outcome"] for row in attempts(workspace)] == ["error", "error", "ok"]


def test_what_is_kept_of_an_attempt_can_be_traced(workspace: Workspace, server: JudgeServer) -> None:
    wanted = task(workspace)
    name = f"{server.name}&usd_per_million_in=1&usd_per_million_out=10"
    done = judge(workspace, name, wanted)
    (attempt,) = attempts(workspace)
    (verdict,) = workspace.query("SELECT * FROM verdicts")
    assert attempt["reply"] == '{"reason": "seen", "edit_success": 7, "rest_preserved": 7}'
    assert (attempt["served_model"], attempt["finish_reason"]) == ("loopback-vl-1", "stop")
    assert (attempt["tokens_read"], attempt["tokens_written"], attempt["run"]) == (1000, 100, 1)
    assert attempt["cost_usd"] == pytest.approx(0.002) == done.spent_usd
    assert json.loads(attempt["sent_sizes"]) == [[64, 48], [64, 48]]
    assert 0 < attempt["seconds"] < 60
    assert (verdict["rubric"], verdict["rubric_version"], verdict["repeat"]) == ("gedit_sc", 1, 0)
    digests = [[which, *wanted.subject.pictures[which]] for which in ("source", "result")]
    assert json.loads(verdict["pictures"]) == digests
    assert json.loads(verdict["scores"]) == {"edit_success": 7.0, "rest_preserved": 7.0}
    assert verdict["reason"] == "seen"


def test_nothing_is_asked_twice_while_nothing_changes(workspace: Workspace, server: JudgeServer) -> None:
    first = judge(workspace, server.name, task(workspace), task(workspace, seed=2))
    again = judge(workspace, server.name, task(workspace), task(workspace, seed=2))
    assert len(server.asked) == 2
    assert again.verdicts == first.verdicts
    assert (again.new, again.calls) == (0, 0)


def test_the_same_question_twice_in_one_run_is_asked_once(workspace: Workspace, server: JudgeServer) -> None:
    done = judge(workspace, server.name, task(workspace), task(workspace))
    assert (len(server.asked), done.ok) == (1, 2)


def test_a_change_of_picture_text_rubric_judge_or_repeat_is_asked_about(
    workspace: Workspace, server: JudgeServer
) -> None:
    before = task(workspace)
    judge(workspace, server.name, before)
    changed = [
        task(workspace, seed=2),
        task(workspace, instruction="Add a cap."),
        replace(before, rubric=PQ),
        replace(before, rubric=replace(SC, prompt="Look!")),
        replace(before, repeat=1),
    ]
    assert judge(workspace, server.name, before, *changed).new == len(changed)
    assert judge(workspace, f"{server.name}&temperature=0.5", before).new == 1


def test_a_missing_verdict_stands_until_it_is_asked_for(workspace: Workspace, server: JudgeServer) -> None:
    server.script = lambda number, asked: completion("hm" if number <= 3 else graded(asked))
    tasks = [task(workspace), task(workspace, seed=2)]
    first = judge(workspace, server.name, *tasks, concurrency=1)
    assert (first.ok, first.missing) == (1, {"unparseable": 1})
    assert judge(workspace, server.name, *tasks).calls == 0
    retried = judge(workspace, server.name, *tasks, retry_missing=True)
    assert (retried.ok, retried.new, retried.missing) == (2, 1, {})
    assert judge(workspace, server.name, *tasks).ok == 2


def test_a_run_that_was_cut_short_goes_on_with_what_has_no_verdict(
    workspace: Workspace, server: JudgeServer
) -> None:
    tasks = [task(workspace, seed=seed) for seed in range(1, 5)]
    judge(workspace, server.name, *tasks[:2])
    workspace.write_rows("UPDATE judgements SET outcome = NULL WHERE repeat = ?", [(0,)]).result()
    kept = workspace.query("SELECT key FROM judgements")
    assert len(kept) == 2
    done = judge(workspace, server.name, *tasks)
    assert (done.ok, done.new) == (4, 4)


def test_as_many_questions_are_in_flight_as_allowed(workspace: Workspace, server: JudgeServer) -> None:
    server.script = lambda number, asked: replace(
        completion(graded(asked)), after_seconds=0.1, when=lambda: server.most_at_once >= 6
    )
    tasks = [task(workspace, seed=seed) for seed in range(1, 13)]
    done = judge(workspace, server.name, *tasks, concurrency=6)
    assert (done.ok, server.most_at_once) == (12, 6)


def test_a_budget_stops_before_it_is_overrun_and_keeps_what_was_paid_for(
    workspace: Workspace, server: JudgeServer
) -> None:
    name = f"{server.name}&max_tokens=100&usd_per_million_in=0&usd_per_million_out=10000"  # $1 a reply
    tasks = [task(workspace, seed=seed) for seed in range(1, 6)]
    done = judge(workspace, name, *tasks, max_cost_usd=2.5, concurrency=1)
    assert (done.ok, done.spent_usd, done.out_of_budget) == (2, pytest.approx(2.0), True)
    assert done.verdicts[2:] == [None] * 3
    assert judge(workspace, name, *tasks).new == 3


def test_what_is_spent_is_the_sum_of_all_attempts_on_record(
    workspace: Workspace, server: JudgeServer
) -> None:
    def ok_at_last(number: int, asked: Asked) -> Answer:
        replies = {1: failure(500, "oops"), 2: completion("hm")}
        return replies.get(number) or completion(graded(asked))

    server.script = ok_at_last
    name = f"{server.name}&max_tokens=100&usd_per_million_in=0&usd_per_million_out=10000"  # $1 a reply
    done = judge(workspace, name, task(workspace), max_cost_usd=2.0)
    rows = attempts(workspace)
    assert [(row["outcome"], row["cost_usd"]) for row in rows] == [
        ("error", None), ("unparseable", pytest.approx(1.0)), ("ok", pytest.approx(1.0)),
    ]  # fmt: skip
    assert done.spent_usd == pytest.approx(2.0)


def test_a_call_without_a_reply_or_a_bill_has_the_cost_that_counts_for_it(
    workspace: Workspace, server: JudgeServer
) -> None:
    def ok_at_last(number: int, asked: Asked) -> Answer:
        answer = completion("hm" if number == 2 else graded(asked))
        assert isinstance(answer.body, dict)
        no_bill = {name: value for name, value in answer.body.items() if name != "usage"}
        return {1: Answer("no JSON"), 2: Answer(no_bill)}.get(number, answer)

    server.script = ok_at_last
    name = f"{server.name}&max_tokens=100&usd_per_million_in=0&usd_per_million_out=10000"  # $1 a reply
    done = judge(workspace, name, task(workspace))
    rows = attempts(workspace)
    assert [row["outcome"] for row in rows] == ["error", "unparseable", "ok"]
    assert [row["cost_usd"] for row in rows] == pytest.approx([1.0, 1.0, 1.0])
    assert done.spent_usd == total_spent_usd(workspace) == pytest.approx(3.0)


class Charging:
    """A judge that refuses, and charges a quarter of a dollar for it."""

    def __init__(self, facts: JudgeFacts) -> None:
        self.facts = facts

    async def start(self) -> None:
        pass

    async def ask(self, question: Question) -> JudgeReply:
        raise Refused("not this picture", cost_usd=0.25)

    async def close(self) -> None:
        pass


def test_a_charge_for_a_refusal_is_the_cost_of_the_attempt(workspace: Workspace, server: JudgeServer) -> None:
    run = workspace.start_run({}, "test")
    done = asyncio.run(
        judge_tasks([task(workspace)], Charging(open_judge(server.name).facts), workspace, run=run)
    )
    (attempt,) = attempts(workspace)
    assert (attempt["outcome"], attempt["cost_usd"]) == ("refused", 0.25)
    assert done.spent_usd == total_spent_usd(workspace) == 0.25


def test_a_judge_that_cannot_be_used_stops_at_once_and_leaves_nothing_behind(
    workspace: Workspace, server: JudgeServer
) -> None:
    server.script = lambda number, asked: failure(404, "no such model")
    tasks = [task(workspace, seed=seed) for seed in range(1, 9)]
    done = judge(workspace, server.name, *tasks, concurrency=1)
    assert (done.ok, len(server.asked)) == (0, 1)
    assert "no such model" in str(done.unusable_reason)
    server.script = in_form()
    assert judge(workspace, server.name, *tasks).ok == 8


def test_one_bad_question_does_not_end_the_others(workspace: Workspace, server: JudgeServer) -> None:
    server.script = lambda number, asked: (
        failure(400, "picture too strange") if number == 1 else completion(graded(asked))
    )
    done = judge(workspace, server.name, *(task(workspace, seed=seed) for seed in (1, 2, 3)), concurrency=1)
    assert (done.ok, done.missing) == (2, {"refused": 1})


def test_an_interrupt_keeps_what_is_in_flight_and_the_next_run_goes_on(
    workspace: Workspace, server: JudgeServer
) -> None:
    def interrupting(number: int, asked: Asked) -> Answer:
        if number == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return replace(completion(graded(asked)), when=lambda: number == 1 or stopping.is_set())

    class Listening(NoJudgingProgress):
        def stopping(self, in_flight: int) -> None:
            stopping.set()

    stopping = threading.Event()
    server.script = interrupting
    tasks = [task(workspace, seed=seed) for seed in range(1, 6)]
    done = judge(workspace, server.name, *tasks, concurrency=1, progress=Listening())
    assert (done.interrupted, done.ok, len(server.asked)) == (True, 2, 2)
    assert judge(workspace, server.name, *tasks).new == 3


def test_two_that_judge_at_the_same_time_share_the_work(workspace: Workspace, server: JudgeServer) -> None:
    server.script = lambda number, asked: replace(completion(graded(asked)), after_seconds=0.05)
    tasks = [task(workspace, seed=seed) for seed in range(1, 9)]

    async def both() -> list[JudgingOutcome]:
        with Workspace.create(workspace.folder) as second:
            limits = RunLimits(judge_concurrency=2, patience=HURRY)
            return await asyncio.gather(
                *(
                    judge_tasks(
                        tasks,
                        open_judge(server.name),
                        one,
                        run=1,
                        limits=limits,
                    )
                    for one in (workspace, second)
                )
            )

    first, other = asyncio.run(both())
    assert (first.ok, other.ok, len(server.asked)) == (8, 8, 8)
    assert first.new + other.new == 8


def test_a_picture_that_is_gone_costs_its_own_verdict_and_leaves_nothing_claimed(
    workspace: Workspace, server: JudgeServer
) -> None:
    gone, there = task(workspace, seed=1), task(workspace, seed=2)
    picture = Picture.from_pixels(textured(seed=1))
    workspace.pictures.path(picture.facts).unlink()
    assert judge(workspace, server.name, gone, there).ok == 1
    workspace.pictures.put(picture)
    assert judge(workspace, server.name, gone, there).ok == 2


def test_progress_is_reported_of_every_judgement_once(workspace: Workspace, server: JudgeServer) -> None:
    heard: list[tuple[str, bool]] = []

    class Listening:
        def planned(self, judgements: int) -> None:
            heard.append((str(judgements), False))

        def judged(self, verdict: Verdict, *, replayed: bool) -> None:
            heard.append((verdict.outcome, replayed))

        def given_up(self, reason: str) -> None:
            heard.append((reason, False))

        def stopping(self, in_flight: int) -> None:
            heard.append(("stopping", False))

    judge(workspace, server.name, task(workspace), progress=Listening())
    assert heard == [("1", False), ("ok", False)]
    heard.clear()
    tasks = [task(workspace), task(workspace), task(workspace, seed=2)]
    judge(workspace, server.name, *tasks, progress=Listening())
    assert heard == [("2", False), ("ok", True), ("ok", False)]


def test_a_subject_without_what_the_rubric_must_see_is_a_mistake_of_the_caller(
    workspace: Workspace, server: JudgeServer
) -> None:
    bare = replace(task(workspace), subject=Subject({"result": ("bb",)}))
    with pytest.raises(ValueError, match="must see source"):
        judge(workspace, server.name, bare)
