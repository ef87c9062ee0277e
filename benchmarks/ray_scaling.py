"""How a run spreads over Ray nodes: 1, 2 and 4 nodes simulated on this machine, with an editor that only
waits, so that the cores here are not what limits it. Then 4 nodes of which one is killed in the middle.

The time is that of editing, from the first edit's begin to the last one's row; starting nodes and replicas is
printed beside it. Efficiency is the first time over the nodes' number times the time with so many nodes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from row import row

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))
ROUNDS = 2


@dataclass(frozen=True)
class Load:
    cases: int
    latency: float
    on_a_node: int
    metrics: tuple[str, ...] = ()

    @property
    def edits(self) -> int:
        return self.cases * 2 * ROUNDS


@dataclass(frozen=True)
class Measured:
    editing_seconds: float
    whole_seconds: float
    driver_ms: float
    """CPU of this process for an edit."""
    database_kb: float
    """For an edit, with its measurements."""


@contextmanager
def nodes(number: int, replicas_each: int) -> Iterator[Any]:
    """A head that runs nothing and so many nodes."""
    from convergebench.engine.ray.cluster import LOOPBACK_ONLY, connected

    os.environ.update(LOOPBACK_ONLY, PYTHONPATH=str(TESTS))
    with started(number, replicas_each) as cluster, connected(cluster.address):
        yield cluster


@contextmanager
def started(number: int, replicas_each: int) -> Iterator[Any]:
    from convergebench.engine.ray.cluster import ray_module

    ray_module()
    from ray.cluster_utils import Cluster

    quiet = {"include_dashboard": False, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **quiet})
    try:
        for _ in range(number):
            cluster.add_node(num_cpus=replicas_each, object_store_memory=80 * 2**20)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


def edit_all(load: Load, replicas: int, folder: Path, meanwhile: Callable[[Path], None] | None) -> Measured:
    from convergebench.engine import Plan, RunLimits
    from convergebench.engine.ray.replica_pool import Scale
    from convergebench.engine.ray.run import run_plan_on_ray
    from convergebench.metrics import MetricOptions
    from convergebench.protocols import round_trip
    from convergebench.store import DATABASE, Workspace
    from far_editors import Logged

    log = folder / "edits.log"
    build = partial(Logged, log, "waiting", load.latency)
    plan = Plan("bench@0", round_trip(ROUNDS), make_cases(folder, load.cases), (build(),), (0,))
    wall, cpu = time.perf_counter(), time.process_time()
    with Workspace.create(folder / "results") as workspace:
        run = workspace.start_run({}, "bench")
        work = run_plan_on_ray(
            plan, workspace, builds=[build], metrics=load.metrics, options=MetricOptions(), run=run,
            scale=Scale(replicas, replicas), limits=RunLimits(load.cases),
        )  # fmt: skip
        if meanwhile is not None:
            threading.Thread(target=meanwhile, args=(log,), daemon=True).start()
        outcome = asyncio.run(work)
        ((first, last),) = workspace.query("SELECT min(at), max(at) FROM steps")
    assert (outcome.complete, outcome.edits) == (load.cases, load.edits), outcome
    editing = (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds() + load.latency
    size = (folder / "results" / DATABASE).stat().st_size
    return Measured(
        editing,
        time.perf_counter() - wall,
        (time.process_time() - cpu) * 1000 / load.edits,
        size / 1000 / load.edits,
    )


def make_cases(folder: Path, number: int) -> tuple[Any, ...]:
    from convergebench.picture import Picture
    from convergebench.types import Case, SourcePicture
    from made_pictures import textured

    cases = []
    for count in range(number):
        picture = Picture.from_pixels(textured(64, 64, seed=count))
        path = folder / f"{count}.png"
        path.write_bytes(picture.encoded)
        source = SourcePicture(str(count), path, picture.digest)
        cases.append(Case(f"case{count}", (source,), "Add a red ball.", "Remove the red ball.", "ball"))
    return tuple(cases)


def measure(load: Load, number: int, meanwhile: Callable[[Any, Path], None] | None = None) -> Measured:
    with tempfile.TemporaryDirectory() as folder, nodes(number, load.on_a_node) as cluster:
        watch = partial(meanwhile, cluster) if meanwhile else None
        return edit_all(load, number * load.on_a_node, Path(folder), watch)


def kill_a_node(edits: int, cluster: Any, log: Path) -> None:
    """Once so many edits are made."""
    while not log.exists() or len(log.read_text().splitlines()) < edits:
        time.sleep(0.05)
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds that an edit waits")
    parser.add_argument("--on-a-node", type=int, default=2, help="replicas")
    load = Load(**vars(parser.parse_args()))
    print(f"{load.edits} edits of {load.latency:g} s, {load.on_a_node} replicas a node")
    alone, told = 0.0, []
    for number in (1, 2, 4):
        measured = measure(load, number)
        editing, whole = measured.editing_seconds, measured.whole_seconds
        alone = alone or editing
        ideal = load.edits * load.latency / (number * load.on_a_node)
        print(
            f"{number} nodes: {editing:6.1f} s, efficiency {alone / (number * editing):.0%}, "
            f"{editing / ideal:.2f} × ideal (with starting: {whole:.1f} s)",
            flush=True,
        )
        told.append(f"{alone / (number * editing):.0%} on {number}")
    killed = measure(load, 4, partial(kill_a_node, load.edits // 3)).editing_seconds
    print(f"4 nodes, one killed after a third: {killed:.1f} s, complete, {killed / editing:.2f} × the last")
    row(
        f"Ray, {load.edits} edits of {load.latency:g} s on simulated nodes: efficiency",
        ", ".join(told),
        f"one of 4 nodes killed after a third: complete, in {killed / editing:.2f} × the time of 4",
    )
    for metrics in ((), ("psnr", "ssim")):
        cost = measure(Load(500, 0.0, 2, metrics), 1)
        print(
            f"driver, {' and '.join(metrics) or 'no metrics'}: {cost.driver_ms:.1f} ms CPU and "
            f"{cost.database_kb:.2f} kB of database an edit",
            flush=True,
        )


if __name__ == "__main__":
    main()
