from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.results import Records, load_results
from convergebench.store import Workspace
from convergebench.types import Measurement

Cli = Callable[..., Any]
Words = Callable[..., list[object]]
HEADER = "model,image,edit_pair,image_type,edit_category,round,psnr,ssim,lpips,clip_similarity"


@pytest.fixture
def published(cli: Cli, tmp_path: Path) -> Path:
    """Six pictures of two models; one model's rows stand twice, and LPIPS is 0.0 throughout."""
    lines = [
        f"{model},p{picture}.jpg,hat,portrait,accessories,{n},{30 - n},{0.9 - n * loss},0.0,{1 - n / 10}"
        for model, loss in (("flux", 0.1), ("qwen", 0.05))
        for picture in range(6)
        for n in (1, 2)
    ]
    doubled = [line for line in lines if line.startswith("qwen")]
    (tmp_path / "rows.csv").write_text("\n".join([HEADER, *lines, *doubled]) + "\n")
    assert cli("import", tmp_path / "rows.csv", "--workspace", tmp_path / "w").code == 0
    return tmp_path / "w"


def test_the_faults_are_told_and_the_corrected_ranking_follows(cli: Cli, published: Path) -> None:
    shown = cli("audit", "--workspace", published)
    assert shown.code == 0
    text = " ".join(shown.out.split())
    assert "1. 12 keys (model, case, round) occur 2 times" in text
    assert "LPIPS was never computed: 0.0 in all 36 rows of flux, qwen" in text
    assert "Corrected: on the 6 cases that these models share." in text
    assert text.index("Corrected") < text.index("1 qwen") < text.index("2 flux")


def test_the_audit_as_json_has_kinds_and_counts(cli: Cli, published: Path) -> None:
    told = cli("audit", "--workspace", published, "--json").json
    counts = {finding["kind"]: finding["count"] for finding in told["findings"]}
    assert counts["duplicate_keys"] == 12
    assert [row["model"] for row in told["ranking"]["rows"]] == ["qwen", "flux"]


def test_the_audit_as_csv_has_a_line_a_finding(cli: Cli, published: Path) -> None:
    heading, *lines = cli("audit", "--workspace", published, "--csv").out.splitlines()
    assert heading == "kind,count,sentence"
    assert lines[0].startswith("duplicate_keys,12,")


EDITORS = """
def brighter(image, instruction, seed):
    return image.point(lambda value: min(value + 1, 255))
def darker(image, instruction, seed):
    return image.point(lambda value: max(value - 9, 0))
"""


def test_the_corrected_ranking_is_by_what_a_person_sees_where_that_was_measured(
    cli: Cli, run: Words, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shades.py").write_text(EDITORS)
    monkeypatch.syspath_prepend(tmp_path)
    assert cli(*run("--limit", 6, model="python:shades:brighter,python:shades:darker")).code == 0
    measure_by_hand(tmp_path / "results", {"python:shades:brighter": 0.2, "python:shades:darker": 0.9})
    ranked = cli("audit", "-w", tmp_path / "results", "--json").json["ranking"]
    assert [row["model"] for row in ranked["rows"]] == ["python:shades:darker", "python:shades:brighter"]
    assert ranked["ranked_by"] == "headline_score"
    by_metric = cli("audit", "-w", tmp_path / "results", "--json", "--metric", "ssim").json["ranking"]
    assert [row["model"] for row in by_metric["rows"]] == ["python:shades:brighter", "python:shades:darker"]


def measure_by_hand(folder: Path, undid: dict[str, float]) -> None:
    with Workspace.create(folder) as workspace:
        records, results = Records.of(workspace), load_results(workspace)
        sources = {one.case.id: digest for one, digest in records.beginnings(results.suite)}
        rows = [
            (sources[one.case], one.digest, Measurement(name, "1", value))
            for one in results.returns
            for name, value in (("undid", undid[one.model]), ("kept", 1.0))
        ]
        rows += [
            (step.inputs[0], step.picture, Measurement("edit_evidence", "1", 1.0))
            for step in records.steps
            if step.role == "forward" and step.picture
        ]
        workspace.record_measurements(rows).result()


def test_a_sound_run_has_nothing_to_find(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    shown = cli("audit", "--workspace", tmp_path / "results")
    assert shown.out.startswith("No problems found.")
