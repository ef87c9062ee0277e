"""Measures an existing workspace: everything that its chains lack, with the queues of a run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from functools import lru_cache
from typing import get_args

from convergebench.engine.editing.source_cache import OPEN_SOURCES
from convergebench.engine.measuring.chain import ChainMeasurements, chain_contexts
from convergebench.engine.measuring.items import Item, Kind, PicturePair, ReportedReturn
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.measuring.session_turns import SessionMeasurements, turn_references
from convergebench.engine.progress import RunProgress
from convergebench.errors import LostPicture
from convergebench.instructions.captions import written_captions
from convergebench.metrics import MetricSet
from convergebench.protocols import BY_TURN, RETURN_ROLES, RETURNING
from convergebench.protocols.base import TURN_ROLES
from convergebench.results import Records
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.store import MeasurementKey, Workspace
from convergebench.types import Digest, PictureFacts, Step, is_portrait

log = logging.getLogger("convergebench")

EVERY_KIND: tuple[Kind, ...] = get_args(Kind)
OF_RETURNS: tuple[Kind, ...] = ("returns", "regions", "targets", "captions", "sampled")
RESULT_ROLES = frozenset((*RETURN_ROLES, *TURN_ROLES))


async def measure_workspace(
    workspace: Workspace,
    metric_set: MetricSet,
    progress: RunProgress,
    trajectories: Collection[int] | None = None,
    kinds: Collection[Kind] = OF_RETURNS,
) -> int:
    """Measure and record values that were never tried, or lacked weights that are now available. Returns the
    number of results among them, as `count_results` counts.

    Covers all trajectories, unless some are named.
    """
    return await _Remeasuring(workspace, metric_set, progress, kinds).run(trajectories)


def count_results(workspace: Workspace) -> int:
    """Different pictures that returned to the same source, or that turns of sessions made of it."""
    sources: dict[int, Digest] = {}
    found: set[tuple[Digest, Digest]] = set()
    for step in Records.of(workspace).steps:
        if step.picture is not None:
            source = sources.setdefault(step.trajectory, step.inputs[0])
            if step.role in RESULT_ROLES:
                found.add((source, step.picture))
    return len(found)


class _Remeasuring:
    def __init__(
        self, workspace: Workspace, metric_set: MetricSet, progress: RunProgress, kinds: Collection[Kind]
    ) -> None:
        self._workspace = workspace
        self._kinds = kinds
        self._errors: list[Exception] = []
        self._measurers = Measurers.of(metric_set, workspace.pictures)
        self._queues = self._measurers.queues(workspace, progress, self._errors.append)
        self._source = lru_cache(OPEN_SOURCES)(workspace.pictures.load)
        self._offered: set[tuple[Kind, Digest, Digest]] = set()
        self._results: set[tuple[Digest, Digest]] = set()

    async def run(self, trajectories: Collection[int] | None) -> int:
        try:
            await self._offer_chains(trajectories)
        except Exception as error:  # the queues are finished all the same
            self._errors.append(error)
        for queue in self._queues.values():
            await queue.finish()
        if self._errors:
            raise self._errors[0]
        return len(self._results)

    async def _offer_chains(self, trajectories: Collection[int] | None) -> None:
        for trajectory in {one.id: one for one in Records.of(self._workspace).trajectories}.values():
            if self._errors:
                break
            if trajectories is not None and trajectory.id not in trajectories:
                continue
            try:
                await self._offer_chain(trajectory)
            except LostPicture as error:
                log.warning("not measured: %s", error)

    async def _offer_chain(self, trajectory: TrajectoryRecord) -> None:
        steps = [step for step in self._workspace.steps(trajectory.id) if _picture(step)]
        if not steps or trajectory.protocol not in (*RETURNING, *BY_TURN):
            return
        source = await asyncio.to_thread(self._source, steps[0].inputs[0])
        pair, category, hints = trajectory.case.pair, trajectory.case.category, trajectory.case.hints
        chain: ChainMeasurements | SessionMeasurements
        if trajectory.protocol in BY_TURN:
            contexts = turn_references(steps, hints)
            chain = SessionMeasurements(source, hints, self._workspace.pictures.load)
        else:
            contexts = chain_contexts(steps, source.digest, pair, category, RETURN_ROLES)
            written = written_captions(trajectory.case.forward, hints)
            chain = ChainMeasurements(
                source, RETURN_ROLES, pair, category, written, rounds=trajectory.rounds,
                is_portrait=is_portrait(trajectory.case.kind, trajectory.case.picture),
            )  # fmt: skip
        pictures = [facts.digest for step in steps if (facts := _picture(step))]
        known = self._workspace.measured([source.digest, *pictures, *contexts], pictures)
        for step in steps:
            facts = _picture(step)
            assert facts is not None
            picture = self._workspace.pictures.open(facts)
            for kind, item in chain.of_step(step, picture):
                lacks = await self._offer(kind, item, known)
                if lacks and kind in OF_RETURNS and step.role in RESULT_ROLES:
                    self._results.add((source.digest, facts.digest))
                if self._errors:
                    return

    async def _offer(self, kind: Kind, item: Item, known: dict[MeasurementKey, bool]) -> bool:
        """Each once, even if several chains contain it. Returns whether it lacks a value."""
        if kind not in self._kinds or not self._measurers.by_kind[kind].lacks(item, known):
            return False
        if isinstance(item, PicturePair | ReportedReturn):
            key = (kind, item.reference.digest, item.picture.digest)
            if key in self._offered:
                return True
            self._offered.add(key)
        await self._queues[kind].offer(item, known)
        return True


def _picture(step: Step) -> PictureFacts | None:
    return step.outcome if isinstance(step.outcome, PictureFacts) else None
