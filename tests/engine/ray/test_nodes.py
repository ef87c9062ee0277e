"""The Ray engine when a node goes, and when the run is stopped: clusters of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from convergebench.engine import Plan
from convergebench.engine.editing.batching import AT_ONCE
from convergebench.engine.ray.cluster import LOOPBACK_ONLY, connected, ray_module
from convergebench.engine.ray.replica_pool import Scale
from convergebench.engine.ray.run import run_plan_on_ray
from convergebench.metrics import MetricOptions
from convergebench.protocols import round_trip
from convergebench.store import Workspace
from convergebench.types import Case
from far_editors import OnTwoGpus

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")

TESTS = Path(__file__).parents[2]
SLOW_MODEL = """
import time

def edit(image, instruction, seed):
    time.sleep(0.3)
    with open("edits.log", "a") as log:
        log.write("edited\\n")
    return image.point(lambda value: min(255, value + seed % 3))
"""


@pytest.fixture
def two_nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """With a GPU each, as far as Ray knows, and a head that runs nothing."""
    for name, value in LOOPBACK_ONLY.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)
    ray_module()
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=2, num_gpus=1, object_store_memory=80 * 2**20)
        with connected(cluster.address):
            yield cluster
    finally:
        cluster.shutdown()


def lines(log: Path) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def test_a_run_that_loses_a_node_ends_complete_and_repeats_nothing_that_was_finished(
    two_nodes: Any,
    workspace: Workspace,
    tmp_path: Path,
    make_case: Callable[..., Case],
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = tmp_path / "edits.log"
    build = partial(OnTwoGpus, log, seconds=0.05)
    cases = tuple(make_case(f"scene{number}", seed=number) for number in range(4))
    plan = Plan("tiny@0", round_trip(4), cases, (build(),), (0,))
    number = workspace.start_run({}, "test")

    def lose_a_node() -> None:
        while len(lines(log)) < 10 and not ended.wait(0.02):
            pass
        two_nodes.remove_node(next(iter(two_nodes.worker_nodes)), allow_graceful=False)
        replicas = [Path("/proc", place.name.removeprefix("here-")) for place in tmp_path.glob("here-*")]
        while all(replica.exists() for replica in replicas) and not ended.wait(0.02):
            pass
        log.with_name("lost").touch()

    ended = threading.Event()
    losing = threading.Thread(target=lose_a_node)
    losing.start()
    options: dict[str, Any] = {"metrics": (), "options": MetricOptions(), "scale": Scale(2, 2), "run": number}
    outcome = asyncio.run(run_plan_on_ray(plan, workspace, builds=[build], **options))
    ended.set()
    losing.join()
    assert (outcome.complete, outcome.edits) == (4, 32), outcome
    early, late = ({process for process, _ in part} for part in (lines(log)[:10], lines(log)[-5:]))
    assert (len(early), len(late)) == (2, 1), "one for each GPU that there is"
    assert "a replica of logged was lost" in caplog.text
    repeated = [seed for seed, times in Counter(seed for _, seed in lines(log)).items() if times > 1]
    assert len(repeated) <= AT_ONCE, "at most what was on the node when it went"


def test_ctrl_c_keeps_what_is_in_flight_and_leaves_no_process_behind(tmp_path: Path, make_case: Any) -> None:
    make_case("scene")
    workspace, mark = tmp_path / "results", f"mark-{os.getpid()}"
    (tmp_path / "slow_model.py").write_text(SLOW_MODEL)
    arguments = ["run", "-m", "python:slow_model:edit", "--suite", f"folder:{tmp_path / 'sources'}",
                 "--rounds", "200", "--metric", "psnr", "--workspace", str(workspace),
                 "--json", "--engine", "ray"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "convergebench", *arguments],
        cwd=tmp_path,
        env={**os.environ, "MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while count_steps(workspace) < 5 and process.poll() is None:
        time.sleep(0.02)
    assert len(processes_with(mark)) > 3
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    until = time.monotonic() + 60
    while processes_with(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert processes_with(mark) == []
    assert count_steps(workspace) == len((tmp_path / "edits.log").read_text().splitlines())


def count_steps(workspace: Path) -> int:
    try:
        with sqlite3.connect(f"file:{workspace}/convergebench.sqlite?mode=ro", uri=True, timeout=30) as db:
            return int(db.execute("SELECT count(picture) FROM steps").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not made yet


def processes_with(mark: str) -> list[str]:
    """Processes whose environment has it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"MARK={mark}".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:100])
        except OSError:
            continue
    return found
