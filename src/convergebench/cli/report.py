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
    """Write everything: the page, report.md, curves, pictures, tables."""
    from convergebench.report import report
    from convergebench.report.site import write_site

    folder = output or workspace
    with benchmark(workspace) as opened:
        results = opened.results(suite)
        markdown = report(results, folder, opened.grid_rows(results), results.chief)
        page = write_site(opened.workspace, results, folder)
    typer.echo(f"Wrote {markdown}")
    typer.echo(f"Wrote {page}; open it in a browser")
