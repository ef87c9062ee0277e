"""One editor through the real engine into a real workspace."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from convergebench.engine import Patience, Plan, RunLimits, RunOutcome, run_plan
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import Case, Edited, Editor, EditRequest
from made_pictures import textured

HURRY = RunLimits(patience=Patience(first_wait_seconds=0.001))


def run_cases(
    workspace: Workspace, editor: Editor, *cases: Case, rounds: int = 1, seed: int = 0
) -> RunOutcome:
    plan = Plan("tiny@0", round_trip(rounds), cases, (editor,), (seed,))
    number = workspace.start_run({"suite": plan.suite}, "test")
    return asyncio.run(run_plan(plan, workspace, MetricSet(["psnr"]), run=number, limits=HURRY))


def asking(case: Case, forward: str) -> Case:
    return replace(case, forward=forward)


def request(instruction: str = "Add a hat.", pictures: int = 1, seed: int = 3) -> EditRequest:
    images = tuple(Picture.from_pixels(textured(seed=n)) for n in range(pictures))
    return EditRequest(images, instruction, seed)


def edit_once(editor: Editor, wanted: EditRequest) -> Edited:
    """One edit without the engine."""

    async def ask() -> Edited:
        try:
            return await editor.edit(wanted)
        finally:
            await editor.close()

    return asyncio.run(ask())
