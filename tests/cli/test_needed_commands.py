"""What is built of the command line does not show in what it says."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from convergebench.cli.main import app
from convergebench.cli.needed_commands import needed_commands

WHOLE: Any = typer.main.get_command(app)


def help_text(command: Any, *names: str) -> str:
    with command.make_context("convergebench", [*names], resilient_parsing=True) as context:
        for name in names:
            command = command.get_command(context, name)
        return str(command.get_help(context))


def test_the_list_of_commands_is_complete() -> None:
    assert help_text(typer.main.get_command(needed_commands(app, ["--help"]))) == help_text(WHOLE)


@pytest.mark.parametrize("name", sorted(WHOLE.commands))
def test_a_command_is_the_same_without_the_others(name: str) -> None:
    alone: Any = typer.main.get_command(needed_commands(app, [name]))
    assert help_text(alone, name) == help_text(WHOLE, name)
    assert set(alone.commands) == ({name} if name != "init" else set(WHOLE.commands))


def test_an_unknown_command_is_compared_with_all() -> None:
    assert needed_commands(app, ["summry"]) is app
