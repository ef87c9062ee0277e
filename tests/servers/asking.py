"""Asking an editor: once and directly, or through the engine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import passing_time
from convergebench.engine import Patience, Plan, RunLimits, RunOutcome, run_plan
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import Case, Edited, Editor, EditRequest
from made_pictures import textured
from servers.base import LoopbackServer

SOURCE = Picture.from_pixels(textured(seed=1))
RESULT = Picture.from_pixels(textured(seed=2))
SEED = 1234


def ask(editor: Editor, *images: Picture, instruction: str = "Add a red ball.") -> Edited:
    """One edit, with nothing between the test and the editor."""
    return asyncio.run(_once(editor, EditRequest(images or (SOURCE,), instruction, SEED)))


def ask_and_wait_in_vain(editor: Editor, server: LoopbackServer, ending: str = "") -> Edited:
    """One edit, for which an hour passes as soon as the editor asks the server for a path, with this ending,
    once more."""

    async def asked() -> Edited:
        edit = asyncio.create_task(_once(editor, EditRequest((SOURCE,), "Add a red ball.", SEED)))
        while not (server.is_asked_again(ending) or edit.done()):  # noqa: ASYNC110 - the server is a thread
            await asyncio.sleep(0.01)
        passing_time.let_pass(3600)
        return await edit

    return passing_time.run(asked())


async def _once(editor: Editor, request: EditRequest) -> Edited:
    try:
        return await editor.edit(request)
    finally:
        await editor.close()


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
