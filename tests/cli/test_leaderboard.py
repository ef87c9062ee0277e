from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


def test_results_are_submitted_and_a_site_is_built_from_them(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run(model="tiny=classical,jpeg"))
    folder = tmp_path / "submissions"
    packed = cli("submit", "--by", "Lab", "-o", folder / "lab.zip", "-w", tmp_path / "results")
    assert packed.code == 0
    assert packed.out.startswith(f"Wrote {folder / 'lab.zip'}: 2 models on 3 cases of folder:[path]@")
    build = ("leaderboard", "build", folder, "-o", tmp_path / "site", "--metric", "psnr,ssim")
    shown = cli(*build)
    assert (shown.code, shown.err) == (0, "Checking lab.zip\n")
    assert "1 entry of 1 submission in 1 table" in shown.out
    (folder / "other.zip").write_text("no archive")
    again = cli(*build, "--json")
    assert again.code == 3
    assert [one["file"] for one in again.json["left_out"]] == ["other.zip"]


def test_a_submission_says_which_file_it_replaces(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run(model="jpeg,identity"))
    words = ("submit", "--by", "Lab", "-o", tmp_path / "a.zip", "-w", tmp_path / "results")
    first = cli(*words, "-m", "jpeg", "--json").json
    assert first["replaced"] is None
    assert f"It replaces the file that was there, of digest {first['digest']}" in cli(*words).out
    assert "replaces" not in cli(*words).out  # the same bytes


def test_one_model_can_be_submitted_alone(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run(model="jpeg,identity"))
    words = ("submit", "--by", "Lab", "-o", tmp_path / "a.zip", "-w", tmp_path / "results", "--json")
    assert cli(*words, "-m", "jpeg", "--pictures", "none").json["models"] == ["jpeg"]
    assert "there is no model 'nobody'" in cli(*words, "-m", "nobody").err
