"""convergebench paper"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    listed,
)

if TYPE_CHECKING:
    from convergebench.report.paper import PaperFormat, PaperTemplate

NAME = "paper"
_NO_LATEX = "compile it with pdflatex, bibtex and pdflatex twice, or with tectonic"


def command(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for the PDF and its source.", show_default=True
        ),
    ] = Path("paper"),
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="The paper's title.")] = None,
    author: Annotated[list[str], typer.Option(metavar="NAME", help="An author; repeat it for several.")] = [],  # noqa: B006
    template: Annotated[
        str, typer.Option(metavar="NAME", help="article or twocolumn.", show_default=True)
    ] = "article",
    format: Annotated[
        list[str],
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="pdf (set by Typst), latex; separated by commas.",
        ),
    ] = ["pdf"],  # noqa: B006
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Write a paper about the results, as PDF or in LaTeX.

    Typst source, text, figures and data are written beside the PDF. LaTeX is written into a folder of its
    own, with references for BibTeX, and compiled if pdflatex or tectonic is installed.

    Rerunning updates data and figures, in both formats if they are there, and keeps text that you have
    changed.
    """
    from convergebench.report.paper import Heading, write_paper
    from convergebench.results import suites_with_returns

    chosen, formats = _template(template), _formats(listed(format))
    with benchmark(workspace, model) as opened:
        results = opened.results(suite) if suites_with_returns(opened.workspace) else None
        heading = Heading(title or "", tuple(author))
        written = write_paper(opened.workspace, results, output, heading, chosen, formats)
    for source in written.sources:
        pdf = written.latex_pdf if source.suffix == ".tex" else written.pdf
        typer.echo(f"Wrote {pdf}; its source is {source}" if pdf else f"Wrote {source}; {_NO_LATEX}")
    for folder in written.former:
        typer.echo(f"Texts of an earlier version are in {folder}")
    if written.kept:
        names = ", ".join(path.name for path in written.kept)
        typer.echo(f"Kept your changes in: {names}; delete a file to get a fresh one")


def _template(name: str) -> PaperTemplate:
    from convergebench.errors import unknown_name

    known: dict[str, PaperTemplate] = {"article": "article", "twocolumn": "twocolumn"}
    if name not in known:
        raise unknown_name("template", name, known)
    return known[name]


def _formats(names: tuple[str, ...]) -> list[PaperFormat]:
    from convergebench.errors import unknown_name

    known: dict[str, PaperFormat] = {"pdf": "pdf", "latex": "latex"}
    for name in names:
        if name not in known:
            raise unknown_name("format", name, known)
    return [known[name] for name in dict.fromkeys(names)]
