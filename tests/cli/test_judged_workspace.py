"""A workspace made by score alone: what summary, export and paper say about it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.picture import Picture
from made_pictures import textured
from report.paper.conftest import text_of
from servers.judge import JudgeServer

Cli = Callable[..., Any]
CASES = 3


def test_a_purely_judged_workspace_is_summarised_exported_and_written_about(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    lines = []
    for number, case in enumerate(load_gedit_mini().cases[:CASES]):
        (tmp_path / f"{number}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
        lines.append(json.dumps({"id": case.id, "image_path": f"{number}.png"}))
    (tmp_path / "edits.jsonl").write_text("\n".join(lines))
    results = tmp_path / "results"
    with JudgeServer() as judge:
        cli("score", tmp_path / "edits.jsonl", "--suite", "gedit-mini", "--model", "mine", "-w", results,
            "--judge", judge.name)  # fmt: skip
    shown = cli("summary", "-w", results)
    words = " ".join(shown.out.split())
    assert shown.code == 0 and "ConvergeBench's own wording" in words and "loopback" in words
    rows = cli("summary", "-w", results, "--json").json["judged"]
    scored = {row["score"] for row in rows if row["metric"] == "Overall" and row["score"] is not None}
    assert scored == {7.0}
    assert {row["wording"] for row in rows} == {"ConvergeBench's own wording"}
    assert cli("summary", "-w", results, "--csv").out.startswith("model,suite,language,metric")
    done = cli("export", "-w", results, "-o", tmp_path / "x", "-f", "csv,markdown,latex")
    assert done.code == 0, done.err
    with (tmp_path / "x/judged.csv").open() as file:
        assert {row["model"] for row in csv.DictReader(file)} == {"mine"}
    assert "| mine |" in (tmp_path / "x/tables.md").read_text()
    assert r"\toprule" in (tmp_path / "x/tables.tex").read_text()
    assert cli("paper", "-w", results, "-o", tmp_path / "paper").code == 0
    said = text_of(tmp_path / "paper/paper.pdf")
    assert "was graded by server:loopback-vl-1 (ConvergeBench's own wording" in said
    assert "127.0.0.1" not in said and "keeps most" not in said and "Half-life" not in said


def test_a_paper_about_reedit_shows_what_passed_by_category(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    results = tmp_path / "results"
    cli("run", "--suite", "reedit-mini", "-m", "jpeg", "-w", results)
    with JudgeServer() as judge:
        cli("score", "--suite", "reedit-mini", "-w", results, "--judge", judge.name)
    assert cli("paper", "-w", results, "-o", tmp_path / "paper").code == 0
    said = text_of(tmp_path / "paper/paper.pdf")
    assert "Passed (%) by subset" in said and "Perceptual Quality by subset" not in said
