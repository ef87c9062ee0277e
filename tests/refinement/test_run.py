"""Editing and judging side by side, with scripted editors, a loopback reasoner and a loopback judge."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from convergebench.analysis.refinement.transitions import OVERALL
from convergebench.engine.refining.plan import Pipeline
from convergebench.judges import open_judge
from convergebench.refinement import PreparedRefinement, RefinementResult, RefinementSettings, carry_out
from convergebench.refinement.tables import refinement_tables
from convergebench.store import Workspace
from convergebench.types import Case, Edited, EditorFacts, EditRequest, Misconfigured, Refused
from scripted import Scripted
from servers.judge import Answer, Asked, JudgeServer, completion, failure, graded

COSTS_A_DOLLAR = "&max_tokens=100&usd_per_million_in=0&usd_per_million_out=10000"
SECONDS = 0.12


def is_look(asked: Asked) -> bool:
    return any('"instructions"' in text for text in asked.texts)


def advice(*instructions: str) -> Answer:
    return completion(json.dumps({"reasoning": "seen", "instructions": instructions}))


def answer(number: int, asked: Asked) -> Answer:
    return advice("Lower the ball") if is_look(asked) else completion(graded(asked))


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(answer) as running:
        yield running


class Bench:
    """Refines in one workspace; each picture is judged by one rubric unless told otherwise."""

    def __init__(self, workspace: Workspace, server: JudgeServer, make_case: Callable[..., Case]) -> None:
        self.workspace, self.server = workspace, server
        made = [make_case(f"case{place}", seed=place) for place in range(6)]
        self.cases = tuple(replace(case, category="physical") for case in made)
        self.model = Scripted(name="model")

    def refine(self, *, judge: str = "", **options: Any) -> RefinementResult:
        name = self.server.name
        wanted = RefinementSettings(
            ("model",), reasoner=name, judge=judge or name, **{"grades": ("category",), **options}
        )
        looks = open_judge(name) if wanted.rounds else None
        pipeline = Pipeline(self.model, looks, self.model)
        prepared = PreparedRefinement(wanted, "small@1", self.cases, (pipeline,), open_judge(wanted.judge))
        return carry_out(prepared, self.workspace)

    @property
    def questions(self) -> int:
        return sum(not is_look(asked) for asked in self.server.asked)

    @property
    def calls(self) -> tuple[int, int, int]:
        """Edits, looks and questions."""
        return len(self.model.requests), len(self.server.asked) - self.questions, self.questions


@pytest.fixture
def bench(workspace: Workspace, server: JudgeServer, make_case: Callable[..., Case]) -> Bench:
    return Bench(workspace, server, make_case)


class Slow(Scripted):
    """Takes a while for each edit, and remembers when it began and ended; its last waits until `last_may`."""

    def __init__(self, edits: int = 6, last_may: Callable[[], bool] = lambda: True) -> None:
        super().__init__(name="model")
        self.begun: list[float] = []
        self.ended: list[float] = []
        self._edits = edits
        self._last_may = last_may

    async def edit(self, request: EditRequest) -> Edited:
        self.begun.append(time.monotonic())
        await asyncio.sleep(SECONDS)
        async with asyncio.timeout(60):
            while len(self.begun) == self._edits and not self._last_may():  # noqa: ASYNC110 - a server counts
                await asyncio.sleep(0.001)
        made = await super().edit(request)
        self.ended.append(time.monotonic())
        return made


def reasons(done: RefinementResult) -> Mapping[str, int]:
    """Why verdicts are missing, and how many."""
    (overall,) = [row for row in refinement_tables(done).transitions if row.category == OVERALL]
    return overall.transitions.reasons


@pytest.mark.parametrize("rounds", [0, 1])
def test_pictures_are_judged_while_others_are_edited(bench: Bench, rounds: int) -> None:
    """The last edit waits for a question, and that for the last edit: each side goes on with the other."""
    edits = 6 * (1 + rounds)
    bench.model = slow = Slow(edits, last_may=lambda: bench.questions > 0)
    bench.server.script = lambda number, asked: replace(
        answer(number, asked), when=lambda: is_look(asked) or len(slow.begun) == edits
    )
    done = bench.refine(rounds=rounds, workers=1, judge_workers=1)
    assert done.judged is not None
    assert (done.outcome.complete, done.judged.ok) == (6, edits)


def test_a_case_is_judged_before_it_is_refined(bench: Bench) -> None:
    bench.cases = bench.cases[:1]
    bench.server.script = lambda number, asked: replace(
        answer(number, asked), when=lambda: not is_look(asked) or bench.questions > 0
    )
    answered: list[bool] = []
    bench.model = Scripted(lambda number, request: answered.append(bench.questions > 0), name="model")
    bench.refine()
    assert answered == [False, True]


def test_a_judge_that_is_down_for_good_leaves_the_edits_and_the_next_run_only_judges(bench: Bench) -> None:
    bench.server.script = lambda number, asked: (
        advice("Lower the ball") if is_look(asked) else failure(401, "no such key")
    )
    done = bench.refine(judge_workers=1)
    assert done.judged is not None
    assert (done.outcome.complete, done.judged.ok) == (6, 0)
    assert bench.calls == (12, 6, 1)
    assert "was rejected" in str(done.judged.unusable_reason)
    (why,) = reasons(done)
    assert why.startswith("primary: not judged: the key in SERVER_API_KEY was rejected")
    bench.server.script = answer
    again = bench.refine()
    assert again.judged is not None
    assert (again.outcome.edits, again.outcome.looks, again.judged.ok) == (0, 0, 12)
    assert bench.calls == (12, 6, 1 + 12)


def test_where_the_reasoner_is_down_for_good_the_first_edits_are_judged(bench: Bench) -> None:
    bench.server.script = lambda number, asked: (
        failure(401, "no such key") if is_look(asked) else completion(graded(asked))
    )
    done = bench.refine(workers=2)
    assert done.judged is not None
    assert (done.outcome.complete, done.judged.ok) == (0, len(bench.model.requests))
    assert len(done.outcome.unusable) == 1


def test_an_editor_and_a_judge_of_one_provider_take_turns_in_its_lane(bench: Bench) -> None:
    bench.model = slow = Slow()
    slow.facts = replace(slow.facts, provider="server", at_once=4)
    asked_at: list[float] = []

    def slow_judge(number: int, asked: Asked) -> Answer:
        asked_at.append(time.monotonic())
        return replace(completion(graded(asked)), after_seconds=0.03)

    bench.server.script = slow_judge
    bench.refine(rounds=0, workers=1)
    assert asked_at[0] < slow.begun[-1]
    edits = list(zip(slow.begun, slow.ended, strict=True))
    questions = [(at, at + 0.03) for at in asked_at]
    in_turn = sorted(edits + questions)
    assert len(in_turn) == 6 + 6
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(in_turn))


def test_verdicts_before_a_judge_went_down_are_kept(bench: Bench) -> None:
    bench.server.script = lambda number, asked: (
        failure(404, "no such model") if not is_look(asked) and bench.questions > 4 else answer(number, asked)
    )
    done = bench.refine(judge_workers=1)
    assert done.judged is not None
    assert (done.outcome.complete, done.judged.ok) == (6, 4)
    bench.server.script = answer
    bench.refine()
    assert bench.calls == (12, 6, 5 + 8)


def test_one_limit_of_cost_holds_edits_and_questions_together(bench: Bench) -> None:
    dear = bench.server.name + COSTS_A_DOLLAR
    done = bench.refine(judge=dear, rounds=0, workers=1, judge_workers=1, max_cost_usd=3.2)
    assert done.judged is not None
    assert done.judged.out_of_budget or done.outcome.out_of_budget
    assert done.judged.ok >= 1
    assert done.outcome.complete < 6
    spent = 0.5 * len(bench.model.requests) + 1.0 * len(bench.server.asked)
    assert done.outcome.spent_usd + done.judged.spent_usd == pytest.approx(spent)
    assert spent <= 3.2
    whole = bench.refine(judge=dear, rounds=0)
    assert whole.judged is not None
    assert (whole.outcome.complete, whole.judged.ok) == (6, 6)
    assert bench.calls == (6, 0, 6)


def test_an_interrupt_ends_both_and_the_next_run_repeats_nothing(bench: Bench) -> None:
    def interrupting(number: int, asked: Asked) -> Answer:
        if not is_look(asked) and bench.questions == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return replace(
            answer(number, asked), after_seconds=0.05, when=lambda: number < 4 or bench.questions >= 2
        )

    bench.server.script = interrupting
    done = bench.refine(workers=1)
    assert done.judged is not None
    assert done.outcome.interrupted
    assert done.judged.interrupted
    assert done.outcome.complete < 6
    assert done.judged.new == bench.questions, "what was in flight is kept"
    bench.server.script = answer
    whole = bench.refine()
    assert whole.judged is not None
    assert (whole.outcome.complete, whole.judged.ok) == (6, 12)
    assert bench.calls == (12, 6, 12)


def test_a_picture_that_was_not_made_is_missing_with_its_reason_and_the_others_are_judged(
    bench: Bench,
) -> None:
    def refuse_one(number: int, request: EditRequest) -> Edited | None:
        if request.context and request.context.case == "case2/ball":
            raise Refused("no faces")
        return None

    bench.model = Scripted(refuse_one, name="model")
    done = bench.refine()
    assert bench.questions == 2 * 5
    assert reasons(done) == {"primary: no picture: no faces": 1}


def test_what_is_there_is_judged_though_the_editor_cannot_go_on(bench: Bench) -> None:
    known, bench.cases = bench.cases, bench.cases[:2]
    bench.refine()
    bench.cases = known

    def no_key(number: int, request: EditRequest) -> Edited | None:
        raise Misconfigured("no key")

    bench.model = Scripted(no_key, name="model")
    bench.cases = (*known[2:], *known[:2])
    done = bench.refine(workers=1, judge=f"{bench.server.name}&temperature=0.5")
    assert done.judged is not None
    assert (len(bench.model.requests), done.judged.ok) == (1, 2 * 2)


def test_without_rounds_the_first_edits_that_are_there_are_judged_as_they_are(bench: Bench) -> None:
    bench.refine(rounds=1)
    done = bench.refine(rounds=0)
    assert done.judged is not None
    assert (done.outcome.replayed, done.outcome.complete, done.judged.ok) == (6, 6, 6)
    assert bench.calls == (12, 6, 12)


def test_a_picture_that_stays_as_it_is_is_asked_about_once(bench: Bench) -> None:
    bench.server.script = lambda number, asked: advice() if is_look(asked) else answer(number, asked)
    done = bench.refine(rounds=3)
    assert done.judged is not None
    assert (bench.calls, done.judged.ok) == ((6, 6, 6), 6 * 4)


def test_a_primary_picture_that_is_content_is_judged_at_once_where_only_refined_ones_are(
    bench: Bench,
) -> None:
    bench.model = Slow(last_may=lambda: bench.questions > 0)
    bench.server.script = lambda number, asked: advice() if is_look(asked) else completion(graded(asked))
    bench.refine(workers=1, judge_primary=False)
    assert bench.questions == 6


def prepared(bench: Bench, judge: str, reasoner: str, price_usd: float | None) -> PreparedRefinement:
    bench.model.facts = EditorFacts("model", "1", price_usd=price_usd)
    pipeline = Pipeline(bench.model, open_judge(reasoner), bench.model)
    wanted = RefinementSettings(("model",), reasoner=reasoner, judge=judge)
    return PreparedRefinement(wanted, "small@1", bench.cases, (pipeline,), open_judge(judge))


@pytest.mark.parametrize(
    ("judge", "reasoner", "price_usd", "beside"),
    [
        ("openai:x", "openai:x", 0.0, True),
        ("vllm:x", "openai:x", 0.1, True),
        ("vllm:x", "openai:x", 0.0, False),
        ("vllm:x", "ollama:x", 0.1, False),
    ],
)
def test_a_judge_of_this_machine_waits_where_others_need_its_memory(
    bench: Bench, judge: str, reasoner: str, price_usd: float, beside: bool
) -> None:
    assert prepared(bench, judge, reasoner, price_usd).judges_beside == beside
