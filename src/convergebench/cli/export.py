"""convergebench export"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, SuiteName, WorkspaceFolder, benchmark

NAME = "export"


def command(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder; the workspace's unless named."),
    ] = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Write CSV files for other programs.

    The four of the original benchmark, all measurements in long form, and what is missing.
    """
    from convergebench.report import export

    with benchmark(workspace) as opened:
        files = export(opened.results(suite), output or workspace)
    for file in files:
        typer.echo(f"Wrote {file}")
