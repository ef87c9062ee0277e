"""Steps: the latest record of every position of every trajectory."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Collection, Iterable
from operator import itemgetter
from typing import Any, NamedTuple

from convergebench.results.generations import hidden_positions, ids_in
from convergebench.store import Workspace
from convergebench.types import Digest, FailureKind, PictureFacts

_STEPS = """
    SELECT trajectory, position, role, round, instruction, inputs, picture, width, height, media_type,
           failure, reason, seconds, cost_usd, attempts, run, cost_usd AS spent_usd, id
    FROM steps WHERE run NOT IN (SELECT run FROM hidden_runs) {chosen} ORDER BY trajectory, id
"""
"""An index has them in this order, so nothing is sorted."""


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


def read_steps(workspace: Workspace, only: Collection[int] | None = None) -> list[StepRecord]:
    """By trajectory and position, without those of hidden runs and what follows them in a trajectory; of all
    trajectories, or of those with these ids."""
    hidden = hidden_positions(workspace)
    texts: dict[str, str] = {}  # one shared object for each value, instead of one for each step
    found: list[StepRecord] = []
    sql = _STEPS.format(chosen="" if only is None else f"AND trajectory IN ({ids_in(only)})")
    for trajectory, rows in itertools.groupby(workspace.each_row(sql), key=itemgetter(0)):
        found += _latest(_records(rows, hidden.get(trajectory, math.inf), texts))
    return found


def _records(rows: Iterable[tuple[Any, ...]], end: float, texts: dict[str, str]) -> list[StepRecord]:
    """Those before the position where the trajectory ends."""
    steps = []
    given: tuple[Digest, ...] = ()
    made: Digest | None = None
    for trajectory, position, role, round, instruction, inputs, picture, *rest in rows:
        if position >= end:
            continue
        if made is not None and inputs == f'["{made}"]':
            given = (made,)  # most steps edit the picture of the step before
        else:
            given = tuple(texts.setdefault(one, one) for one in json.loads(inputs))
        role, instruction = texts.setdefault(role, role), texts.setdefault(instruction, instruction)
        made = picture
        fields = (trajectory, position, role, round, instruction, given, picture, *rest)
        steps.append(tuple.__new__(StepRecord, fields))  # a third of the time of a call with 18 arguments
    return steps


def _latest(steps: list[StepRecord]) -> list[StepRecord]:
    """The last record of each position, with the costs of all of them."""
    if all(before.position < after.position for before, after in itertools.pairwise(steps)):
        return steps
    by_position: dict[int, list[StepRecord]] = {}
    for step in steps:
        by_position.setdefault(step.position, []).append(step)
    return [_with_costs(by_position[position]) for position in sorted(by_position)]


def _with_costs(records: list[StepRecord]) -> StepRecord:
    costs = [one.cost_usd for one in records if one.cost_usd is not None]
    return records[-1]._replace(spent_usd=math.fsum(costs) if costs else None)
