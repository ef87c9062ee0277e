"""What a workspace has cost, over all runs and processes, with what is set aside for calls in flight."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import Future

from convergebench.store.workspace import Workspace

_ROUNDING_USD = 1e-6
_TOTAL = "SELECT coalesce(sum(coalesce(charged_usd, reserved_usd)), 0) FROM spending"


def total_spent_usd(workspace: Workspace) -> float:
    """A call whose reply was never seen counts with what was set aside for it."""
    ((total,),) = workspace.query(_TOTAL)
    return float(total)


class WorkspaceSpending:
    """The ledger of one run. `most_usd` holds for the workspace; None records without a limit."""

    def __init__(self, workspace: Workspace, run: int, most_usd: float | None) -> None:
        self._workspace = workspace
        self._run = run
        self._most_usd = most_usd

    async def reserve(self, usd: float) -> int | None:
        """An entry for this amount, on the disk; None if the workspace's total would pass its limit."""

        def write(db: sqlite3.Connection) -> int | None:
            if self._most_usd is not None:
                ((total,),) = db.execute(_TOTAL).fetchall()
                if total + usd > self._most_usd + _ROUNDING_USD:
                    return None
            sql = "INSERT INTO spending (run, reserved_usd) VALUES (?, ?) RETURNING id"
            ((entry,),) = db.execute(sql, (self._run, usd)).fetchall()
            return int(entry)

        writing = self._workspace.submit(write)
        try:
            return await asyncio.wrap_future(writing)
        except asyncio.CancelledError:
            writing.add_done_callback(self._settle_unused)  # it is written, and nobody will call
            raise

    def _settle_unused(self, written: Future[int | None]) -> None:
        if not written.exception() and (entry := written.result()) is not None:
            self.settle(entry, 0.0)

    async def record(self, usd: float) -> None:
        """A charge for which nothing was set aside, on the disk."""
        sql = "INSERT INTO spending (run, reserved_usd, charged_usd) VALUES (?, ?, ?)"
        written = self._workspace.write_rows(sql, [(self._run, usd, usd)])
        await asyncio.wrap_future(written)

    def settle(self, entry: int, usd: float) -> None:
        self._workspace.write_rows("UPDATE spending SET charged_usd = ? WHERE id = ?", [(usd, entry)])
