"""A lost picture costs what is measured with it, is named, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.engine import Plan, RunOutcome, run_plan
from convergebench.engine.measuring.remeasure import measure_workspace
from convergebench.engine.progress import NoProgress
from convergebench.engine.target_pictures import store_targets
from convergebench.metrics import MetricSet
from convergebench.protocols import protocol_cases
from convergebench.store import Workspace
from convergebench.types import Case, Digest, SessionTurn, SourcePicture
from scripted import Scripted

Log = pytest.LogCaptureFixture


def run(workspace: Workspace, cases: list[Case], protocol: str = "round_trip") -> RunOutcome:
    chosen = protocol_cases(protocol, 2, cases, cases)
    plan = Plan(f"made@1/{chosen.part}", chosen.protocol, chosen.cases, (Scripted(),), (0,))
    with workspace.run({"suite": plan.suite}) as recorded:
        return asyncio.run(run_plan(plan, workspace, MetricSet(["psnr", "regions"]), run=recorded.id))


def lose(workspace: Workspace, digest: Digest) -> None:
    (path,) = Path(workspace.pictures.place).rglob(f"{digest}.*")
    path.unlink()


def measured(workspace: Workspace, metric: str) -> set[Digest]:
    """The pictures that have a value."""
    rows = workspace.query("SELECT picture FROM measurements WHERE metric = ? AND value IS NOT NULL", metric)
    return {row["picture"] for row in rows}


def made(workspace: Workspace, case: str) -> set[Digest]:
    sql = """
        SELECT s.picture FROM steps s JOIN trajectories t ON t.id = s.trajectory
        JOIN case_facts c ON c.fingerprint = t.case_fingerprint WHERE c.id = ?
    """
    return {row["picture"] for row in workspace.query(sql, case)}


def test_a_lost_source_costs_its_own_chains_when_a_workspace_is_measured_again(
    workspace: Workspace, make_case: Callable[..., Case], caplog: Log
) -> None:
    first, second = make_case("first"), make_case("second", seed=5)
    run(workspace, [first, second])
    lose(workspace, first.source.digest)
    assert asyncio.run(measure_workspace(workspace, MetricSet(["ssim"]), NoProgress())) == 2
    assert measured(workspace, "ssim") and measured(workspace, "ssim") <= made(workspace, second.id)
    assert f"not measured: picture {first.source.digest} is not in" in caplog.text


@pytest.fixture
def session(workspace: Workspace, make_source: Callable[..., SourcePicture]) -> Case:
    """Of two turns, the first with a target."""
    turns = (SessionTurn("Add a cup", target=make_source("target", seed=5)), SessionTurn("Make it red"))
    (case,) = store_targets(
        workspace.pictures, [Case("s", (make_source(),), turns[0].instruction, turns=turns)]
    )
    return case


def test_a_lost_target_costs_the_distances_to_it_in_a_run(
    workspace: Workspace, session: Case, caplog: Log
) -> None:
    target = session.turns[0].target
    assert target is not None
    lose(workspace, target.digest)
    assert run(workspace, [session], "session").complete == 1
    assert measured(workspace, "psnr") == made(workspace, "s")
    assert not measured(workspace, "target_l1")
    assert f"not measured: picture {target.digest} is not in" in caplog.text


def test_a_lost_target_costs_the_distances_to_it_when_a_workspace_is_measured_again(
    workspace: Workspace, session: Case, caplog: Log
) -> None:
    run(workspace, [session], "session")
    assert len(measured(workspace, "target_l1")) == 1
    target = session.turns[0].target
    assert target is not None
    lose(workspace, target.digest)
    asyncio.run(measure_workspace(workspace, MetricSet(["ssim"]), NoProgress()))
    assert measured(workspace, "ssim") == made(workspace, "s")
    assert f"not measured: picture {target.digest} is not in" in caplog.text
