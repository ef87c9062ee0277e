from __future__ import annotations

import pytest

from convergebench.engine.ray.replica_pool import Scale
from convergebench.engine.ray.resources import Cluster
from convergebench.types import Share


def test_an_editor_for_a_gpu_does_without_where_there_is_none() -> None:
    assert Cluster(cpus=8, gpus=0).for_editor(Share(gpus=1)) == Share(gpus=0)


@pytest.mark.parametrize("gpus", [1, 8])
def test_every_gpu_holds_an_editor_and_a_set_of_metrics(gpus: int) -> None:
    cluster = Cluster(cpus=64, gpus=gpus, metrics_on_gpu=True)
    editor, metrics = cluster.for_editor(Share(gpus=1)), cluster.for_metrics
    assert editor.gpus + metrics.gpus == 1
    assert cluster.room_for(editor) == gpus
    assert cluster.metric_workers == Scale(1, gpus)


def test_metrics_on_cpus_leave_editors_whole_gpus_and_cores() -> None:
    cluster = Cluster(cpus=8, gpus=2)
    assert cluster.for_editor(Share(gpus=1)) == Share(gpus=1)
    assert cluster.for_metrics == Share(cpus=0, gpus=0)
    assert cluster.metric_workers == Scale(1, 8)


def test_an_editor_on_several_gpus_has_them_for_itself() -> None:
    cluster = Cluster(cpus=64, gpus=8, metrics_on_gpu=True)
    assert cluster.for_editor(Share(gpus=2)) == Share(gpus=2)
    assert cluster.room_for(Share(gpus=2)) == 4


def test_cores_bound_the_replicas_too() -> None:
    assert Cluster(cpus=4, gpus=8).room_for(Share(cpus=1, gpus=1)) == 4
    assert Cluster(cpus=0.5, gpus=0).room_for(Share(cpus=1)) == 1
