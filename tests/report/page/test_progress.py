"""How far a run is, on the live page."""

from __future__ import annotations

from typing import Any

import pytest

from convergebench.report.page.progress import progress_section
from convergebench.results import Records
from convergebench.store import Enrolment, Workspace
from convergebench.types import Failure, FailureKind
from report.page.filled import ROUNDS, SUITE, add_film, cases, editor, record, source_of


def start(workspace: Workspace) -> int:
    return workspace.start_run({"suite": SUITE}, "0.1.0")


def fail(workspace: Workspace, run: int, kind: FailureKind) -> None:
    """In the first edit of a second case."""
    case = cases()[1]
    enrolment = Enrolment("round_trip", SUITE, editor("steady"), case, 0, ROUNDS)
    (trajectory,) = workspace.enrol([enrolment], fresh=False)
    workspace.pictures.put(source_of(case))
    record(workspace, run, trajectory, 1, "forward", source_of(case), Failure(kind, "it broke"))


def progress(workspace: Workspace) -> dict[str, Any]:
    records = Records.of(workspace)
    steps: dict[int, list[Any]] = {}
    for step in records.steps:
        steps.setdefault(step.trajectory, []).append(step)
    found = progress_section(records, steps)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ["refused", "bad_output", "crashed", "unavailable"])
def test_nothing_is_left_of_a_chain_that_failed_in_this_run(workspace: Workspace, kind: FailureKind) -> None:
    run = start(workspace)
    add_film(workspace, run, "steady", cases()[0])
    fail(workspace, run, kind)
    found = progress(workspace)
    assert (found["planned"], found["done"]) == (4 * ROUNDS, 4 * ROUNDS)
    assert found["seconds_left"] == 0


@pytest.mark.parametrize(
    ("kind", "is_over"), [("refused", True), ("absent", True), ("bad_output", False), ("crashed", False)]
)
def test_a_chain_that_failed_in_an_earlier_run_is_left_if_it_is_tried_again(
    workspace: Workspace, kind: FailureKind, is_over: bool
) -> None:
    before = start(workspace)
    fail(workspace, before, kind)
    workspace.finish_run(before, "finished")
    add_film(workspace, start(workspace), "steady", cases()[0])
    assert progress(workspace)["done"] == (4 if is_over else 2) * ROUNDS
