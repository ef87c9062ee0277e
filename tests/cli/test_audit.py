from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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


def test_the_corrected_ranking_is_by_what_a_person_sees_where_that_was_measured(cli: Cli, seen: Path) -> None:
    ranked = cli("audit", "-w", seen, "--json").json["ranking"]
    assert [row["model"] for row in ranked["rows"]] == ["python:shades:darker", "python:shades:brighter"]
    assert ranked["ranked_by"] == "headline_score"
    by_metric = cli("audit", "-w", seen, "--json", "--metric", "ssim").json["ranking"]
    assert [row["model"] for row in by_metric["rows"]] == ["python:shades:brighter", "python:shades:darker"]


def test_a_sound_run_has_nothing_to_find(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    shown = cli("audit", "--workspace", tmp_path / "results")
    assert shown.out.startswith("No problems found.")
