"""How editors and metrics share a cluster's cores and GPUs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from convergebench.engine.ray.cluster import total
from convergebench.engine.ray.replica_pool import Scale
from convergebench.types import Share

METRICS_GPU = 0.25


@dataclass(frozen=True)
class Cluster:
    """The available resources, and whether metrics take a part of a GPU."""

    cpus: float
    gpus: float
    metrics_on_gpu: bool = False

    @classmethod
    def connected(cls, *, metrics_on_gpu: bool) -> Cluster:
        return cls(total("CPU"), total("GPU"), metrics_on_gpu)

    def for_editor(self, wanted: Share) -> Share:
        """An editor that can use a GPU runs without it if the cluster has none.

        An editor with a single GPU leaves a part to the metrics, which may have no other GPU. Ray cannot
        divide several GPUs, so an editor that takes more than one has them for itself.
        """
        if not self.gpus:
            return replace(wanted, gpus=0.0)
        if self.metrics_on_gpu and wanted.gpus == 1:
            return replace(wanted, gpus=1 - METRICS_GPU)
        return wanted

    @property
    def for_metrics(self) -> Share:
        """Metrics reserve no core, so they always fit: editing waits for measuring, and could otherwise wait
        forever."""
        return Share(cpus=0.0, gpus=METRICS_GPU if self.metrics_on_gpu else 0.0)

    @property
    def metric_workers(self) -> Scale:
        return Scale(1, max(1, int(self.gpus if self.metrics_on_gpu else self.cpus)))

    def room_for(self, share: Share) -> int:
        """Number of replicas that fit now."""
        room = [self.cpus / share.cpus] if share.cpus else []
        if share.gpus:
            room.append(self.gpus // share.gpus if share.gpus >= 1 else self.gpus)
        return max(1, int(min(room, default=1.0)))
