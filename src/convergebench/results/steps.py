"""Steps: the latest record of every position of every trajectory."""

from __future__ import annotations

import json
from typing import NamedTuple

from convergebench.results.generations import hidden_positions
from convergebench.store import Workspace
from convergebench.types import Digest, FailureKind, PictureFacts

_STEPS = """
    SELECT trajectory, position, role, round, instruction, inputs, picture, width, height, media_type,
           failure, reason, seconds, cost_usd, attempts, run, sum(cost_usd), max(id)
    FROM steps WHERE run NOT IN (SELECT run FROM hidden_runs)
    GROUP BY trajectory, position ORDER BY trajectory, position
"""


class StepRecord(NamedTuple):
    """A named tuple, since there can be very many."""

    trajectory: int
    position: int
    role: str
    round: int
    instruction: str
    inputs: tuple[Digest, ...]
    picture: Digest | None
    width: int | None
    height: int | None
    media_type: str | None
    failure: FailureKind | None
    reason: str | None
    seconds: float
    cost_usd: float | None
    attempts: int
    run: int
    spent_usd: float | None
    """Includes earlier failed attempts."""
    id: int

    @property
    def facts(self) -> PictureFacts | None:
        """Of the picture, if there is one."""
        if self.picture is None or self.width is None or self.height is None or self.media_type is None:
            return None
        return PictureFacts(self.picture, self.width, self.height, self.media_type)


def read_sources(workspace: Workspace) -> dict[int, tuple[Digest, ...]]:
    """The source pictures of every trajectory that has a step."""
    rows = workspace.each_row("SELECT trajectory, inputs FROM steps WHERE position = 0 GROUP BY trajectory")
    return {trajectory: tuple(json.loads(inputs)) for trajectory, inputs in rows}


def read_steps(workspace: Workspace) -> list[StepRecord]:
    """By trajectory and position, without those of hidden runs and what follows them in a trajectory."""
    hidden = hidden_positions(workspace)
    texts: dict[str, str] = {}  # one shared object for each value, instead of one for each step
    found = []
    for row in workspace.each_row(_STEPS):
        trajectory, position, role, round, instruction, inputs, *rest = row
        if hidden and position >= hidden.get(trajectory, position + 1):
            continue
        role, instruction = texts.setdefault(role, role), texts.setdefault(instruction, instruction)
        given = tuple(json.loads(inputs))
        found.append(StepRecord(trajectory, position, role, round, instruction, given, *rest))
    return found
