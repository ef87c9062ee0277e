"""Metrics on Ray actors, in place of those of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from convergebench.engine.measuring.clip_direction import ForwardEdit
from convergebench.engine.measuring.measurement_queue import Measurer, PicturePair, Row
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.ray.actors import MetricActor
from convergebench.engine.ray.messages import MeasurableMessage, PairsMessage, Which
from convergebench.engine.ray.replica import RayReplica
from convergebench.engine.ray.replica_pool import ReplicaPool, Scale
from convergebench.metrics import MetricOptions, MetricSet
from convergebench.store import MeasurementKey
from convergebench.types import Share

Workers: TypeAlias = ReplicaPool[PairsMessage | MeasurableMessage, Any]


class RemoteMetricSet(MetricSet):
    """A ruler whose weights are on the nodes: it knows what they can measure, and loads nothing here."""

    def __init__(self, metrics: Sequence[str], options: MetricOptions, measurable: frozenset[str]) -> None:
        super().__init__(metrics, options)
        self._measurable = measurable

    def can_measure(self, name: str) -> bool:
        return name in self._measurable


class RemoteMeasurer:
    """Knows what is to be measured, as the near one does, and has it done elsewhere."""

    def __init__(self, which: Which, near: Measurer[Any], workers: Workers) -> None:
        self._which = which
        self._near = near
        self._workers = workers
        self._loop = asyncio.get_running_loop()

    def lacks(self, item: PicturePair | ForwardEdit, known: Mapping[MeasurementKey, bool]) -> bool:
        return self._near.lacks(item, known)

    def measure(self, items: Sequence[PicturePair | ForwardEdit]) -> list[Row]:
        pairs = [(item[0].facts, item[1].facts) for item in items]
        instructions = [item.instruction for item in items if isinstance(item, ForwardEdit)]
        asked = PairsMessage(self._which, pairs, instructions)
        rows: list[Row] = asyncio.run_coroutine_threadsafe(self._workers.ask(asked), self._loop).result()
        return rows


class RemoteMetrics:
    """Metric workers and the gauges that use them."""

    def __init__(
        self, metrics: Sequence[str], options: MetricOptions, place: str, share: Share, scale: Scale
    ) -> None:
        self._metrics, self._options = tuple(metrics), options
        start = partial(RayReplica.start, MetricActor, share, self._metrics, options, place)
        self._scale = scale
        self._workers: Workers = ReplicaPool("the metrics", start, scale)

    async def gauges(self) -> Measurers:
        near = Measurers.of(RemoteMetricSet(self._metrics, self._options, await self._measurable()))
        return Measurers(
            RemoteMeasurer("returns", near.returns, self._workers),
            RemoteMeasurer("changes", near.changes, self._workers),
            RemoteMeasurer("directions", near.directions, self._workers),
            at_once=2 * self._scale.most,
            batch=near.batch,
        )

    async def close(self) -> None:
        await self._workers.close()

    async def _measurable(self) -> frozenset[str]:
        """Which metrics the nodes have the weights for, asked of one of them."""
        if not any(facts.needs_weights for facts in MetricSet(self._metrics, self._options).facts):
            return frozenset()
        return frozenset(await self._workers.ask(MeasurableMessage()))
