"""What arguments are for, in the help of a command.

From click 8.5 on, an argument has help of its own, of which Typer before 0.26 does not know: what it was
given is overwritten, and its section of arguments would stand below another one by click.
"""

from __future__ import annotations

from typing import Any

import typer.main
from typer.core import TyperArgument, TyperCommand


class ArgumentWithHelp(TyperArgument):
    def __init__(self, *, help: str | None = None, **given: Any) -> None:
        super().__init__(help=help, **given)
        self.help = help


def keep_argument_help() -> None:
    """For all commands that are built from now on."""
    vars(typer.main)["TyperArgument"] = ArgumentWithHelp
    setattr(TyperCommand, "format_arguments", lambda self, ctx, formatter: None)  # noqa: B010
