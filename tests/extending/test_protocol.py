from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from extending.conftest import Commands, Install, Interpreter, Python

TWICE = """
    from convergebench.protocols import EditingProtocol, protocol

    @protocol(cases=lambda chosen: chosen.cases[: chosen.settings["cases"]])
    def twice_there(rounds: int, cases: int = 1) -> EditingProtocol:
        \"\"\"Edit, edit again, undo, `rounds` times.\"\"\"

        async def run(case, edit):
            image = case.source
            for n in range(1, rounds + 1):
                once = await edit(image, case.forward, role="forward", round=n)
                twice = await edit(once, case.forward, role="forward_2", round=n)
                image = await edit(twice, case.backward, role="home", round=n)

        return EditingProtocol("twice_there", run, rounds, edits=3 * rounds, returns=frozenset({"home"}))
"""


@pytest.fixture
def interpreter() -> Interpreter:
    """One that starts: protocols are found when the package is imported."""

    def run(words: Sequence[object], **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)

    return run


@pytest.fixture(autouse=True)
def twice(install: Install) -> None:
    install("convergebench.protocols", "twice", {"twice.py": TWICE})


def test_an_installed_protocol_is_named_run_ranked_exported_and_shown(
    commands: Commands, run_words: Callable[..., Any], tmp_path: Path
) -> None:
    refused, ran, ranked, _, shown = commands(
        run_words("--protocol", "qqq"),
        run_words("--protocol", "twice_there?cases=2", "--json"),
        ("summary", "--json"),
        ("export", "-o", "out"),
        ("report", "-o", "page"),
    )
    assert "twice_there" in refused.sentence
    assert ran.json["run"]["edits"] == 2 * 2 * 3
    assert ranked.json["suite"].endswith("/twice_there-2")
    assert [row["n"] for row in ranked.json["rows"]] == [2]
    assert any("home" in file.read_text() for file in (tmp_path / "out").glob("*.csv"))
    assert shown.code == 0


def test_a_protocol_can_be_imported_before_anything_else_of_the_program(python: Python) -> None:
    script = (
        "import twice; from convergebench.protocols import NAMES, RETURN_ROLES; print(NAMES, *RETURN_ROLES)"
    )
    said = python("-c", script)
    assert "'twice_there'" in said
    assert "home" in said.split()


def test_a_protocol_with_a_name_that_is_taken_is_skipped_with_a_warning(
    site: Path, commands: Commands, run_words: Callable[..., Any]
) -> None:
    (site / "twice.py").write_text(dedent(TWICE.replace("def twice_there", "def stay")))
    (refused,) = commands(run_words("--protocol", "qqq"))
    assert "two protocols are called 'stay'" in refused.err
