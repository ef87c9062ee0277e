"""Every protocol through the command line: run, then look at it with all the commands there are."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


@pytest.mark.parametrize(
    ("protocol", "part", "edits"),
    [("cross_edit", "/cross_edit", 4), ("cross_edit_swapped", "/cross_edit_swapped", 4),
     ("sequence", "/sequence-3", 6), ("sequence?edits=2", "/sequence-2", 4), ("stay", "/stay", 1)],
)  # fmt: skip
def test_a_protocol_is_chosen_by_name_and_kept_under_its_own(
    cli: Cli, run: Words, protocol: str, part: str, edits: int
) -> None:
    ran = cli(*run("--protocol", protocol, "--limit", 2, "--json"))
    assert (ran.code, ran.json["run"]["edits"]) == (0, 2 * 2 * edits)
    assert ran.json["ranking"]["suite"].endswith(part)
    assert [row["n"] for row in ran.json["ranking"]["rows"]] == [2]


def test_a_wrong_name_is_wrong_use(cli: Cli, run: Words) -> None:
    ran = cli(*run("--protocol", "crossedit"))
    assert ran.code == 2
    assert "did you mean cross_edit?" in ran.sentence


@pytest.fixture
def both(cli: Cli, run: Words, tmp_path: Path) -> tuple[Path, str, str]:
    """A workspace with round trips and cross edits of two models, and what the two are called."""
    names = []
    for protocol in ("round_trip", "cross_edit"):
        ran = cli(*run("--protocol", protocol, "--json", model="jpeg,blur"))
        names.append(ran.json["ranking"]["suite"])
    return tmp_path / "results", *names


def test_the_last_protocol_is_shown_and_each_can_be_named(cli: Cli, both: tuple[Path, str, str]) -> None:
    workspace, trips, crossed = both
    assert cli("summary", "-w", workspace, "--json").json["suite"] == crossed
    found = cli("summary", "-w", workspace, "--suite", trips, "--json").json
    assert (found["suite"], [row["n"] for row in found["rows"]]) == (trips, [3, 3])


COMMANDS = (
    ("compare", "jpeg", "blur"),
    ("audit",),
    ("worst",),
    ("export", "-o", "OUT"),
    ("plot", "-o", "OUT.png"),
    ("grid", "-o", "OUT.png"),
    ("report", "-o", "OUT"),
)


def test_every_command_works_on_cross_edits(cli: Cli, both: tuple[Path, str, str], tmp_path: Path) -> None:
    workspace, _, crossed = both
    for words in COMMANDS:
        told = [word.replace("OUT", str(tmp_path / "out")) for word in words]
        ran = cli(*told, "-w", workspace, "--suite", crossed)
        assert (ran.code, ran.err) == (0, ""), words
        assert ran.out, words


def test_the_summary_shows_the_marks_and_ranks_partial_edits_apart(
    cli: Cli, workspace_with_partial_edits: Path
) -> None:
    ran = cli("summary", "-w", workspace_with_partial_edits)
    assert "SSIM by round" in ran.out
    assert "partially reversible edits" in ran.out
    found = cli("summary", "-w", workspace_with_partial_edits, "--json").json
    assert (found["edits"], [row["n"] for row in found["rows"]]) == ("reversible", [2])
    assert [row["n"] for row in found["partial"]["rows"]] == [1]
    assert [row["round"] for row in found["by_round"]] == [1, 2, 3]
    rows = list(csv.DictReader(io.StringIO(cli("summary", "-w", workspace_with_partial_edits, "--csv").out)))
    assert [row["edits"] for row in rows] == ["reversible", "partially reversible"]


def test_the_report_has_both_rankings(cli: Cli, workspace_with_partial_edits: Path, tmp_path: Path) -> None:
    assert cli("report", "-w", workspace_with_partial_edits, "-o", tmp_path / "out").code == 0
    page = (tmp_path / "out" / "report.md").read_text()
    assert page.count("partially reversible edits") == 1
    assert page.count("SSIM by round") == 2


@pytest.fixture
def workspace_with_partial_edits(tmp_path: Path, make_source: Callable[..., Any]) -> Path:
    from convergebench import api
    from convergebench.editors import open_editor
    from convergebench.engine import Plan
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace
    from convergebench.suites._pairs import cases_of

    cases = cases_of(make_source(), (), ["cat_add_remove", "dog_add_remove", "fog_add_remove"])
    settings = api.Settings(("jpeg",), metrics=("psnr", "ssim"))
    with Workspace.create(tmp_path / "mixed") as store:
        api.execute(Plan("tiny@1", round_trip(3), cases, (open_editor("jpeg"),), (0,)), settings, store)
    return tmp_path / "mixed"
