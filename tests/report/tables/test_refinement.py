from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from convergebench.analysis.judged.benchmark_scores import VerdictRow
from convergebench.analysis.judged.judge_reliability import JudgeHealth
from convergebench.analysis.refinement.transitions import RefinementRow, refinement_table
from convergebench.benchmarks.reedit.sums import FIGURES
from convergebench.report.markdown import write_markdown
from convergebench.report.tables.refinement import (
    differences_table,
    differences_text,
    json_transitions,
    transitions_notes,
    transitions_table,
    transitions_text,
)


def rows(values: dict[str, float | None], model: str = "qwen") -> list[VerdictRow]:
    return [
        VerdictRow(model, case, "causal", "en", case, "reedit_causal", value,
                   None if value is not None else "verdict refused")
        for case, value in values.items()
    ]  # fmt: skip


BEFORE: dict[str, float | None] = {"a": 0, "b": 0, "c": 1, "d": 1, "e": None}
AFTER: dict[str, float | None] = {"a": 1, "b": 0, "c": 0, "d": 1, "e": 1}


@pytest.fixture
def table() -> list[RefinementRow]:
    return refinement_table(rows(BEFORE), rows(AFTER), FIGURES)


def printed(table: Table, width: int = 100) -> list[str]:
    out = Console(file=io.StringIO(), width=width)
    out.print(table)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


def test_the_terminal_shows_the_four_ways_what_is_missing_and_the_rate(table: list[RefinementRow]) -> None:
    title, _, _, causal, overall = printed(transitions_table(table))
    assert title.strip() == "Transitions: qwen"
    assert causal.split()[:7] == ["causal", "1", "1", "1", "1", "1", "25.0"]
    assert overall.split()[0] == "OVERALL"


def test_the_terminal_shows_means_with_n_and_signed_differences(table: list[RefinementRow]) -> None:
    causal = printed(differences_table(table))[3]
    assert "50.0 (4)" in causal and "60.0 (5)" in causal and "+10.0 [" in causal
    assert causal.split()[-1] == "1"


def test_several_models_have_a_column(table: list[RefinementRow]) -> None:
    more = refinement_table(rows(BEFORE, "flux"), rows(AFTER, "flux"), FIGURES)
    lines = printed(transitions_table([*table, *more]), 120)
    assert lines[0].strip() == "Transitions"
    assert [line.split()[0] for line in lines[3:] if line.strip("─ ")] == ["qwen", "qwen", "flux", "flux"]


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_number_is_cut_in_a_narrow_terminal(table: list[RefinementRow], width: int) -> None:
    for build, numbers in ((differences_table, {"60.0", "(5)", "0.0"}), (transitions_table, {"1", "25.0"})):
        lines = printed(build(table, width), width)
        assert max(map(len, lines)) <= width
        assert "…" not in "".join(lines)
        assert numbers <= {word for line in lines for word in line.split()}
        assert ("Too narrow for: missing" in " ".join(lines)) or width >= 80


def test_notes_say_what_is_missing_and_how_the_judge_did(table: list[RefinementRow]) -> None:
    assert transitions_notes(table, JudgeHealth(10, 1)) == [
        "qwen: 1 sample missing: primary: verdict refused",
        "Judge: degraded, 1 of 10 judgements failed (10.0 %).",
        "Intervals of 95 %, clustered by source picture.",
    ]


def test_markdown_has_both_tables(table: list[RefinementRow], tmp_path: Path) -> None:
    texts = [transitions_text(table, JudgeHealth(10, 0)), differences_text(table)]
    page = write_markdown(texts, tmp_path / "refined.md").read_text()
    assert "| qwen | causal | 1 | 1 | 1 | 1 | 1 | 25.0 [" in page
    assert "| qwen | causal | Passed (%) | 50.0 (4) | 60.0 (5) | +10.0 [" in page
    assert "- Judge: healthy, 0 of 10 judgements failed." in page


def test_json_has_everything_and_null_for_what_cannot_be_had(table: list[RefinementRow]) -> None:
    found = json.loads(json.dumps(json_transitions(table, JudgeHealth(0, 0)), allow_nan=False))
    overall = found["rows"][-1]
    assert (overall["improvement_rate"], overall["judged"], overall["missing"]) == (25.0, 4, 1)
    assert overall["reasons"] == {"primary: verdict refused": 1}
    assert overall["differences"]["Passed (%)"]["paired"]["mean"] == 0.0
    assert found["judge"] == {"judgements": 0, "failed": 0, "failed_share": None, "condition": None}
    assert (
        json_transitions(refinement_table(rows(BEFORE), [], FIGURES))["rows"][-1]["improvement_rate"] is None
    )
