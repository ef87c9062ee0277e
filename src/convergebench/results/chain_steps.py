"""The steps of one trajectory at a time, as columns.

SQLite gathers each column of a trajectory into one text, and most of these texts are the same for many
trajectories: this takes a third of the time of one record for each step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any, overload

from convergebench.results.generations import hidden_positions
from convergebench.results.steps import StepRecord
from convergebench.store import Workspace
from convergebench.types import Digest, FailureKind

_VISIBLE = "FROM steps INDEXED BY steps_of_trajectory WHERE run NOT IN (SELECT run FROM hidden_runs)"
"""The index has the steps of each trajectory in the order of their ids."""
_COLUMNS = f"""
    SELECT trajectory, json_group_array(position), json_group_array(role), json_group_array(round),
           json_group_array(instruction), json_group_array(failure), json_group_array(reason),
           json_group_array(run), json_group_array(picture), group_concat(inputs)
    {_VISIBLE} GROUP BY trajectory
"""
_SPENDING = f"SELECT seconds, cost_usd {_VISIBLE} ORDER BY trajectory, id"
"""Apart from the others, because SQLite rounds the numbers of an array to 15 digits."""
_BETWEEN = '"],["'


@dataclass(frozen=True, slots=True)
class ChainSteps:
    """The latest record of every position of a trajectory; each column has one entry for each position."""

    trajectory: int
    positions: Sequence[int]
    roles: Sequence[str]
    rounds: Sequence[int]
    instructions: Sequence[str]
    failures: Sequence[FailureKind | None]
    reasons: Sequence[str | None]
    runs: Sequence[int]
    pictures: Sequence[Digest | None]
    inputs: Sequence[tuple[Digest, ...]]
    seconds: Sequence[float]
    cost_usd: Sequence[float | None]
    spent_usd: Sequence[float | None]
    """Includes earlier failed attempts."""

    @classmethod
    def of(cls, steps: Sequence[StepRecord]) -> ChainSteps:
        """From the records of one trajectory."""
        rows = [
            (
                step.position, step.role, step.round, step.instruction, step.failure, step.reason, step.run,
                step.picture, step.inputs, step.seconds, step.cost_usd, step.spent_usd,
            )
            for step in steps
        ]  # fmt: skip
        columns: Any = zip(*rows, strict=True)
        return cls(steps[0].trajectory, *columns)


def read_chains(workspace: Workspace) -> Iterator[ChainSteps]:
    """By trajectory, without the steps of hidden runs and what follows them; other queries wait until the
    last one."""
    hidden = hidden_positions(workspace)
    shared, ascending = lru_cache(maxsize=4096)(_array), lru_cache(maxsize=4096)(_is_ascending)
    # Both queries see the same steps, since SQLite reads all that is open at a time from one moment.
    spending = workspace.each_row(_SPENDING)
    for trajectory, *texts, made, given in workspace.each_row(_COLUMNS):
        positions, roles, rounds, instructions, failures, reasons, runs = map(shared, texts)
        pictures = json.loads(made)
        inputs = _inputs(given, pictures)
        seconds, costs = zip(*islice(spending, len(positions)), strict=True)
        steps = ChainSteps(
            trajectory, positions, roles, rounds, instructions, failures, reasons, runs, pictures, inputs,
            seconds, costs, spent_usd=costs,
        )  # fmt: skip
        end = hidden.get(trajectory, math.inf)
        if not ascending(positions) or positions[-1] >= end:
            steps = _latest(steps, end)
        if steps.positions:
            yield steps


def _array(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


def _is_ascending(positions: tuple[int, ...]) -> bool:
    return all(before < after for before, after in pairwise(positions))


@dataclass(frozen=True, slots=True)
class _FromStepBefore(Sequence[tuple[Digest, ...]]):
    """The inputs of a chain in which each step edits the picture of the step before."""

    first: tuple[Digest, ...]
    pictures: Sequence[Any]

    @overload
    def __getitem__(self, place: int) -> tuple[Digest, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[Digest, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[Digest, ...] | Sequence[tuple[Digest, ...]]:
        if isinstance(place, slice):
            return list(self)[place]
        at = range(len(self.pictures))[place]
        return (self.pictures[at - 1],) if at else self.first

    def __iter__(self) -> Iterator[tuple[Digest, ...]]:
        return chain([self.first], zip(self.pictures[:-1]))

    def __len__(self) -> int:
        return len(self.pictures)


def _inputs(text: str, pictures: Sequence[Any]) -> Sequence[tuple[Digest, ...]]:
    """The input pictures of each step, from a text such as ["a"],["b"]."""
    before = pictures[:-1]
    if before and None not in before:
        following = f',["{_BETWEEN.join(before)}"]'
        if text.endswith(following):
            return _FromStepBefore(tuple(json.loads(text.removesuffix(following))), pictures)
    return [tuple(digests) for digests in json.loads(f"[{text}]")]


def _latest(chain: ChainSteps, end: float) -> ChainSteps:
    """The last record of each position before the end, with the costs of all records of it."""
    records: dict[int, list[int]] = {}
    for place, position in enumerate(chain.positions):
        if position < end:
            records.setdefault(position, []).append(place)
    last = [records[position][-1] for position in sorted(records)]
    columns: Any = {
        name: [getattr(chain, name)[place] for place in last]
        for name in ChainSteps.__dataclass_fields__
        if name not in ("trajectory", "spent_usd")
    }
    spent = [_total([chain.cost_usd[place] for place in records[position]]) for position in sorted(records)]
    return replace(chain, **columns, spent_usd=spent)


def _total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known else None
