"""convergebench report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, ModelNames, SuiteName, WorkspaceFolder, benchmark

NAME = "report"


def command(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to. [default: the workspace]"),
    ] = None,
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Write the page, report.md, curves, pictures and tables."""
    with benchmark(workspace, model) as opened:
        *others, page = opened.report(output, suite=suite)
    for path in others:
        typer.echo(f"Wrote {path}")
    typer.echo(f"Wrote {page}; open it in a browser")
