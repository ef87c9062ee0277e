"""convergebench report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, SuiteName, WorkspaceFolder, benchmark

NAME = "report"


def command(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder; the workspace's unless named."),
    ] = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Write everything at once: report.md, curves, pictures, CSV files."""
    from convergebench.report import report

    with benchmark(workspace) as opened:
        results = opened.results(suite)
        page = report(results, output or workspace, opened.grid_rows(results))
    typer.echo(f"Wrote {page}")
