"""Asking an editor: once and directly, or through the engine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from convergebench.engine import Patience, Plan, RunLimits, RunOutcome, run_plan
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import Case, Edited, Editor, EditRequest
from made_pictures import textured

SOURCE = Picture.from_pixels(textured(seed=1))
RESULT = Picture.from_pixels(textured(seed=2))
SEED = 1234


def ask(editor: Editor, *images: Picture, instruction: str = "Add a red ball.") -> Edited:
    """One edit, with nothing between the test and the editor."""

    async def once() -> Edited:
        try:
            return await editor.edit(EditRequest(images or (SOURCE,), instruction, SEED))
        finally:
            await editor.close()

    return asyncio.run(once())


@dataclass(frozen=True)
class Row:
    failure: str | None
    reason: str | None
    attempts: int
    cost_usd: float | None


def round_trip_rows(workspace: Workspace, editor: Editor, case: Case) -> tuple[RunOutcome, list[Row]]:
    """One round with up to three hasty attempts at an edit, and what the workspace then says of it."""
    plan = Plan("tiny@0", round_trip(1), (case,), (editor,), (0,))
    number = workspace.start_run({}, "test")
    patience = Patience(attempts=3, first_wait_seconds=0.001)
    outcome = asyncio.run(
        run_plan(plan, workspace, MetricSet(["psnr"]), run=number, limits=RunLimits(1, patience=patience))
    )
    rows = workspace.query("SELECT failure, reason, attempts, cost_usd FROM steps ORDER BY id")
    return outcome, [Row(*row) for row in rows]
