"""The Ray engine: the same session as the local one, with editors and metrics on the nodes of a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from convergebench.engine.editing.plan import Plan
from convergebench.engine.editing.session import run_plan
from convergebench.engine.progress import RunProgress
from convergebench.engine.ray.cluster import connected
from convergebench.engine.ray.editor import RayEditor
from convergebench.engine.ray.measuring import RemoteMetrics
from convergebench.engine.ray.replica_pool import Scale
from convergebench.engine.ray.resources import Cluster
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.engine.session import TRAJECTORIES_AT_ONCE, RunOutcome
from convergebench.errors import WrongUse
from convergebench.metrics import MetricOptions, MetricSet
from convergebench.store import Workspace
from convergebench.types import Editor, Replicable

log = logging.getLogger("convergebench")


async def run_plan_on_ray(
    plan: Plan,
    workspace: Workspace,
    *,
    run: int,
    builds: Sequence[Callable[[], Editor]],
    metrics: Sequence[str],
    options: MetricOptions,
    address: str | None = None,
    scale: Scale | None = None,
    limits: RunLimits = DEFAULT_LIMITS,
    fresh: bool = False,
    progress: RunProgress | None = None,
) -> RunOutcome:
    """Like `run_plan`. `builds` create the plan's editors again, in order, on any node.

    Editors without a `share` call a remote server in any case; they stay in this process.
    """
    if workspace.pictures.place.startswith("memory:"):
        raise WrongUse("other processes cannot read pictures in memory; choose another place for them")
    on_gpu = options.device == "cuda"
    if not on_gpu:
        options = replace(options, device="cpu")  # a GPU that is visible to a worker may belong to an editor
    with connected(address):
        cluster = Cluster.connected(metrics_on_gpu=on_gpu)
        editors = tuple(
            _placed(editor, build, workspace, cluster, scale, limits.patience.deadline_seconds)
            for editor, build in zip(plan.editors, builds, strict=True)
        )
        remote = [editor for editor in editors if isinstance(editor, RayEditor)]
        at_once = max([TRAJECTORIES_AT_ONCE, *(editor.at_once for editor in remote)])
        workers = RemoteMetrics(
            metrics, options, workspace.pictures, cluster.for_metrics, scale or cluster.metric_workers
        )
        try:
            return await run_plan(
                replace(plan, editors=editors),
                workspace,
                MetricSet(metrics, options),
                run=run,
                limits=replace(limits, concurrency=limits.concurrency or at_once),
                fresh=fresh,
                progress=progress,
                measurers=await workers.measurers(),
            )
        finally:
            await workers.close()


def _placed(
    editor: Editor,
    build: Callable[[], Editor],
    workspace: Workspace,
    cluster: Cluster,
    scale: Scale | None,
    deadline_seconds: float,
) -> Editor:
    if isinstance(editor, Replicable):
        return RayEditor(editor, build, workspace.pictures, cluster, scale, deadline_seconds)
    log.info("%s stays in this process: its work is done elsewhere anyway", editor.facts.name)
    return editor
