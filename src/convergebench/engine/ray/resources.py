"""How editors and metrics share a cluster's cores and GPUs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from convergebench.engine.ray.cluster import total
from convergebench.engine.ray.replica_pool import Scale
from convergebench.types import Share

METRICS_GPU = 0.25


@dataclass(frozen=True)
class Cluster:
    """What there is, and whether metrics take a part of a GPU."""

    cpus: float
    gpus: float
    metrics_on_gpu: bool = False

    @classmethod
    def connected(cls, *, metrics_on_gpu: bool) -> Cluster:
        return cls(total("CPU"), total("GPU"), metrics_on_gpu)

    def for_editor(self, wanted: Share) -> Share:
        """One that uses a GPU where there is one does without where there is none.

        One that takes a single GPU leaves metrics their part, since they may have no other. Ray has no parts
        of several GPUs, so one that takes more has them for itself.
        """
        if not self.gpus:
            return replace(wanted, gpus=0.0)
        if self.metrics_on_gpu and wanted.gpus == 1:
            return replace(wanted, gpus=1 - METRICS_GPU)
        return wanted

    @property
    def for_metrics(self) -> Share:
        """No core, so that they always find room: editing waits for measuring, and would wait for ever."""
        return Share(cpus=0.0, gpus=METRICS_GPU if self.metrics_on_gpu else 0.0)

    @property
    def metric_workers(self) -> Scale:
        return Scale(1, max(1, int(self.gpus if self.metrics_on_gpu else self.cpus)))

    def room_for(self, share: Share) -> int:
        """How many replicas fit now."""
        room = [self.cpus / share.cpus] if share.cpus else []
        if share.gpus:
            room.append(self.gpus // share.gpus if share.gpus >= 1 else self.gpus)
        return max(1, int(min(room, default=1.0)))
