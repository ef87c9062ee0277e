"""convergebench init"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.config_file import config_template
from convergebench.provider_limits import FILE

NAME = "init"


def command(
    context: typer.Context,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.", show_default=True)
    ] = Path(FILE),
) -> None:
    """Write a commented configuration file with every option."""
    from convergebench.errors import WrongUse

    if output.exists():
        raise WrongUse(f"{output} exists; name another file with --output")
    parent = context.parent
    assert parent is not None
    commands = parent.command.commands  # type: ignore[attr-defined]
    output.write_text(config_template(commands), encoding="utf-8")
    typer.echo(f"Wrote {output}; commands in this folder read {FILE}, others take it with --config")
