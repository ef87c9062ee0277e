"""Metrics on Ray actors, instead of metrics in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from convergebench.engine.measuring.items import Item, Kind, as_facts
from convergebench.engine.measuring.measurement_queue import Measurer, Row
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.ray.actors import MetricActor
from convergebench.engine.ray.messages import MeasurableMessage, MeasureMessage
from convergebench.engine.ray.replica import RayReplica
from convergebench.engine.ray.replica_pool import ReplicaPool, Scale
from convergebench.metrics import MetricOptions, MetricSet
from convergebench.store import MeasurementKey, PictureStore
from convergebench.types import Share

Workers: TypeAlias = ReplicaPool[MeasureMessage | MeasurableMessage, Any]


class RemoteMetricSet(MetricSet):
    """A metric set whose weights are on the nodes. It knows which metrics they can measure, and loads nothing
    here."""

    def __init__(self, metrics: Sequence[str], options: MetricOptions, measurable: frozenset[str]) -> None:
        super().__init__(metrics, options)
        self._measurable = measurable

    def can_measure(self, name: str) -> bool:
        return name in self._measurable

    def has_weights(self, name: str) -> bool:
        return name in self._measurable


class RemoteMeasurer:
    """Finds the work like the local measurer, and has it measured on the nodes."""

    def __init__(self, kind: Kind, near: Measurer[Any], workers: Workers) -> None:
        self._kind = kind
        self._near = near
        self._workers = workers
        self._loop = asyncio.get_running_loop()

    def lacks(self, item: Item, known: Mapping[MeasurementKey, bool]) -> bool:
        return self._near.lacks(item, known)

    def measure(self, items: Sequence[Item]) -> list[Row]:
        message = MeasureMessage(self._kind, [as_facts(item) for item in items])
        rows: list[Row] = asyncio.run_coroutine_threadsafe(self._workers.ask(message), self._loop).result()
        return rows


class RemoteMetrics:
    """Metric workers, and the measurers that use them."""

    def __init__(
        self,
        metrics: Sequence[str],
        options: MetricOptions,
        pictures: PictureStore,
        share: Share,
        scale: Scale,
    ) -> None:
        self._metrics, self._options, self._pictures = tuple(metrics), options, pictures
        start = partial(RayReplica.start, MetricActor, share, self._metrics, options, pictures.place)
        self._scale = scale
        self._workers: Workers = ReplicaPool("the metrics", start, scale)

    async def measurers(self) -> Measurers:
        metric_set = RemoteMetricSet(self._metrics, self._options, await self._measurable())
        near = Measurers.here(metric_set, self._pictures)
        by_kind: dict[Kind, Measurer[Any]] = {
            kind: RemoteMeasurer(kind, measurer, self._workers) for kind, measurer in near.by_kind.items()
        }
        at_once = 2 * self._scale.most
        return Measurers(by_kind, at_once, full_at_once=at_once, batch=near.batch, kinds=near.kinds)

    async def close(self) -> None:
        await self._workers.close()

    async def _measurable(self) -> frozenset[str]:
        """The metrics for which the nodes have weights, as reported by one of them."""
        if not any(facts.needs_weights for facts in MetricSet(self._metrics, self._options).facts):
            return frozenset()
        return frozenset(await self._workers.ask(MeasurableMessage()))
