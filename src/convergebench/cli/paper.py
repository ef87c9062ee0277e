"""convergebench paper"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, ModelNames, SuiteName, WorkspaceFolder, benchmark

NAME = "paper"


def command(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for the PDF and its source.", show_default=True
        ),
    ] = Path("paper"),
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="The paper's title.")] = None,
    author: Annotated[list[str], typer.Option(metavar="NAME", help="An author; repeat it for several.")] = [],  # noqa: B006
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Write a paper about the results as PDF and Typst source.

    Text, figures and data are written beside the PDF.

    Rerunning updates data and figures and keeps text that you have changed.
    """
    from convergebench.report.paper import TITLE, Heading, write_paper

    with benchmark(workspace, model) as opened:
        heading = Heading(title or TITLE, tuple(author))
        written = write_paper(opened.workspace, opened.results(suite), output, heading)
    typer.echo(f"Wrote {written.pdf}; its source is {output / 'paper.typ'}")
    if written.kept:
        names = ", ".join(path.name for path in written.kept)
        typer.echo(f"Kept your changes in: {names}; delete a file to get a fresh one")
