from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
