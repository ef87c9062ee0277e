"""docs/architecture.md describes the package as it is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "convergebench"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ABOUT_CODE = TEXT.partition("## Workspace")[0]
PATHS = sorted({*re.findall(r"`([\w/.-]+(?:/|\.(?:py|js|c|toml)))`", ABOUT_CODE)})


def test_the_map_answers_at_least_ten_questions() -> None:
    questions = re.findall(r"^\| .*\? \| `[\w/]+\.py`", TEXT, re.MULTILINE)
    assert len(questions) >= 10


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path: str) -> None:
    place = ROOT if path in ("src/convergebench/", "pyproject.toml") else PACKAGE
    assert (place / path).is_dir() if path.endswith("/") else (place / path).is_file()


@pytest.mark.parametrize(("path", "name"), re.findall(r"`([\w/]+\.py)` \(`(\w+)`\)", ABOUT_CODE))
def test_every_name_beside_a_path_is_defined_there(path: str, name: str) -> None:
    assert re.search(rf"^(class|def) {name}\b", (PACKAGE / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_layers_are_those_of_the_import_contract() -> None:
    listed = TEXT.partition("```layers\n")[2].partition("```")[0].splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert listed == [layer.replace("convergebench.", "") for layer in contract]


def test_every_package_is_in_the_table_of_packages() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert {room for room in rooms if f"`{room}/`" not in TEXT} == set()
