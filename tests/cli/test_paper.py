"""Files for papers: the paper itself, and tables in other formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


@pytest.fixture
def results(cli: Cli, run: Words, tmp_path: Path) -> Path:
    assert cli(*run(model="jpeg,identity")).code == 0
    return tmp_path / "results"


def test_a_paper_is_one_command(cli: Cli, results: Path, tmp_path: Path) -> None:
    words = [
        "paper",
        "-w",
        results,
        "-o",
        tmp_path / "paper",
        "--title",
        "Ours",
        "--author",
        "A",
        "--author",
        "B",
    ]
    first = cli(*words)
    assert (first.code, first.err) == (0, "")
    assert (
        first.out == f"Wrote {tmp_path / 'paper/paper.pdf'}; its source is {tmp_path / 'paper/paper.typ'}\n"
    )
    assert (tmp_path / "paper/paper.pdf").read_bytes().startswith(b"%PDF")
    (tmp_path / "paper/related.typ").write_text("= Related work <related>\nNone.\n")
    assert "Kept your changes in: related.typ" in cli(*words).out


def test_an_empty_workspace_has_no_paper(cli: Cli, tmp_path: Path) -> None:
    ended = cli("paper", "-w", tmp_path, "-o", tmp_path / "paper")
    assert ended.code == 1 and "no workspace in" in ended.sentence
    assert not (tmp_path / "paper").exists()


def test_export_writes_the_formats_that_are_named(cli: Cli, results: Path, tmp_path: Path) -> None:
    ended = cli("export", "-w", results, "-o", tmp_path / "x", "-f", "parquet,markdown", "--format", "latex")
    assert ended.code == 0, ended.err
    assert {path.name for path in (tmp_path / "x").iterdir()} == {
        "measurements.parquet",
        "tables.md",
        "tables.tex",
    }
    assert "| 1 | jpeg |" in (tmp_path / "x/tables.md").read_text()
    assert "1 & jpeg &" in (tmp_path / "x/tables.tex").read_text()


def test_export_names_the_formats_there_are(cli: Cli, results: Path) -> None:
    ended = cli("export", "-w", results, "--format", "xlsx")
    assert (ended.code, ended.sentence) == (
        2,
        "unknown format 'xlsx'; choose from csv, parquet, markdown, latex",
    )
