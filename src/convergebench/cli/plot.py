"""convergebench plot"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    listed,
)

NAME = "plot"


def command(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File: .png, .svg or .pdf. [default: in the workspace]"
        ),
    ] = None,
    metric: Annotated[
        list[str], typer.Option(metavar="METRIC", help="Metrics, separated by commas. [default: all]")
    ] = [],  # noqa: B006
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Plot every metric over the rounds, with intervals."""
    from convergebench.report import plot_curves

    path = output or workspace / "degradation_curves.png"
    with benchmark(workspace, model) as opened:
        plot_curves(opened.results(suite), path, listed(metric) or None)
    typer.echo(f"Wrote {path}")
