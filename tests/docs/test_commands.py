"""Commands in the README and the pages can be pasted: they parse, with every option they use."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from convergebench.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    lines = (line for block in BLOCK.findall(page.read_text(encoding="utf-8")) for line in block.splitlines())
    return [line for line in lines if line.startswith("convergebench ")]


def parse(command: Any, name: str, words: list[str], parent: Any = None) -> None:
    with command.make_context(name, words, parent=parent) as context:
        if hasattr(command, "commands") and (rest := [*context._protected_args, *context.args]):
            found, inner, left = command.resolve_command(context, rest)
            parse(inner, found, list(left), context)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_every_command_of_a_page_parses(page: Path) -> None:
    group: Any = typer.main.get_command(app)
    wrong = []
    for line in commands(page):
        try:
            parse(group, "convergebench", shlex.split(line, comments=True)[1:])
        except Exception as error:  # whatever click raises is collected with its line
            wrong.append(f"{line}: {error}")
    assert wrong == []
