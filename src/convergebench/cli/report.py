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
    from convergebench.report import report
    from convergebench.report.page import holds_only_single_edits, page_results, write_site

    folder = output or workspace
    with benchmark(workspace, model) as opened:
        # Single edits have no rounds: they get a page and no tables.
        only_single = holds_only_single_edits(opened.workspace)
        results = page_results(opened.workspace, suite) if only_single else opened.results(suite)
        if not only_single:
            typer.echo(f"Wrote {report(results, folder, opened.grid_rows(results))}")
        page = write_site(opened.workspace, results, folder)
    typer.echo(f"Wrote {page}; open it in a browser")
