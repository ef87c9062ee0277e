"""After how many rounds results are shown: the planned ones, fewer on request, or those that there are."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import convergebench

Cli = Callable[..., Any]


def made(folder: Path, rounds: int) -> Path:
    convergebench.run(
        ["classical", "jpeg"], "converge-drawn", rounds, limit=2, workspace=folder, progress=False
    )
    return folder


@pytest.fixture(scope="module")
def four_rounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("four") / "results", 4)


def test_the_ranking_after_fewer_rounds_is_that_of_a_shorter_run(
    four_rounds: Path, tmp_path: Path, cli: Cli
) -> None:
    part = cli("summary", "-w", four_rounds, "--round", 2, "--json").json
    whole = cli("summary", "-w", made(tmp_path / "short", 2), "--json").json
    assert part["by_round"] == whole["by_round"]
    assert part["headline"] == whole["headline"]
    assert part["ranked_by"] == "headline_score"
    for one, other in zip(part["rows"], whole["rows"], strict=True):
        for key in ("rank", "model", "headline_score", "did", "undid_mean", "kept_last", "usable"):
            assert one[key] == other[key], key


def test_a_longer_run_that_was_stopped_leaves_the_rounds_that_all_chains_have(
    four_rounds: Path, tmp_path: Path, cli: Cli
) -> None:
    before = cli("summary", "-w", four_rounds, "--json").json
    stopped = tmp_path / "results"
    shutil.copytree(four_rounds, stopped)
    with sqlite3.connect(stopped / "convergebench.sqlite") as database:  # as a run does before its first edit
        database.execute("UPDATE trajectories SET rounds = 50")
    after = cli("summary", "-w", stopped, "--json").json
    assert json.dumps(after["rows"]) == json.dumps(before["rows"])
    assert after["by_round"] == before["by_round"]
    assert after["notes"][0] == (
        "No chain has finished its 50 rounds yet. These are the first 4, which all have that did not fail."
    )
    assert cli("report", "-w", stopped).code == 0
    assert "after 4 edits and undos" in (stopped / "report.md").read_text()
