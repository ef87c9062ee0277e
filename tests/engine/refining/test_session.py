"""Refining with a real workspace, real editors and a loopback reasoner."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.engine import Patience, Plan, RunLimits, run_plan
from convergebench.engine.judging.candidates import judging_candidates
from convergebench.engine.refining.plan import Pipeline, RefinePlan
from convergebench.engine.refining.session import RefinementOutcome, refine_plan
from convergebench.housekeeping import contents, drop_lost, find_lost, remove
from convergebench.judges import open_judge, rubric
from convergebench.metrics import MetricSet
from convergebench.protocols import one_shot
from convergebench.results.refinements import refinements
from convergebench.store import Workspace
from convergebench.types import Case, Edited, EditRequest, Refused, Unavailable
from scripted import Scripted
from servers.judge import Answer, Asked, JudgeServer, completion, failure

HURRY = Patience(attempts=3, first_wait_seconds=0.001, deadline_seconds=60)
SUITE = "small@1"


def advice(*instructions: str) -> Answer:
    return completion(json.dumps({"reasoning": "seen", "instructions": instructions}))


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(lambda number, asked: advice("Lower the ball", "Add its shadow")) as running:
        yield running


@pytest.fixture
def cases(make_case: Callable[..., Case]) -> tuple[Case, ...]:
    return tuple(make_case(name, seed=place) for place, name in enumerate(("one", "two", "three")))


class Bench:
    """Runs plans in one workspace with one reasoner."""

    def __init__(self, workspace: Workspace, server: JudgeServer, cases: tuple[Case, ...]) -> None:
        self.workspace, self.server, self.cases = workspace, server, cases
        self.model, self.executor = Scripted(name="model"), Scripted(name="executor")

    def refine(
        self,
        rounds: int = 1,
        *,
        chained: bool = False,
        executor: Scripted | None = None,
        retry_missing: bool = False,
        **limits: Any,
    ) -> RefinementOutcome:
        line = Pipeline(self.model, open_judge(self.server.name), executor or self.executor)
        plan = RefinePlan(SUITE, self.cases, (line,), (0,), rounds, chained)
        run = self.workspace.start_run({}, "test")
        work = refine_plan(
            plan, self.workspace, run=run, limits=RunLimits(patience=HURRY, **limits),
            retry_missing=retry_missing,
        )  # fmt: skip
        return asyncio.run(work)

    def edit_once(self, *, fresh: bool = False) -> None:
        plan = Plan(SUITE, one_shot(), self.cases, (self.model,), (0,))
        run = self.workspace.start_run({}, "test")
        limits = RunLimits(patience=HURRY)
        asyncio.run(run_plan(plan, self.workspace, MetricSet(()), run=run, fresh=fresh, limits=limits))

    @property
    def found(self) -> list[RefinedCase]:
        return refinements(self.workspace)

    @property
    def calls(self) -> tuple[int, int, int]:
        return len(self.model.requests), len(self.server.asked), len(self.executor.requests)


@pytest.fixture
def bench(workspace: Workspace, server: JudgeServer, cases: tuple[Case, ...]) -> Bench:
    return Bench(workspace, server, cases)


def test_every_case_is_edited_looked_at_and_edited_again(bench: Bench) -> None:
    done = bench.refine()
    assert (done.trajectories, done.complete, done.edits, done.looks) == (3, 3, 6, 3)
    assert bench.calls == (3, 3, 3)
    assert {request.instruction for request in bench.executor.requests} == {"Lower the ball; Add its shadow"}
    for case in bench.found:
        (one,) = case.rounds
        assert one.advice is not None
        assert (one.advice.reasoning, one.advice.instructions) == (
            "seen",
            ("Lower the ball", "Add its shadow"),
        )
        assert None not in (case.primary.picture, case.after(1).picture)
        assert not case.is_primary(1)


def test_chained_every_instruction_is_an_edit_of_the_one_before(bench: Bench) -> None:
    bench.refine(chained=True)
    assert bench.calls == (3, 3, 6)
    of_one = [one for one in bench.executor.requests if one.context and one.context.case == "one/ball"]
    assert [request.instruction for request in of_one] == ["Lower the ball", "Add its shadow"]
    assert of_one[0].image.digest == bench.found[0].primary.picture
    assert of_one[1].image.digest != of_one[0].image.digest


def test_no_noise_is_used_twice_in_a_case(bench: Bench) -> None:
    bench.refine(rounds=2, chained=True, executor=bench.model)
    seeds = [(request.context.case, request.seed) for request in bench.model.requests if request.context]
    assert len(seeds) == len(set(seeds)) == 3 * 5


def test_run_again_asks_for_nothing(bench: Bench) -> None:
    bench.refine(rounds=2)
    before = bench.calls
    done = bench.refine(rounds=2)
    assert bench.calls == before
    assert (done.complete, done.edits, done.replayed, done.looks) == (3, 0, 9, 0)


def test_where_nothing_is_needed_the_primary_picture_is_the_refined_one_and_is_marked_so(
    bench: Bench,
) -> None:
    bench.server.script = lambda number, asked: advice()
    assert bench.refine(rounds=3).complete == 3
    assert bench.calls == (3, 3, 0)
    for case in bench.found:
        assert case.after(3) == case.primary
        assert case.is_primary(3)
        assert case.content_after == 0


def test_more_rounds_go_on_from_those_that_are_there(bench: Bench) -> None:
    bench.refine(rounds=1)
    bench.refine(rounds=3)
    assert bench.calls == (3, 9, 9)
    assert [len(case.rounds) for case in bench.found] == [3, 3, 3]


def test_rounds_end_where_the_reasoner_is_content(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    bench.server.script = lambda number, asked: advice("Lower the ball") if number < 3 else advice()
    bench.refine(rounds=5)
    assert bench.calls == (1, 3, 2)
    (case,) = bench.found
    assert case.content_after == 2
    assert case.after(5) == case.after(2) != case.after(1)


def test_single_edits_that_are_there_are_not_made_again(bench: Bench) -> None:
    bench.edit_once()
    done = bench.refine()
    assert bench.calls == (3, 3, 3)
    assert (done.edits, done.replayed) == (3, 3)


def test_the_first_edit_of_a_refinement_is_a_single_edit_for_all_others(bench: Bench) -> None:
    bench.refine()
    bench.edit_once()
    assert len(bench.model.requests) == 3


def test_another_executor_shares_first_edits_and_looks_but_no_refinement(bench: Bench) -> None:
    bench.refine()
    other = Scripted(name="another")
    bench.refine(executor=other)
    assert bench.calls == (3, 3, 3)
    assert len(other.requests) == 3
    assert len({case.pipeline for case in bench.found}) == 2


def test_one_edit_for_all_and_one_for_each_are_kept_apart(bench: Bench) -> None:
    bench.refine(chained=False)
    bench.refine(chained=True)
    assert bench.calls == (3, 3, 9)
    assert len(bench.found) == 6


def test_a_first_edit_that_was_made_anew_is_refined_anew(bench: Bench) -> None:
    bench.refine()
    old = {case.case: case.primary for case in bench.found}
    bench.model = Scripted(lambda number, request: Edited(request.image), name="model")
    bench.edit_once(fresh=True)
    assert {case.case: case.primary for case in bench.found} == old, "until it is refined anew"
    bench.refine()
    assert len(bench.executor.requests) == 6
    assert all(case.primary != old[case.case] for case in bench.found)
    assert bench.refine().edits == 0


def test_a_first_edit_that_was_made_anew_is_looked_at_anew_though_nothing_was_needed(bench: Bench) -> None:
    bench.server.script = lambda number, asked: advice()
    bench.refine()
    old = {case.case: case.primary for case in bench.found}
    bench.model = Scripted(lambda number, request: Edited(request.image), name="model")
    bench.edit_once(fresh=True)
    assert bench.refine().complete == 3
    assert bench.refine().edits == 0
    assert all(case.primary != old[case.case] for case in bench.found)


def test_removing_first_edits_removes_the_refinements_of_them(bench: Bench) -> None:
    bench.edit_once()
    bench.refine(rounds=2)
    assert remove(bench.workspace.folder, runs=[1]).steps == 3 + 6
    assert all(case.after(2).picture is None for case in bench.found)
    bench.model = Scripted(lambda number, request: Edited(request.image), name="model")
    done = bench.refine(rounds=2)
    assert (done.complete, done.edits, done.replayed) == (3, 9, 0)
    assert all(case.after(2).picture for case in bench.found)


def test_further_edits_of_a_first_edit_that_is_gone_are_not_continued(bench: Bench) -> None:
    bench.refine()
    workspace = bench.workspace
    workspace.write_together(
        [("DELETE FROM looks", ()), ("DELETE FROM steps WHERE position = 0", ())]
    ).result()  # as versions before this one left them
    bench.model = Scripted(lambda number, request: Edited(request.image), name="model")
    assert bench.refine().complete == 3
    assert bench.refine().edits == 0


def test_removing_a_model_removes_the_refinements_of_its_edits(bench: Bench) -> None:
    bench.refine()
    assert remove(bench.workspace.folder, models=["model"]).steps == 6
    assert bench.found == [] and contents(bench.workspace.folder).models == ()
    assert bench.refine().edits == 6


def test_removing_advice_removes_the_edits_that_followed_it(bench: Bench) -> None:
    def busy(number: int, request: EditRequest) -> Edited | None:
        raise Unavailable("busy")

    bench.edit_once()
    working, bench.executor = bench.executor, Scripted(busy, name="executor")
    bench.refine()
    bench.executor = working
    assert bench.refine().edits == 3
    remove(bench.workspace.folder, runs=[2])
    assert all(case.rounds == () for case in bench.found)
    bench.server.script = lambda number, asked: advice("Turn the ball")
    assert bench.refine().edits == 3
    assert {request.instruction for request in bench.executor.requests[3:]} == {"Turn the ball"}


def test_removing_a_run_that_only_replayed_removes_nothing_of_a_refinement(bench: Bench) -> None:
    bench.refine()
    before = bench.found
    bench.refine()
    remove(bench.workspace.folder, runs=[2])
    assert bench.found == before


def test_removing_the_run_of_a_later_round_leaves_the_rounds_before_it(bench: Bench) -> None:
    bench.refine(rounds=1)
    before = bench.found
    bench.refine(rounds=3)
    remove(bench.workspace.folder, runs=[2])
    assert bench.found == before
    assert bench.refine(rounds=3).edits == 6


def test_a_lost_first_edit_is_made_again_and_refined_again(bench: Bench) -> None:
    bench.refine()
    lost = bench.found[0].primary.picture
    assert lost is not None
    bench.workspace.pictures.remove([lost])
    found = find_lost(bench.workspace.folder)
    assert (found.again.edits, found.again.cost_usd) == (2, 1.0)
    assert drop_lost(bench.workspace.folder, found) == 2
    bench.model = Scripted(lambda number, request: Edited(request.image), name="model")
    done = bench.refine()
    assert (done.complete, done.edits, done.replayed) == (3, 2, 4)
    assert all(case.after(1).picture for case in bench.found)


def test_a_lost_further_edit_leaves_the_advice_before_it(bench: Bench) -> None:
    bench.refine(rounds=3)
    lost = bench.found[0].after(2).picture
    assert lost is not None
    bench.workspace.pictures.remove([lost])
    assert drop_lost(bench.workspace.folder, find_lost(bench.workspace.folder)) == 2
    assert bench.found[0].after(1).picture is not None
    assert bench.found[0].after(2).missing == "no picture: not edited yet"
    assert bench.refine(rounds=3).edits == 2


def test_a_malformed_reply_is_asked_for_again_and_then_missing_while_the_primary_stays(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    bench.server.script = lambda number, asked: completion("Looks good to me.")
    done = bench.refine()
    assert (done.complete, done.no_advice) == (0, {"unparseable": 1})
    assert bench.calls == (1, 2, 0)
    (case,) = bench.found
    assert case.primary.picture is not None
    assert case.after(1).picture is None
    assert str(case.after(1).missing).startswith("no advice: the reply holds no JSON object")
    kept = [row["reply"] for row in bench.workspace.query("SELECT reply FROM judge_attempts")]
    assert kept == ["Looks good to me."] * 2


def test_missing_advice_is_asked_for_again_only_where_that_is_wanted(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    bench.server.script = lambda number, asked: completion("Looks good to me.")
    bench.refine()
    bench.server.script = lambda number, asked: advice("Lower the ball")
    assert bench.refine().looks == 0
    assert bench.refine(retry_missing=True).looks == 1
    assert bench.found[0].after(1).picture is not None


def test_a_reasoner_that_is_down_for_a_while_is_waited_for(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    bench.server.script = lambda number, asked: failure(503, "busy") if number < 3 else advice("Lower it")
    assert bench.refine().complete == 1
    assert bench.calls == (1, 3, 1)


def test_a_reasoner_that_stays_down_is_asked_again_by_the_next_run(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    bench.server.script = lambda number, asked: failure(503, "busy")
    assert bench.refine().no_advice == {"error": 1}
    assert "503" in str(bench.found[0].after(1).missing)
    bench.server.script = lambda number, asked: advice("Lower the ball")
    assert bench.refine().complete == 1
    assert bench.calls == (1, 4, 1)


def test_an_executor_that_refuses_leaves_the_primary_and_a_reason(bench: Bench) -> None:
    def refuse(number: int, request: EditRequest) -> Edited | None:
        raise Refused("not with this one")

    bench.executor = Scripted(refuse, name="executor")
    done = bench.refine(rounds=2)
    assert (done.complete, done.failures) == (0, {"refused": 3})
    for case in bench.found:
        assert case.primary.picture is not None
        assert case.after(2).missing == "no picture: not with this one"
    bench.refine(rounds=2)
    assert len(bench.executor.requests) == 3, "a refusal is final"


def test_a_chain_that_breaks_has_no_refined_picture(bench: Bench) -> None:
    def break_at_second(number: int, request: EditRequest) -> Edited | None:
        if request.instruction == "Add its shadow":
            raise Unavailable("gone")
        return None

    bench.cases = bench.cases[:1]
    bench.executor = Scripted(break_at_second, name="executor")
    bench.refine(chained=True)
    assert bench.found[0].after(1).missing == "no picture: gone"


def test_a_primary_that_fails_is_looked_at_by_nobody(bench: Bench) -> None:
    def refuse(number: int, request: EditRequest) -> Edited | None:
        raise Refused("no faces")

    bench.model = Scripted(refuse, name="model")
    assert bench.refine().complete == 0
    assert bench.calls == (3, 0, 0)
    assert {case.after(1).missing for case in bench.found} == {"no picture: no faces"}


def test_a_reasoner_without_a_key_ends_the_run_and_says_why(bench: Bench) -> None:
    bench.server.script = lambda number, asked: failure(401, "no such key")
    done = bench.refine()
    assert "was rejected" in done.unusable[open_judge(bench.server.name).facts.name]
    bench.server.script = lambda number, asked: advice()
    assert bench.refine().complete == 3


def test_no_more_is_spent_than_is_allowed_and_it_goes_on_with_more(bench: Bench) -> None:
    done = bench.refine(max_cost_usd=2.0, concurrency=1)
    assert done.out_of_budget
    assert done.spent_usd == 2.0
    assert bench.refine(max_cost_usd=2.0).complete == 3
    assert sum(map(len, (bench.model.requests, bench.executor.requests))) == 6


def test_cases_that_ask_the_same_share_one_answer(bench: Bench) -> None:
    case = bench.cases[0]
    bench.cases = (case, Case("twin", case.sources, case.forward))
    bench.server.script = lambda number, asked: Answer(advice().body, after_seconds=0.05)
    bench.refine()
    assert bench.calls == (2, 1, 0)


def test_a_reasoner_sees_the_original_and_the_original_instruction_in_every_round(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    seen: list[Asked] = []

    def note(number: int, asked: Asked) -> Answer:
        seen.append(asked)
        return advice(f"Do {number}")

    bench.server.script = note
    bench.refine(rounds=3)
    assert len({asked.pictures[0] for asked in seen}) == 1
    assert len({asked.pictures[1] for asked in seen}) == 3
    assert all("Add a red ball." in " ".join(asked.texts) for asked in seen)
    assert not any("Do 1" in text for asked in seen for text in asked.texts)


def test_to_other_commands_a_refinement_is_its_first_edits_alone(bench: Bench) -> None:
    """Its further edits have inputs and instructions of their own, which only `refine` knows how to judge."""
    bench.refine()
    seen = judging_candidates(bench.workspace, [rubric("reedit_if")])
    assert {one.place.model for one in seen} == {"model"}
    assert {one.task.subject.texts["instruction"] for one in seen} == {"Add a red ball."}
