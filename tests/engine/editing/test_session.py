"""The engine with real stores, real metrics and editors that do as told."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convergebench.engine import Patience, Plan, RunLimits, RunOutcome, run_plan
from convergebench.errors import DiskFull
from convergebench.metrics import MetricSet
from convergebench.protocols import round_trip
from convergebench.results import load_results
from convergebench.store import Workspace
from convergebench.types import (
    BadOutput,
    Case,
    Edited,
    Editor,
    EditRequest,
    Misconfigured,
    PictureFacts,
    RateLimited,
    Refused,
    Step,
    Unavailable,
)
from scripted import Scripted, ScriptedBatches

HURRY = Patience(attempts=3, first_wait_seconds=0.001)


def run(
    workspace: Workspace, *editors: Editor, cases: list[Case], rounds: int = 2, **options: Any
) -> RunOutcome:
    seeds = options.pop("seeds", (0,))
    metric_set = MetricSet(options.pop("metrics", ["psnr", "ssim"]))
    plan = Plan("tiny@0", round_trip(rounds), tuple(cases), editors, seeds)
    number = workspace.start_run({"suite": "tiny@0"}, "test")
    limits = RunLimits(**({"concurrency": 4, "patience": HURRY} | options))
    return asyncio.run(run_plan(plan, workspace, metric_set, run=number, limits=limits))


def test_a_round_trip_edits_each_picture_from_the_one_before(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    outcome = run(workspace, Scripted(), cases=[make_case()], rounds=3)
    steps = workspace.steps(1)
    pictures = [step.outcome for step in steps]
    assert outcome.complete == 1
    assert [step.role for step in steps] == ["forward", "backward"] * 3
    assert [step.round for step in steps] == [1, 1, 2, 2, 3, 3]
    for before, after in zip(pictures, steps[1:], strict=False):
        assert isinstance(before, PictureFacts)
        assert after.inputs == (before.digest,)


def test_every_return_is_measured_against_the_source_and_the_return_before(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run(workspace, Scripted(), cases=[make_case()], rounds=3)
    steps = workspace.steps(1)
    source = steps[0].inputs[0]
    returns = [step.outcome.digest for step in steps if step.role == "backward"]  # type: ignore[union-attr]
    pairs = {*((source, one) for one in returns), *itertools.pairwise(returns)}
    assert set(workspace.measured([source, *returns], returns)) == {
        (*pair, metric, "1") for pair in pairs for metric in ("psnr", "ssim")
    }


def test_every_forward_edit_is_measured_against_its_input(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run(workspace, Scripted(), cases=[make_case()], rounds=2)
    for step in workspace.steps(1):
        if step.role == "forward":
            assert isinstance(step.outcome, PictureFacts)
            assert workspace.measured(step.inputs, [step.outcome.digest])


def test_a_finished_benchmark_is_not_edited_again(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    cases = [make_case("one"), make_case("two", seed=1)]
    run(workspace, Scripted(), cases=cases)
    again = Scripted()
    outcome = run(workspace, again, cases=cases)
    assert again.requests == []
    assert (outcome.edits, outcome.replayed, outcome.complete) == (0, 8, 2)


def test_more_rounds_go_on_after_the_last(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    run(workspace, Scripted(), cases=[make_case()], rounds=2)
    more = Scripted()
    run(workspace, more, cases=[make_case()], rounds=3)
    assert len(more.requests) == 2
    assert more.requests[0].image.digest == workspace.steps(1)[3].outcome.digest  # type: ignore[union-attr]


def test_a_changed_parameter_is_never_mixed_with_the_old(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run(workspace, Scripted(), cases=[make_case()])
    other = Scripted()
    other.facts = type(other.facts)("scripted", "1", {"strength": 2})
    run(workspace, other, cases=[make_case()])
    assert len(other.requests) == 4
    assert len(workspace.steps(1)) == len(workspace.steps(2)) == 4


def test_seeds_are_separate_trajectories_and_every_step_has_its_own_seed(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    editor = Scripted()
    run(workspace, editor, cases=[make_case()], seeds=(0, 1))
    assert len({request.seed for request in editor.requests}) == 8


def test_a_refusal_ends_its_trajectory_only_and_is_never_asked_again(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def refuse_removal(number: int, request: EditRequest) -> Edited | None:
        if request.instruction.startswith("Remove"):
            raise Refused("I only add")
        return None

    cases = [make_case("one"), make_case("two", seed=1)]
    first = run(workspace, Scripted(refuse_removal), cases=cases)
    again = Scripted(refuse_removal)
    second = run(workspace, again, cases=cases)
    assert first.failures == second.failures == {"refused": 2}
    assert again.requests == []
    rows = workspace.query("SELECT failure, reason FROM steps WHERE picture IS NULL")
    assert [tuple(row) for row in rows] == [("refused", "I only add")] * 2


def test_what_can_succeed_is_tried_again_and_the_attempts_are_counted(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def stumble(number: int, request: EditRequest) -> Edited | None:
        if number == 1:
            raise RateLimited("slow down", after_seconds=0.01)
        if number == 2:
            raise Unavailable("503")
        return None

    outcome = run(workspace, Scripted(stumble), cases=[make_case()])
    assert outcome.complete == 1
    assert [step.attempts for step in workspace.steps(1)] == [3, 1, 1, 1]


def test_what_stays_down_is_a_failure_that_the_next_run_tries_again(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def down(number: int, request: EditRequest) -> Edited | None:
        raise Unavailable("connection lost")

    first = run(workspace, Scripted(down), cases=[make_case()])
    assert first.failures == {"unavailable": 1}
    assert run(workspace, Scripted(), cases=[make_case()]).complete == 1


def test_a_model_without_a_key_stops_at_once_and_the_others_go_on(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def no_key(number: int, request: EditRequest) -> Edited | None:
        raise Misconfigured("no key: set SOME_KEY")

    broken, fine = Scripted(no_key, name="broken"), Scripted(name="fine")
    cases = [make_case(str(n), seed=n) for n in range(6)]
    outcome = run(workspace, broken, fine, cases=cases, concurrency=1)
    assert len(broken.requests) == 1
    assert outcome.unusable == {"broken": "no key: set SOME_KEY"}
    assert outcome.complete == 6


def test_an_editors_own_mistake_is_a_failure_with_its_name(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def mistake(number: int, request: EditRequest) -> Edited | None:
        raise KeyError("images")

    outcome = run(workspace, Scripted(mistake), cases=[make_case()])
    assert outcome.failures == {"crashed": 1}
    assert workspace.query("SELECT reason FROM steps")[0][0] == "KeyError: 'images'"


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_edits_run_at_once_than_allowed(
    workspace: Workspace, make_case: Callable[..., Case], concurrency: int
) -> None:
    editor = Scripted(meeting=concurrency)
    run(workspace, editor, cases=[make_case(str(n), seed=n) for n in range(8)], concurrency=concurrency)
    assert editor.most_at_once == concurrency


def test_editors_that_take_batches_get_them(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    editor = ScriptedBatches()
    cases = [make_case(str(n), seed=n) for n in range(8)]
    outcome = run(workspace, editor, cases=cases, concurrency=8)
    assert outcome.complete == 8
    assert 1 < max(editor.sizes) <= 4
    assert sum(editor.sizes) == 32


def test_editors_are_closed_when_their_work_is_done(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    editor = Scripted()
    run(workspace, editor, cases=[make_case()])
    assert editor.closed


def test_a_source_that_cannot_be_read_is_left_out_by_name_and_the_others_run(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    bad, good = make_case("bad"), make_case("good", seed=1)
    bad.source.path.write_bytes(bad.source.path.read_bytes()[:200])
    outcome = run(workspace, Scripted(), cases=[bad, good])
    assert outcome.complete == 1
    assert list(outcome.unreadable) == ["bad/ball"]


def test_a_metric_that_came_later_is_measured_without_a_single_edit(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run(workspace, Scripted(), cases=[make_case()], metrics=["psnr"])
    again = Scripted()
    run(workspace, again, cases=[make_case()], metrics=["psnr", "ssim"])
    assert again.requests == []
    counts = workspace.query("SELECT metric, count(*) FROM measurements GROUP BY metric ORDER BY metric")
    assert dict(counts) == {"psnr": 5, "ssim": 5}


def test_a_run_stops_at_its_budget_and_goes_on_with_more(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    cases = [make_case(str(n), seed=n) for n in range(3)]
    first = run(workspace, Scripted(), cases=cases, max_cost_usd=2.6)
    assert first.out_of_budget
    assert (first.edits, first.spent_usd) == (5, 2.5)
    second = run(workspace, Scripted(), cases=cases, max_cost_usd=10.0)
    assert (second.complete, second.edits, second.spent_usd) == (3, 7, 3.5)


def test_all_that_the_budget_can_pay_for_is_edited_however_few_go_at_a_time(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    editor = Scripted()
    editor.facts = replace(editor.facts, provider="narrow", at_once=2)
    cases = [make_case(str(n), seed=n) for n in range(8)]
    done = run(workspace, editor, cases=cases, rounds=1, max_cost_usd=3.5, concurrency=None)
    assert (done.edits, done.spent_usd, done.out_of_budget) == (7, 3.5, True)


def test_attempts_that_were_charged_for_are_on_record_when_the_money_runs_out(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def fail_thrice(number: int, request: EditRequest) -> Edited | None:
        if number <= 3:
            raise BadOutput("an error page", cost_usd=0.5)
        return None

    editor = Scripted(fail_thrice)
    first = run(workspace, editor, cases=[make_case()], rounds=1, max_cost_usd=1.2)
    assert (len(editor.requests), first.spent_usd, first.out_of_budget) == (2, 1.0, True)
    (step,) = workspace.steps(1)
    assert (step.attempts, step.cost_usd) == (2, 1.0)
    second = run(workspace, editor, cases=[make_case()], rounds=1, max_cost_usd=1.5)
    assert (second.complete, second.spent_usd) == (1, 1.5)
    (use,) = load_results(workspace).uses
    assert (use.edits, use.cost_usd) == (2, 2.5)


def test_a_full_disk_is_said_before_the_edit_is_paid_for(
    workspace: Workspace, make_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convergebench.store.pictures.RESERVE_BYTES", 1 << 62)
    editor = Scripted()
    with pytest.raises(DiskFull, match="Free some space"):
        run(workspace, editor, cases=[make_case()])
    assert editor.requests == []
    monkeypatch.undo()
    assert run(workspace, editor, cases=[make_case()]).complete == 1


def test_an_error_that_nobody_foresaw_loses_no_edit_that_is_in_flight(
    workspace: Workspace, make_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Together(Scripted):
        """Begins no case before all are there."""

        others = asyncio.Barrier(3)

        async def edit(self, request: EditRequest) -> Edited:
            if request.context and request.context.position == 0:
                await self.others.wait()
            return await super().edit(request)

    record = workspace.record_steps

    def record_all_but_the_first(steps: Sequence[tuple[int, int, Step]]) -> Any:
        if any(trajectory == 1 for trajectory, _, _ in steps):
            raise sqlite3.OperationalError("disk I/O error")
        return record(steps)

    monkeypatch.setattr(workspace, "record_steps", record_all_but_the_first)
    editor, cases = Together(), [make_case(f"scene{number}", seed=number) for number in range(3)]
    with pytest.raises(sqlite3.OperationalError, match="disk I/O"):
        run(workspace, editor, cases=cases)
    asked = Counter(request.context.case for request in editor.requests if request.context)
    for trajectory in (2, 3):
        assert len(workspace.steps(trajectory)) == asked[cases[trajectory - 1].id] > 0


def test_an_editor_that_cannot_be_closed_takes_no_other_with_it(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    class Stuck(Scripted):
        async def close(self) -> None:
            raise RuntimeError("it would not go")

    with pytest.raises(RuntimeError, match="would not go"):
        run(workspace, Stuck(name="stuck"), Scripted(), cases=[make_case()], rounds=1)
    assert workspace.query("SELECT count(*) AS steps FROM steps")[0]["steps"] == 4


def test_a_case_whose_picture_is_gone_is_left_out_by_name_and_the_others_go_on(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    cases = [make_case(f"scene{number}", seed=number) for number in range(2)]
    run(workspace, Scripted(), cases=cases, rounds=1)
    first = workspace.steps(1)[0].outcome
    assert isinstance(first, PictureFacts)
    workspace.pictures.path(first).unlink()
    outcome = run(workspace, Scripted(), cases=cases, rounds=2)
    assert outcome.complete == 1
    assert first.digest in outcome.unreadable[cases[0].id]


def test_only_edits_that_gave_a_picture_count_as_made(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    def fail(number: int, request: EditRequest) -> Edited | None:
        raise Refused("never")

    assert run(workspace, Scripted(fail), cases=[make_case()]).edits == 0


def test_what_could_not_be_read_is_measured_when_it_can(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    run(workspace, Scripted(), cases=[make_case()], rounds=1, metrics=["psnr"])
    last = workspace.steps(1)[1].outcome
    assert isinstance(last, PictureFacts)
    file = workspace.pictures.path(last)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + b"?")
    run(workspace, Scripted(), cases=[make_case()], rounds=1, metrics=["ssim"])
    file.write_bytes(whole)
    run(workspace, Scripted(), cases=[make_case()], rounds=1, metrics=["ssim"])
    rows = workspace.query(
        "SELECT value FROM measurements WHERE metric = 'ssim' AND picture = ?", last.digest
    )
    assert [row["value"] is None for row in rows] == [False]


def test_the_workspace_stays_small_in_files(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    run(workspace, Scripted(), cases=[make_case()])
    top = {path.name for path in Path(workspace.folder).iterdir()}
    assert top <= {
        "claims",
        "convergebench.sqlite",
        "convergebench.sqlite-wal",
        "convergebench.sqlite-shm",
        "pictures",
    }


def test_a_stopped_run_leaves_the_first_cases_of_every_model(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    cases = [make_case(name) for name in ("one", "two", "three", "four", "five", "six")]
    models = [Scripted(name=name) for name in ("a", "b")]
    done = run(workspace, *models, cases=cases, rounds=1, max_cost_usd=4.0, concurrency=1)
    assert done.out_of_budget
    for model in models:
        begun = list(dict.fromkeys(one.context.case for one in model.requests if one.context))
        assert begun == [case.id for case in cases][: len(begun)] and len(begun) in (1, 2, 3)
