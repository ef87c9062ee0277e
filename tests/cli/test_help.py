"""What every command has in common, read from the commands themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from convergebench.cli.command_groups import GROUPS
from convergebench.cli.main import app
from forked_python import run as run_python

NAMES_ITS_MODELS = ("compare",)
"""Its arguments are two models."""


def every_command(group: Any = None, path: str = "") -> Iterator[tuple[str, Any]]:
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        yield f"{path}{name}", command
        if hasattr(command, "commands"):
            yield from every_command(command, f"{path}{name} ")


def options_of(command: Any) -> dict[str, Any]:
    return {max(one.opts, key=len): one for one in command.params if one.param_type_name == "option"}


def test_every_command_that_reads_results_takes_models_and_a_suite() -> None:
    commands = dict(every_command())
    for name in (*GROUPS["Results"], "judge", "score", "vote", "agreement", "audit", "check"):
        wanted = {"--suite", "--workspace"} | (set() if name in NAMES_ITS_MODELS else {"--model"})
        assert wanted <= options_of(commands[name]).keys(), name


def test_help_shows_every_default() -> None:
    for name, command in every_command():
        for option, one in options_of(command).items():
            has_default = one.default not in (None, "", (), []) and not (one.is_flag and one.default is False)
            assert not has_default or one.show_default or "[default: " in one.help, f"{name} {option}"
            assert one.help or one.hidden, f"{name} {option}"


def test_help_says_what_every_argument_is() -> None:
    for name, command in every_command():
        for one in command.params:
            shown = one.param_type_name != "argument" or one.hidden or one.help
            assert shown, f"{name} {one.name}"


def test_every_command_is_in_a_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(name for name, _ in every_command() if " " not in name)


def test_no_summary_of_a_command_is_cut_in_80_columns() -> None:
    room = 80 - 8 - max(len(name) for names in GROUPS.values() for name in names)
    cut = {name: command.get_short_help_str(room) for name, command in every_command()}
    assert {name: text for name, text in cut.items() if text.endswith("...")} == {}


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (("su",), {"summary", "submit", "suites"}),
        (("run", "--su"), {"--suite"}),
        (("workspace", "g"), {"gc"}),
    ],
)
def test_a_shell_is_told_how_a_word_goes_on(typed: tuple[str, ...], offered: set[str]) -> None:
    asked = {
        "_CONVERGEBENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("convergebench", *typed)),
        "COMP_CWORD": str(len(typed)),
    }
    told = run_python(["-m", "convergebench"], env={**os.environ, **asked})
    assert (set(told.stdout.split()), told.returncode) == (offered, 0)
