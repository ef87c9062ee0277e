"""convergebench export"""

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
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from convergebench.benchmarks.layouts import FolderLayout
    from convergebench.report.export.result_folders import ExportedResults
    from convergebench.types import SuiteId

NAME = "export"


def command(
    format: Annotated[
        list[str],
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="csv, parquet, markdown, latex; several separated by commas.",
        ),
    ] = ["csv"],  # noqa: B006
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Write pictures instead, in the folders that a set's own programs read: edival, magicbrush, "
            "do-undo, imgedit, gedit, gedit2, wiseedit, reedit, kris, rise.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Output folder. [default: the workspace]"),
    ] = None,
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Export results for other programs and for papers.

    csv: the four files of the original benchmark, all measurements in long form, and missing values.
    parquet: all measurements. markdown, latex: the ranking and its breakdowns as tables.
    """
    from convergebench.errors import WrongUse
    from convergebench.report import FORMATS, export_as

    if layout is not None:
        _export_pictures(layout, output or workspace / layout, model, suite, workspace)
        return
    wanted = listed(format)
    for name in wanted:
        if name not in FORMATS:
            raise WrongUse(f"unknown format {name!r}; choose from {', '.join(FORMATS)}")
    with benchmark(workspace, model) as opened:
        for name in dict.fromkeys(wanted):
            for file in export_as(name, opened.workspace, output or workspace, suite):
                typer.echo(f"Wrote {file}")


def _export_pictures(
    layout: str, folder: Path, models: list[str], suite: SuiteId | None, workspace: Path
) -> None:
    from convergebench.benchmarks.layouts import folder_layout
    from convergebench.errors import WrongUse
    from convergebench.report.export.result_folders import export_results

    chosen = folder_layout(layout)
    with benchmark(workspace, models) as opened:
        done = export_results(opened.workspace, chosen, folder, suite)
    nothing = [_why_nothing(one, chosen) for one in done if not one.pictures]
    if len(nothing) == len(done):
        raise WrongUse(f"no result was written: {'; '.join(nothing)}")
    for one in done:
        if one.pictures:
            missing = f", {one.missing} missing" if one.missing else ""
            typer.echo(f"Wrote {counted(one.pictures, 'picture')} of {one.model} to {one.folder}{missing}")
    for reason in nothing:
        typer.echo(f"convergebench: {reason}", err=True)


def _why_nothing(one: ExportedResults, layout: FolderLayout) -> str:
    from convergebench.importing.result_folders import PROTOCOLS

    if one.missing:
        return f"none of the {counted(one.missing, 'result')} of {one.model} has a picture"
    protocols = [PROTOCOLS[role] for role in layout.roles]
    return (
        f"the layout {layout.name} is for results of the protocol {' or '.join(protocols)}, and {one.model} "
        f"has none; make them with convergebench run --protocol {protocols[0]}, with the same suite and model"
    )
