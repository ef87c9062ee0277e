"""Metrics on Ray actors, in place of those of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from convergebench.engine.directions import ForwardEdit
from convergebench.engine.gauges import Gauges
from convergebench.engine.measuring import Gauge, Pair, Row
from convergebench.engine.ray_actors import MetricActor
from convergebench.engine.ray_messages import MeasurableAsked, PairsAsked, Which
from convergebench.engine.ray_replica import RayReplica
from convergebench.engine.replicas import Replicas, Scale
from convergebench.metrics import MetricOptions, Ruler
from convergebench.store import Tried
from convergebench.types import Share

Workers: TypeAlias = Replicas[PairsAsked | MeasurableAsked, Any]


class FarRuler(Ruler):
    """A ruler whose weights are on the nodes: it knows what they can measure, and loads nothing here."""

    def __init__(self, metrics: Sequence[str], options: MetricOptions, measurable: frozenset[str]) -> None:
        super().__init__(metrics, options)
        self._measurable = measurable

    def can_measure(self, name: str) -> bool:
        return name in self._measurable


class FarGauge:
    """Knows what is to be measured, as the near one does, and has it done elsewhere."""

    def __init__(self, which: Which, near: Gauge[Any], workers: Workers) -> None:
        self._which = which
        self._near = near
        self._workers = workers
        self._loop = asyncio.get_running_loop()

    def lacks(self, item: Pair | ForwardEdit, known: Mapping[Tried, bool]) -> bool:
        return self._near.lacks(item, known)

    def measure(self, items: Sequence[Pair | ForwardEdit]) -> list[Row]:
        pairs = [(item[0].facts, item[1].facts) for item in items]
        instructions = [item.instruction for item in items if isinstance(item, ForwardEdit)]
        asked = PairsAsked(self._which, pairs, instructions)
        rows: list[Row] = asyncio.run_coroutine_threadsafe(self._workers.ask(asked), self._loop).result()
        return rows


class FarMetrics:
    """Metric workers and the gauges that use them."""

    def __init__(
        self, metrics: Sequence[str], options: MetricOptions, place: str, share: Share, scale: Scale
    ) -> None:
        self._metrics, self._options = tuple(metrics), options
        start = partial(RayReplica.start, MetricActor, share, self._metrics, options, place)
        self._scale = scale
        self._workers: Workers = Replicas("the metrics", start, scale)

    async def gauges(self) -> Gauges:
        near = Gauges.of(FarRuler(self._metrics, self._options, await self._measurable()))
        return Gauges(
            FarGauge("returns", near.returns, self._workers),
            FarGauge("changes", near.changes, self._workers),
            FarGauge("directions", near.directions, self._workers),
            at_once=2 * self._scale.most,
            batch=near.batch,
        )

    async def close(self) -> None:
        await self._workers.close()

    async def _measurable(self) -> frozenset[str]:
        """Which metrics the nodes have the weights for, asked of one of them."""
        if not any(facts.needs_weights for facts in Ruler(self._metrics, self._options).facts):
            return frozenset()
        return frozenset(await self._workers.ask(MeasurableAsked()))
