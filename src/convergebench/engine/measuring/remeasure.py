"""Measuring what a workspace holds already: every return that lacks a value, in the line that a run uses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from convergebench.engine.editing.source_cache import OPEN_SOURCES
from convergebench.engine.measuring.measurement_queue import MeasurementQueue, PairMeasurer
from convergebench.engine.progress import RunProgress
from convergebench.metrics import MetricSet
from convergebench.protocols import RETURN_ROLES
from convergebench.results.trajectories import trajectory_ids
from convergebench.store import Workspace
from convergebench.types import Digest, PictureFacts


@dataclass(frozen=True)
class Returns:
    """Different pictures that one trajectory came back with, and what it started from."""

    source: Digest
    pictures: tuple[PictureFacts, ...]


def returns_of(workspace: Workspace) -> Iterator[Returns]:
    """Every trajectory's returns, less those that an earlier one has too."""
    seen: set[tuple[Digest, Digest]] = set()
    for trajectory in trajectory_ids(workspace):
        steps = workspace.steps(trajectory)
        made = [step.outcome for step in steps if step.role in RETURN_ROLES]
        pictures = {outcome.digest: outcome for outcome in made if isinstance(outcome, PictureFacts)}
        source = steps[0].inputs[0] if steps else ""
        new = tuple(facts for digest, facts in pictures.items() if (source, digest) not in seen)
        seen.update((source, facts.digest) for facts in new)
        if new:
            yield Returns(source, new)


async def measure_workspace(workspace: Workspace, ruler: MetricSet, watch: RunProgress) -> int:
    """Measure and record what was never tried, or lacked weights that are here now; how many returns."""
    errors: list[Exception] = []
    line = MeasurementQueue(PairMeasurer(ruler), workspace, watch, errors.append, batch=ruler.batch_size)
    source = lru_cache(OPEN_SOURCES)(workspace.pictures.load)
    gauge, count = PairMeasurer(ruler), 0
    for returns in returns_of(workspace):
        known = workspace.measured([returns.source], [facts.digest for facts in returns.pictures])
        reference = await asyncio.to_thread(source, returns.source)
        for facts in returns.pictures:
            pair = (reference, workspace.pictures.open(facts))
            if not errors and gauge.lacks(pair, known):
                count += 1
                await line.offer(pair, known)
    await line.finish()
    if errors:
        raise errors[0]
    return count
