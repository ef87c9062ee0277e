"""What a run is doing: how far it is, how fast, and what it made last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from convergebench.results.records import Records
from convergebench.types import Digest

_LATEST = """
    SELECT trajectory, role, round, picture, failure, reason, at FROM steps
    WHERE run = ? ORDER BY id DESC LIMIT ?
"""
_RECENT = 200
"""Steps from which the speed is estimated."""


@dataclass(frozen=True)
class RecentStep:
    trajectory: int
    role: str
    round: int
    picture: Digest | None
    failure: str | None
    reason: str | None
    at: str


@dataclass(frozen=True)
class RunActivity:
    """The last run, if it has not ended; it may also have been killed."""

    run: int
    started: str
    edits: int
    """Made by this run, failed ones included."""
    cost_usd: float | None
    """None if the cost of an edit is unknown."""
    latest: tuple[RecentStep, ...]
    """The newest first."""

    @property
    def edits_per_second(self) -> float | None:
        """Over the latest steps; None for fewer than three."""
        if len(self.latest) < 3:
            return None
        last, first = (datetime.fromisoformat(step.at) for step in (self.latest[0], self.latest[-1]))
        seconds = (last - first).total_seconds()
        return (len(self.latest) - 1) / seconds if seconds > 0 else None


def run_activity(records: Records) -> RunActivity | None:
    """None if no run is going on."""
    unfinished = [run for run in records.runs if run.finished is None]
    if not unfinished or unfinished[-1] is not records.runs[-1]:
        return None
    run = unfinished[-1]
    query = records.workspace.query
    ((edits, priced, cost),) = query(
        "SELECT count(*), count(cost_usd), sum(cost_usd) FROM steps WHERE run = ?", run.id
    )
    latest = tuple(RecentStep(*row) for row in query(_LATEST, run.id, _RECENT))
    return RunActivity(run.id, run.started, edits, cost if priced == edits else None, latest)
