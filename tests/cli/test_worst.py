from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.picture import Picture
from convergebench.results import Records, load_results
from convergebench.store import Workspace
from convergebench.types import Measurement

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


@pytest.fixture
def blurred(cli: Cli, run: Words, tmp_path: Path) -> Path:
    assert cli(*run(model="blur")).code == 0
    return tmp_path / "results"


def never_returns(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Makes an editor that refuses everything."""
    (folder / "stubborn.py").write_text(
        "from convergebench.types import Refused\n"
        "def never(image, instruction, seed):\n"
        "    raise Refused('I never do')\n"
    )
    monkeypatch.syspath_prepend(folder)


def test_the_worst_cases_come_first(cli: Cli, blurred: Path) -> None:
    told = cli("worst", "--workspace", blurred, "--json").json
    values = [one["value"] for one in told]
    assert values == sorted(values) and len(values) == 3
    assert {one["round"] for one in told} == {2}


def test_as_many_are_shown_as_asked_for(cli: Cli, blurred: Path) -> None:
    shown = cli("worst", "--workspace", blurred, "--limit", 1, "--csv")
    assert len(shown.out.splitlines()) == 2
    assert cli("worst", "--workspace", blurred, "--limit", 0).code == 2


def test_a_round_that_was_never_made_is_refused(cli: Cli, blurred: Path) -> None:
    for number in (0, 99):
        ended = cli("worst", "--workspace", blurred, "--round", number)
        assert (ended.code, ended.sentence) == (2, f"there is no round {number}; choose one from 1 to 2")


def test_a_model_without_returns_says_why_instead_of_an_empty_table(
    cli: Cli, run: Words, blurred: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    never_returns(monkeypatch, tmp_path)
    assert cli(*run(model="python:stubborn:never")).code != 0
    shown = " ".join(cli("worst", "--workspace", blurred, "--model", "python:stubborn:never").out.split())
    assert "No case of python:stubborn:never has a value of SSIM at round 2." in shown
    why = "3 returns missing, refused by the model: I never do (python:stubborn:never 3)"
    assert why in shown
    assert why in " ".join(cli("worst", "--workspace", blurred).out.split())
    assert cli("worst", "--workspace", blurred, "--model", "python:stubborn:never", "--json").json == []


@pytest.mark.parametrize("command", ["summary", "worst", "audit", "paper"])
def test_where_every_edit_was_refused_each_command_says_so(
    cli: Cli, run: Words, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    never_returns(monkeypatch, tmp_path)
    cli(*run(model="python:stubborn:never"))
    ended = cli(command, "--workspace", tmp_path / "results")
    assert ended.sentence == (
        "nothing to measure, because there is no return: "
        "3 of 3 chains of python:stubborn:never refused (I never do)"
    )


def test_the_table_names_case_and_picture(cli: Cli, blurred: Path) -> None:
    shown = cli("worst", "--workspace", blurred, "--model", "blur")
    told = cli("worst", "--workspace", blurred, "--json").json
    assert shown.code == 0
    assert all(one["case"] in shown.out and one["digest"][:12] in shown.out for one in told)


def record_box(folder: Path, case: str, digest: str, box: list[int]) -> None:
    """What measuring by region leaves behind."""
    with Workspace.create(folder) as workspace:
        suite = load_results(workspace).suite
        sources = {one.case.id: source for one, source in Records.of(workspace).beginnings(suite)}
        measured = Measurement("flip_peak", "1", 0.7, detail=json.dumps({"box": box}))
        workspace.record_measurements([(sources[case], digest, measured)]).result()


def test_the_worst_region_is_named_and_drawn_beside_the_sources(
    cli: Cli, blurred: Path, tmp_path: Path
) -> None:
    first = cli("worst", "--workspace", blurred, "--json").json[0]
    assert first["worst_region"] is None
    record_box(blurred, first["case"], first["digest"], [4, 6, 16, 16])
    again = cli("worst", "--workspace", blurred, "--metric", "ssim", "--json").json
    assert again[0]["worst_region"] == {"left": 4, "top": 6, "width": 16, "height": 16}
    assert again[1]["worst_region"] is None
    sheet = tmp_path / "crops.png"
    shown = cli("worst", "--workspace", blurred, "--metric", "ssim", "--crops", sheet)
    assert shown.code == 0
    assert "16 × 16 at 4, 6" in shown.out
    assert Picture.from_file(sheet).size[0] > 2 * 200
    assert "4,6,16,16" in cli("worst", "--workspace", blurred, "--metric", "ssim", "--csv").out


def test_crops_without_a_known_region_are_refused_with_the_reason(
    cli: Cli, blurred: Path, tmp_path: Path
) -> None:
    ended = cli("worst", "--workspace", blurred, "--crops", tmp_path / "crops.png")
    assert (ended.code, (tmp_path / "crops.png").exists()) == (2, False)
    assert ended.sentence.startswith("no worst region is known of these returns")
    assert cli("worst", "--workspace", blurred, "--crops", tmp_path / "crops.txt").code == 2
