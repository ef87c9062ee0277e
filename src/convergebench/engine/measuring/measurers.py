"""The measurers of a run, by kind of item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from convergebench.engine.measuring.caption_measurer import CaptionMeasurer
from convergebench.engine.measuring.clip_direction import DirectionMeasurer
from convergebench.engine.measuring.gpu_sharing import start_sharing
from convergebench.engine.measuring.items import KINDS, Kind, pixels_in
from convergebench.engine.measuring.measured_apart import MeasuredApart, MeasuringProcesses, OnCores
from convergebench.engine.measuring.measurement_queue import GPU_WORKERS, WORKERS, MeasurementQueue, Measurer
from convergebench.engine.measuring.pair_measurer import PairMeasurer
from convergebench.engine.measuring.picture_passing import can_pass_pictures
from convergebench.engine.measuring.process_count import most_processes, processes_that_fit
from convergebench.engine.measuring.process_messages import Setup
from convergebench.engine.measuring.region_measurer import RegionMeasurer
from convergebench.engine.measuring.sampled_measurer import SampledMeasurer
from convergebench.engine.measuring.target_measurer import TargetMeasurer
from convergebench.engine.progress import NoProgress, RunProgress
from convergebench.metrics import MetricOptions, MetricSet, flip, regions
from convergebench.metrics.change_metrics import CHANGE_METRICS
from convergebench.metrics.metric_set import BATCH
from convergebench.store import PictureStore, Workspace

_BATCHED: Mapping[Kind, int] = {"returns": 1, "changes": 1, "regions": 2}
"""Kinds that a GPU measures in large batches, with a factor: a return comes with its forward picture."""
APART_AT_ONCE = 2
"""Batches for the processes: while they measure one, the next one is passed to them."""


@dataclass(frozen=True)
class Measurers:
    by_kind: Mapping[Kind, Measurer[Any]]
    at_once: int = WORKERS
    """Batches of each kind measured in parallel."""
    full_at_once: int = GPU_WORKERS
    """The same of those that wait until they are full, for a GPU."""
    batch: int = BATCH
    kinds: Set[Kind] = KINDS
    """Those of which something may be measured."""
    fills: Callable[[], bool] = lambda: True
    """Whether large batches wait until they are full."""

    @classmethod
    def of(cls, metric_set: MetricSet, pictures: PictureStore) -> Measurers:
        """The measurers of a run. What a GPU measures in large batches is measured by other processes."""
        here = cls.here(metric_set, pictures)
        if here.batch <= BATCH or not can_pass_pictures():
            return here
        names = [facts.name for facts in metric_set.facts if facts.name not in metric_set.sampled]
        count = most_processes()
        fitting = partial(processes_that_fit, least=0 if metric_set.options.device == "auto" else 1)
        setup = Setup(tuple(_BATCHED), names, metric_set.options, pictures.place)
        processes = MeasuringProcesses(setup, count, start_sharing, fitting)
        on_cpu = cls.here(metric_set.on_cpu(), pictures).by_kind
        apart: dict[Kind, Measurer[Any]] = {}
        for kind in _BATCHED:
            on_cores = OnCores(on_cpu[kind])
            meanwhile = on_cores if metric_set.is_quick_on_cpu else None
            otherwise = on_cores if metric_set.options.device == "auto" else here.by_kind[kind]
            apart[kind] = MeasuredApart(kind, processes, meanwhile, otherwise)
        by_kind = {**here.by_kind, **apart}
        return replace(
            here,
            by_kind=by_kind,
            full_at_once=APART_AT_ONCE,
            batch=count * here.batch,
            fills=lambda: processes.has_loaded or not metric_set.is_quick_on_cpu,
        )

    @classmethod
    def here(cls, metric_set: MetricSet, pictures: PictureStore) -> Measurers:
        """The measurers that run in this process.

        If regions are measured, ꟻLIP's own figures come from the same maps. Changes are measured only by
        metrics of the set, or results would show a metric that was not requested.
        """
        names = [facts.name for facts in metric_set.facts]
        by_region = [*regions.NAMES, *flip.NAMES] if set(names) & set(regions.NAMES) else []
        returns = metric_set.without([*by_region, *metric_set.sampled])
        changes = MetricSet(
            [name for name in names if name in CHANGE_METRICS],
            MetricOptions(device=metric_set.options.device),
            sources=1,
        )
        directions = DirectionMeasurer(returns)
        wanted = [facts for facts in metric_set.facts if facts.name in by_region]
        idle: dict[Kind, bool] = {"regions": not wanted, "directions": directions.clip_version is None}
        return cls(
            {
                "returns": PairMeasurer(returns),
                "changes": PairMeasurer(changes),
                "directions": directions,
                "regions": RegionMeasurer(wanted, pictures.open, metric_set),
                "targets": TargetMeasurer(metric_set),
                "captions": CaptionMeasurer(directions),
                "sampled": SampledMeasurer(
                    metric_set.without([name for name in names if name not in metric_set.sampled])
                ),
            },
            batch=metric_set.batch_size,
            kinds=KINDS - {kind for kind, is_idle in idle.items() if is_idle},
        )

    def _is_large(self, kind: Kind) -> bool:
        return kind in _BATCHED and self.batch > BATCH

    def queues(
        self, workspace: Workspace, progress: RunProgress, on_error: Callable[[Exception], None]
    ) -> dict[Kind, MeasurementQueue[Any]]:
        """A queue for each kind; `progress` counts the returns.

        Large batches are for a GPU, which takes as long for a few pictures as for many; these batches wait
        until they are full, unless the processor measures them.
        """
        import cv2

        cv2.setNumThreads(1)  # each core has a thread of ours
        return {
            kind: MeasurementQueue(
                measurer,
                workspace,
                progress if kind == "returns" else NoProgress(),
                on_error,
                self.at_once,
                _BATCHED.get(kind, 1) * self.batch if self._is_large(kind) else BATCH,
                fills=self.fills if self._is_large(kind) else lambda: False,
                full_at_once=self.full_at_once,
                pixels=pixels_in,
            )
            for kind, measurer in self.by_kind.items()
        }
