"""A server that fails every fifth request at random, in five ways: the cases complete, and every request that
it got is accounted for."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import pytest

from convergebench.editors import open_editor
from convergebench.engine import Patience, Plan, RunLimits, RunOutcome, run_plan
from convergebench.metrics import MetricSet
from convergebench.picture import Picture, digest_of
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import Case, Digest
from scripted import brighter
from servers.openai_images import OpenAIServer

CASES = 24
ROUNDS = 3
EDITS = CASES * ROUNDS * 2
FAILING = 0.2
WAYS_TO_FAIL = ("server_error", "rate_limited", "reset", "truncated", "not_a_picture")

Request: TypeAlias = tuple[Digest, str]
"""Input picture and prompt. No two steps share both: every answer is brighter than what it is made of."""


class FlakyServer(OpenAIServer):
    """Answers with the picture it was given, a little brighter, unless it fails."""

    def __init__(self) -> None:
        super().__init__(needs_key=False)
        self.words: list[str] = []
        self._chance = random.Random(3)

    def next_word(self) -> str:
        fails = self._chance.random() < FAILING
        self.words.append(self._chance.choice(WAYS_TO_FAIL) if fails else "success")
        (_, given, _) = self.asked[-1].files[0]
        self.picture = brighter(Picture.from_bytes(given)).encoded
        return self.words[-1]

    def requests(self, *words: str) -> Counter[Request]:
        """How often it was asked for each edit, among the requests that it met with these words."""
        return Counter(
            (digest_of(asked.files[0][1]), asked.fields["prompt"])
            for asked, word in zip(self.asked, self.words, strict=True)
            if word in words
        )


@pytest.fixture
def cases(make_case: Callable[..., Case]) -> tuple[Case, ...]:
    return tuple(make_case(f"picture{number}", seed=number) for number in range(CASES))


def run_once(workspace: Workspace, server: FlakyServer, cases: tuple[Case, ...], attempts: int) -> RunOutcome:
    editor = open_editor(f"server:flaky?base_url={server.url}/v1")
    plan = Plan("tiny@0", round_trip(ROUNDS), cases, (editor,), (0,))
    return asyncio.run(
        run_plan(
            plan,
            workspace,
            MetricSet(["psnr"]),
            run=workspace.start_run({}, "test"),
            limits=RunLimits(8, patience=Patience(attempts, first_wait_seconds=0.001)),
        )
    )


def recorded_attempts(workspace: Workspace) -> Counter[Request]:
    attempts: Counter[Request] = Counter()
    for row in workspace.query("SELECT inputs, instruction, attempts FROM steps"):
        (given,) = json.loads(row["inputs"])
        attempts[given, row["instruction"]] += row["attempts"]
    return attempts


def finished_edits(workspace: Workspace) -> Counter[Request]:
    rows = workspace.query("SELECT inputs, instruction FROM steps WHERE picture IS NOT NULL")
    return Counter((*json.loads(row["inputs"]), row["instruction"]) for row in rows)


def check_the_books(workspace: Workspace, server: FlakyServer) -> None:
    assert set(server.words) == {"success", *WAYS_TO_FAIL}
    succeeded = server.requests("success")
    assert len(succeeded) == EDITS
    assert set(succeeded.values()) == {1}
    assert finished_edits(workspace) == succeeded
    assert recorded_attempts(workspace) == server.requests("success", *WAYS_TO_FAIL)


def test_with_patience_all_cases_complete_and_no_success_is_asked_for_again(
    workspace: Workspace, cases: tuple[Case, ...]
) -> None:
    with FlakyServer() as server:
        outcome = run_once(workspace, server, cases, attempts=12)
    assert (outcome.complete, outcome.edits, outcome.failures) == (CASES, EDITS, {})
    assert EDITS * 1.1 < len(server.asked) < EDITS * 1.5
    check_the_books(workspace, server)


def test_without_patience_running_again_completes_them_and_no_success_is_asked_for_again(
    workspace: Workspace, cases: tuple[Case, ...]
) -> None:
    with FlakyServer() as server:
        outcomes = [run_once(workspace, server, cases, attempts=1)]
        while outcomes[-1].complete < CASES and len(outcomes) < 20:
            outcomes.append(run_once(workspace, server, cases, attempts=1))
    failed = sum((outcome.failures for outcome in outcomes), Counter())
    assert outcomes[0].complete < CASES == outcomes[-1].complete
    assert failed.total() == len(server.asked) - EDITS
    assert set(failed) == {"unavailable", "rate_limited", "bad_output"}
    check_the_books(workspace, server)
