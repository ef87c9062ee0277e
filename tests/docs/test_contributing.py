"""CONTRIBUTING.md names places that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in row.split(" | ")] for row in re.findall(r"^\| (an? .*) \|$", TEXT, re.MULTILINE)
]
SOURCE = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))


def existing(pattern: str) -> list[Path]:
    """The files or folders that a place stands for; NAME and PROVIDER are any name."""
    return list(ROOT.glob(re.sub("NAME|PROVIDER", "[a-z]*", pattern.strip("`").rstrip("/"))))


def test_there_is_a_row_for_each_kind_of_thing() -> None:
    assert len(ROWS) >= 9
    assert {len(row) for row in ROWS} == {5}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_places_of_a_thing_and_of_its_test_exist(row: list[str]) -> None:
    _, place, _, _, test = row
    assert existing(place)
    assert existing(test)


@pytest.mark.parametrize("group", sorted(set(re.findall(r"`(convergebench\.\w+)`, an? ", TEXT))))
def test_the_groups_of_entry_points_are_read(group: str) -> None:
    assert f'"{group}"' in SOURCE


def test_names_that_a_new_module_defines_are_those_of_the_package() -> None:
    for name in set(re.findall(r"`?(?:MEMBERS|SUITE|BENCHMARK) = \(?(\w+)\(", TEXT)):
        assert re.search(rf"^(class|def) {name}\b", SOURCE, re.MULTILINE), name
