"""The Ray engine with real actors on this machine, against the local one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from convergebench.editors import open_editor
from convergebench.engine import Patience, Plan, RunLimits, RunOutcome, run_plan
from convergebench.engine.ray.cluster import connected
from convergebench.engine.ray.replica_pool import Scale
from convergebench.engine.ray.run import run_plan_on_ray
from convergebench.engine.target_pictures import store_targets
from convergebench.errors import DiskFull, WrongUse
from convergebench.metrics import MetricOptions, MetricSet
from convergebench.picture import Picture
from convergebench.protocols import protocol_cases, round_trip
from convergebench.store import Workspace
from convergebench.types import Case, Editor, Failure, SessionTurn, SourcePicture
from far_editors import Cramped, Deadly, DeadlyOnce, Huge, InBatches, Logged, Picky, another_one
from scripted import Scripted
from servers.s3 import S3Server, s3_server

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")

METRICS = ("psnr", "ssim")
Build = Callable[[], Editor]


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def ray(s3: S3Server) -> Iterator[None]:
    """After the S3 server, so that its processes know where that is; they find our editors, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)
        with connected():
            yield


@pytest.fixture
def cases(make_case: Callable[..., Case]) -> list[Case]:
    return [make_case(f"scene{number}", seed=number) for number in range(4)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "edits.log"


def run_on_ray(workspace: Workspace, *builds: Build, cases: Sequence[Case], **options: Any) -> RunOutcome:
    metrics, rounds = options.pop("metrics", ()), options.pop("rounds", 2)
    plan = Plan("tiny@0", round_trip(rounds), tuple(cases), tuple(build() for build in builds), (0,))
    number = workspace.start_run({"suite": "tiny@0"}, "test")
    patience = options.pop("patience", Patience(attempts=2, first_wait_seconds=0.01))
    limits = RunLimits(options.pop("concurrency", None), patience=patience)
    work = run_plan_on_ray(
        plan, workspace, builds=builds, metrics=metrics, options=MetricOptions(), run=number, limits=limits,
        **{"scale": Scale(), **options},
    )  # fmt: skip
    return asyncio.run(work)


def run_here(workspace: Workspace, *builds: Build, cases: Sequence[Case], **options: Any) -> RunOutcome:
    metrics, rounds = options.pop("metrics", ()), options.pop("rounds", 2)
    plan = Plan("tiny@0", round_trip(rounds), tuple(cases), tuple(build() for build in builds), (0,))
    number = workspace.start_run({"suite": "tiny@0"}, "test")
    return asyncio.run(run_plan(plan, workspace, MetricSet(metrics), run=number))


def content(workspace: Workspace) -> dict[str, Any]:
    """All that must not depend on the engine."""
    steps = workspace.query(
        "SELECT t.editor, c.id, t.seed, position, role, round, s.instruction, s.seed, inputs, s.picture, "
        "width, height, media_type, failure, reason, cost_usd, attempts FROM steps s "
        "JOIN trajectories t ON t.id = s.trajectory "
        "JOIN cases c ON c.fingerprint = t.case_fingerprint ORDER BY 1, 2, 3, 4"
    )
    measured = workspace.query(
        "SELECT reference, picture, metric, version, value, missing FROM measurements ORDER BY 1, 2, 3"
    )
    files = sorted(path.name for path in (workspace.folder / "pictures").glob("??/*"))
    return {
        "steps": [tuple(row) for row in steps],
        "measured": [tuple(row) for row in measured],
        "files": files,
    }


def edits_in(log: Path) -> Counter[str]:
    """How often each step was edited, by its seed."""
    return Counter(line.split()[1] for line in log.read_text().splitlines())


def test_rows_pictures_and_measurements_are_those_of_the_local_engine_bit_for_bit(
    tmp_path: Path, cases: list[Case]
) -> None:
    builds = [partial(open_editor, name) for name in ("noise", "classical")]
    with Workspace.create(tmp_path / "local") as local, Workspace.create(tmp_path / "ray") as far:
        here = run_here(local, *builds, cases=cases, metrics=METRICS)
        there = run_on_ray(far, *builds, cases=cases, metrics=METRICS, scale=Scale(1, 2))
        assert set(content(far)["steps"]) ^ set(content(local)["steps"]) == set()
        assert content(far) == content(local)
        assert (there.complete, there.edits, there.failures) == (here.complete, here.edits, here.failures)
        assert there.edits >= 16


def values(workspace: Workspace) -> dict[tuple[Any, ...], tuple[float | None, str | None]]:
    return {row[:4]: row[4:] for row in content(workspace)["measured"]}


def is_near(one: tuple[float | None, str | None], other: tuple[float | None, str | None]) -> bool:
    """The same reason for a missing value, or the same number."""
    if one[0] is None or other[0] is None:
        return one == other
    return other[0] == pytest.approx(one[0], rel=1e-6, abs=1e-9)


def test_sessions_are_those_of_the_local_engine(tmp_path: Path, cases: list[Case]) -> None:
    """Turns, their regions, and the distances to targets and masks."""
    turns = (
        SessionTurn("Add a cup", "subject_add", mask=cases[1].source),
        SessionTurn("Make it red", "color_alter", target=cases[2].source),
    )
    sessions = [replace(case, turns=turns) for case in cases[:2]]
    chosen = protocol_cases("session", 1, sessions, sessions)
    build, names = partial(open_editor, "noise"), ("psnr", "regions")
    with Workspace.create(tmp_path / "local") as local, Workspace.create(tmp_path / "ray") as far:
        for workspace in (local, far):
            stored = store_targets(workspace.pictures, chosen.cases)
            plan = Plan("tiny@0/session", chosen.protocol, stored, (build(),), (0,))
            number = workspace.start_run({"suite": plan.suite}, "test")
            if workspace is local:
                asyncio.run(run_plan(plan, local, MetricSet(names), run=number))
                continue
            asyncio.run(
                run_plan_on_ray(
                    plan, far, builds=[build], metrics=names, options=MetricOptions(), run=number,
                    limits=RunLimits(), scale=Scale(1, 2),
                )
            )  # fmt: skip
        here, there = values(local), values(far)
        assert {place[2] for place in here} >= {"kept", "target_l1", "masked_ssim", "psnr"}
        assert set(there) ^ set(here) == set()
        assert [place for place in here if not is_near(here[place], there[place])] == []
        assert content(far)["steps"] == content(local)["steps"]


def test_refusals_and_crashes_are_recorded_as_by_the_local_engine(
    tmp_path: Path, log: Path, make_case: Callable[..., Case]
) -> None:
    cases = [make_case(name) for name in ("refused", "broken", "good")]
    with Workspace.create(tmp_path / "local") as local, Workspace.create(tmp_path / "ray") as far:
        run_here(local, partial(Picky, log), cases=cases)
        outcome = run_on_ray(far, partial(Picky, log), cases=cases)
        assert content(far) == content(local)
        assert outcome.failures == {"refused": 1, "crashed": 1}


def test_what_one_engine_began_the_other_goes_on_with(
    workspace: Workspace, log: Path, cases: list[Case]
) -> None:
    build = partial(Logged, log)
    run_here(workspace, build, cases=cases, rounds=1)
    further = run_on_ray(workspace, build, cases=cases, rounds=2)
    assert (further.replayed, further.edits) == (8, 8)
    back = run_here(workspace, build, cases=cases, rounds=3)
    assert (back.replayed, back.edits) == (16, 8)
    assert set(edits_in(log).values()) == {1}


def test_pictures_do_not_pass_through_the_driver(
    workspace: Workspace, log: Path, cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []
    encoded = Picture.encoded
    monkeypatch.setattr(
        Picture,
        "encoded",
        property(lambda self: looked_at.append(self.digest) or encoded.fget(self)),  # type: ignore[attr-defined]
    )
    run_on_ray(workspace, partial(Logged, log), cases=cases, metrics=METRICS)
    assert set(looked_at) == {case.source.digest for case in cases}
    assert len(workspace.query("SELECT * FROM measurements")) > 0


def test_a_killed_replica_is_replaced_and_nothing_finished_is_done_again(
    workspace: Workspace, log: Path, cases: list[Case]
) -> None:
    outcome = run_on_ray(workspace, partial(Deadly, log, 2), cases=cases, rounds=3)
    assert outcome.complete == len(cases)
    assert len(list(log.parent.glob("death*"))) == 2
    assert set(edits_in(log).values()) == {1}
    assert len(edits_in(log)) == 24


def test_an_edit_that_ends_every_replica_fails_clearly_and_the_others_are_complete(
    workspace: Workspace, log: Path, make_case: Callable[..., Case]
) -> None:
    cases = [make_case(name, seed=seed) for seed, name in enumerate(("bad", "good", "better"))]
    outcome = run_on_ray(workspace, partial(DeadlyOnce, log), cases=cases)
    assert (outcome.complete, outcome.failures) == (2, {"crashed": 1})
    (failed,) = (step.outcome for step in workspace.steps(1))
    assert isinstance(failed, Failure)
    assert failed.reason.startswith("3 replicas were lost during this")


def test_an_editor_that_differs_on_the_nodes_is_not_used(
    workspace: Workspace, log: Path, cases: list[Case]
) -> None:
    plan = Plan("tiny@0", round_trip(1), tuple(cases), (Logged(log),), (0,))
    number = workspace.start_run({}, "test")
    options = {"metrics": (), "options": MetricOptions(), "run": number}
    outcome = asyncio.run(run_plan_on_ray(plan, workspace, builds=[partial(another_one, log)], **options))
    assert "install the same packages" in outcome.unusable["logged"]
    assert not log.exists()


def test_batches_are_made_across_trajectories(workspace: Workspace, log: Path, cases: list[Case]) -> None:
    outcome = run_on_ray(workspace, partial(InBatches, log), cases=cases)
    assert outcome.complete == 4
    assert sum(map(int, log.read_text().split())) == 16
    assert max(map(int, log.read_text().split())) > 1, "a trajectory has one request at a time"


def test_an_editor_whose_work_is_done_elsewhere_stays_with_the_driver(
    workspace: Workspace, cases: list[Case]
) -> None:
    editor = Scripted()
    outcome = run_on_ray(workspace, lambda: editor, cases=cases)
    assert (outcome.complete, len(editor.requests)) == (4, 16)
    assert outcome.spent_usd == 8.0


def test_a_store_that_is_away_for_a_while_costs_no_edit(
    tmp_path: Path, log: Path, cases: list[Case], s3: S3Server
) -> None:
    def go_away() -> None:
        while not log.exists() and not ended.wait(0.01):
            pass
        s3.away_for(3.0).join()

    with Workspace.create(tmp_path / "results", f"{s3.url}/ray") as workspace:
        away, ended = threading.Thread(target=go_away), threading.Event()
        away.start()
        try:
            outcome = run_on_ray(workspace, partial(Logged, log, seconds=0.1), cases=cases, rounds=2)
        finally:
            ended.set()
            away.join()
        assert (outcome.complete, outcome.edits) == (4, 16)
        assert set(edits_in(log).values()) == {1}
        assert all(workspace.pictures.holds(step.outcome) for step in workspace.steps(1))  # type: ignore[arg-type]


@pytest.fixture
def grainy_case(tmp_path: Path) -> Case:
    """Its picture is a file of 750 kB."""
    picture = Picture.from_pixels(np.random.default_rng(0).integers(0, 256, (500, 500, 3), np.uint8))
    path = tmp_path / "grain.png"
    path.write_bytes(picture.encoded)
    return Case(
        "grain/ball", (SourcePicture("grain", path, picture.digest),), "Add it.", "Remove it.", "ball"
    )


def test_a_node_with_a_full_disk_hands_its_picture_to_the_driver(
    workspace: Workspace, log: Path, grainy_case: Case
) -> None:
    outcome = run_on_ray(workspace, partial(Cramped, log, os.getpid()), cases=[grainy_case])
    assert (outcome.complete, outcome.edits) == (1, 4)
    assert all(workspace.pictures.holds(step.outcome) for step in workspace.steps(1))  # type: ignore[arg-type]


def test_a_disk_that_is_full_everywhere_gives_the_clear_error_and_the_next_run_goes_on(
    workspace: Workspace, log: Path, grainy_case: Case
) -> None:
    build = partial(Cramped, log, os.getpid())
    workspace.pictures.put(Picture.from_file(grainy_case.source.path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Cramped.most_bytes, before[1]))
    try:
        with pytest.raises(DiskFull, match="Free some space"):
            run_on_ray(workspace, build, cases=[grainy_case])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert run_on_ray(workspace, build, cases=[grainy_case]).complete == 1


def test_a_run_that_waits_for_room_on_the_cluster_can_be_stopped(
    workspace: Workspace, log: Path, cases: list[Case]
) -> None:
    stop = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    stop.start()
    outcome = run_on_ray(workspace, partial(Huge, log), cases=cases)
    assert (outcome.interrupted, outcome.edits, outcome.complete) == (True, 0, 0)


def test_a_cluster_of_our_own_listens_on_loopback_only() -> None:
    listening = set()
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            sockets = process.net_connections("inet")
            listening.update(one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN)
    assert listening <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
    assert listening


def test_pictures_in_memory_cannot_be_shared(tmp_path: Path, log: Path, cases: list[Case]) -> None:
    with (
        Workspace.create(tmp_path / "results", "memory://here") as workspace,
        pytest.raises(WrongUse, match="cannot read pictures in memory"),
    ):
        run_on_ray(workspace, partial(Logged, log), cases=cases)
