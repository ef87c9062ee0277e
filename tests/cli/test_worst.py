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


def test_the_worst_cases_come_first(cli: Cli, blurred: Path) -> None:
    told = cli("worst", "--workspace", blurred, "--json").json
    values = [one["value"] for one in told]
    assert values == sorted(values) and len(values) == 3
    assert {one["round"] for one in told} == {2}


def test_as_many_are_shown_as_asked_for(cli: Cli, blurred: Path) -> None:
    shown = cli("worst", "--workspace", blurred, "--limit", 1, "--csv")
    assert len(shown.out.splitlines()) == 2
    assert cli("worst", "--workspace", blurred, "--limit", 0).code == 2


def test_the_table_names_case_and_picture(cli: Cli, blurred: Path) -> None:
    shown = cli("worst", "--workspace", blurred, "--model", "blur")
    told = cli("worst", "--workspace", blurred, "--json").json
    assert shown.code == 0
    assert all(one["case"] in shown.out and one["digest"][:12] in shown.out for one in told)
