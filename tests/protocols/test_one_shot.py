from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from convergebench.engine import Plan, RunOutcome, run_plan
from convergebench.metrics import MetricSet
from convergebench.protocols import one_shot
from convergebench.store import Workspace
from convergebench.types import Case, Editor, SourcePicture
from scripted import Scripted


def run_once(workspace: Workspace, editor: Editor, case: Case) -> RunOutcome:
    plan = Plan("tiny@0", one_shot(), (case,), (editor,), (0,))
    number = workspace.start_run({"suite": plan.suite}, "test")
    return asyncio.run(run_plan(plan, workspace, MetricSet(["ms_ssim"]), run=number))


def test_a_case_is_edited_once_and_compared_with_nothing(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    outcome = run_once(workspace, Scripted(), make_case())
    assert (outcome.complete, outcome.edits) == (1, 1)
    (step,) = workspace.steps(1)
    assert (step.role, step.round, step.instruction) == ("edit", 1, "Add a red ball.")
    assert workspace.query("SELECT * FROM measurements") == []


def test_the_editor_gets_all_pictures_of_the_case_in_order(
    workspace: Workspace, make_case: Callable[..., Case], make_source: Callable[..., SourcePicture]
) -> None:
    sources = (make_source("one"), make_source("two", seed=1), make_source("three", seed=2))
    editor = Scripted()
    run_once(workspace, editor, replace(make_case(), sources=sources))
    (request,) = editor.requests
    assert [image.digest for image in request.images] == [source.digest for source in sources]


def test_a_second_run_asks_for_nothing(workspace: Workspace, make_case: Callable[..., Case]) -> None:
    run_once(workspace, Scripted(), make_case())
    again = Scripted()
    assert run_once(workspace, again, make_case()).replayed == 1
    assert again.requests == []
