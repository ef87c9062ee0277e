"""The commands that look at a workspace."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from convergebench.store import DATABASE
from convergebench.store.schema import APPLICATION_ID, MIGRATIONS

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


@pytest.fixture
def results(cli: Cli, run: Words, tmp_path: Path) -> Path:
    """A workspace with three models in it."""
    assert cli(*run(model="jpeg,blur,identity")).code == 0
    return tmp_path / "results"


def test_the_summary_ranks_by_any_metric_at_any_round(cli: Cli, results: Path) -> None:
    assert "SSIM @ R2" in cli("summary", "-w", results).out
    first = cli("summary", "-w", results, "--metric", "psnr", "--round", 1, "--json").json
    assert (first["ranked_by"], first["round"]) == ("psnr", 1)
    means = [row["metrics"]["psnr"]["mean"] for row in first["rows"] if row["rank"]]
    assert means == sorted(means, reverse=True)
    assert len(means) == 2


def test_each_value_of_the_csv_is_under_its_metric_where_the_two_kinds_of_edits_have_different_ones(
    cli: Cli, pictures: Path, tmp_path: Path
) -> None:
    edits = {"edits": ["horizontal_flip", "light_brighten_darken"]}
    names = [file.name for file in pictures.iterdir()]
    (pictures / "pictures.json").write_text(json.dumps(dict.fromkeys(names, edits)))
    run = ("run", "--images", pictures, "-m", "noise", "--rounds", 1, "-w", tmp_path / "results")
    assert cli(*run, "--pair", "horizontal_flip", "--metric", "psnr,ssim").code == 0
    assert cli(*run, "--pair", "light_brighten_darken", "--metric", "ssim").code == 0
    told = cli("summary", "-w", tmp_path / "results", "--csv").out
    main, partial = csv.DictReader(told.splitlines())
    assert (main["edits"], partial["edits"]) == ("reversible", "partially reversible")
    assert partial["psnr"] == ""
    assert float(partial["ssim_low"]) <= float(partial["ssim"]) <= float(partial["ssim_high"])


def test_perfect_psnr_is_inf_in_json_and_the_file_stays_json(cli: Cli, results: Path) -> None:
    rows = cli("summary", "-w", results, "--json").json["rows"]
    assert next(row for row in rows if row["model"] == "identity")["metrics"]["psnr"]["mean"] == "inf"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["summary", "--metric", "lpips"],
            "there is no metric lpips in these results; choose one of: psnr, ssim",
        ),
        (["summary", "--round", "9"], "there is no round 9; choose one from 1 to 2"),
        (["summary", "--suite", "gedit"], "has no matching results in gedit"),
        (["plot", "--metric", "lpips"], "there is no metric lpips"),
        (["plot", "--output", "curves.docx"], "cannot draw a .docx file; use one of .png"),
        (["grid", "--output", "grid.docx"], "cannot draw a .docx file; use one of .png"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_not_in_the_results_is_named_beside_what_is(
    cli: Cli, results: Path, words: list[str], said: str
) -> None:
    ended = cli(*words, "-w", results)
    assert ended.code == 2
    assert said in ended.sentence


def test_export_writes_the_four_files_of_the_predecessor(cli: Cli, results: Path, tmp_path: Path) -> None:
    ended = cli("export", "-w", results, "-o", tmp_path / "tables")
    written = [Path(line.removeprefix("Wrote ")) for line in ended.out.splitlines()]
    assert {path.name for path in written} >= {
        "benchmark_results_detailed.csv",
        "benchmark_summary_by_round.csv",
        "benchmark_summary_final.csv",
        "benchmark_by_experiment.csv",
    }
    with (tmp_path / "tables" / "benchmark_results_detailed.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 3 * 3 * 2


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_curves_are_drawn_in_the_format_of_the_name(
    cli: Cli, results: Path, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"curves{suffix}"
    ended = cli("plot", "-w", results, "-o", path, "--metric", "psnr,ssim")
    assert ended.out == f"Wrote {path}\n"
    assert path.read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])


def test_the_grid_is_as_wide_as_its_cases(cli: Cli, results: Path, tmp_path: Path) -> None:
    widths = []
    for columns in (1, 3):
        path = tmp_path / f"{columns}.png"
        assert cli("grid", "-w", results, "-o", path, "--columns", columns).code == 0
        widths.append(Image.open(path).width)
    assert widths[0] < widths[1]


def test_the_report_lands_in_the_workspace_unless_told(cli: Cli, results: Path, tmp_path: Path) -> None:
    assert cli("report", "-w", results).out.splitlines()[0] == f"Wrote {results / 'report.md'}"
    assert cli("report", "-w", results, "-o", tmp_path / "page").code == 0
    for folder in (results, tmp_path / "page"):
        assert "jpeg" in (folder / "report.md").read_text()


def as_version(folder: Path, version: int) -> None:
    """Rewrite a workspace's database as an older version of the package wrote it."""
    newer = folder / "newer.sqlite"
    (folder / DATABASE).rename(newer)
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        for script in MIGRATIONS[:version]:
            db.executescript(script)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("ATTACH ? AS newer", (str(newer),))
        for table in ("runs", "editors", "cases", "trajectories", "steps", "measurements"):
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
        db.commit()
    newer.unlink()


@pytest.mark.parametrize("version", [1, 2])
def test_the_results_of_the_first_versions_are_reported_as_they_are(
    cli: Cli, results: Path, tmp_path: Path, version: int
) -> None:
    before = cli("summary", "-w", results, "--json").json
    as_version(results, version)
    stored = (results / DATABASE).read_bytes()
    assert cli("summary", "-w", results, "--json").json == before
    assert cli("report", "-w", results, "-o", tmp_path / "page").code == 0
    assert "jpeg" in (tmp_path / "page" / "report.md").read_text()
    assert (results / DATABASE).read_bytes() == stored


@pytest.mark.parametrize("command", ["summary", "report", "export", "plot", "grid"])
def test_where_there_is_no_workspace_the_command_says_how_to_make_one(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    ended = cli(command, "-w", tmp_path / "nowhere")
    assert ended.code == 1
    assert "create one with convergebench run" in ended.sentence
    assert not (tmp_path / "nowhere").exists()


def test_looking_at_results_leaves_them_alone(cli: Cli, results: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in results.rglob("*.png")}
    for words in (["summary"], ["export", "-o", tmp_path / "a"], ["grid", "-o", tmp_path / "b.png"]):
        assert cli(*words, "-w", results).code == 0
    assert {path: path.read_bytes() for path in results.rglob("*.png")} == before


def test_where_models_are_ranked_by_the_score_the_summary_has_it_by_round(cli: Cli, seen: Path) -> None:
    shown = cli("summary", "-w", seen)
    assert "Score by round" in shown.out and "SSIM by round" not in shown.out
    by_round = cli("summary", "-w", seen, "--json").json["by_round"]
    means = {(one["metric"], one["model"]): one["mean"] for one in by_round if one["round"] == 1}
    five_local_and_one_global = (5 * 100 * 0.9**0.5 + 90) / 6
    assert means["headline_score", "python:shades:darker"] == pytest.approx(five_local_and_one_global)
    assert means["ssim", "python:shades:brighter"] > means["ssim", "python:shades:darker"]
    assert "SSIM by round" in cli("summary", "-w", seen, "--metric", "ssim").out
