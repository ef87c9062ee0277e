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
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="strip, curves, survival, drift or headline: one figure for a talk, as SVG and PNG. "
            "[default: curves of the score and the metrics]",
        ),
    ] = None,
    metric: Annotated[
        list[str],
        typer.Option(
            metavar="METRIC",
            help="Metrics, separated by commas, without the score. [default: all, after the score]",
        ),
    ] = [],  # noqa: B006
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Plot the metrics over the rounds, or one figure for a talk.

    Curves have intervals. strip: source and returns of each model's median case. survival: how many chains
    still have half of the picture. drift: in which way pictures decay. headline: the score of each model.
    """
    from convergebench.report import plot_curves

    with benchmark(workspace, model) as opened:
        if figure is None:
            paths = [output or workspace / "degradation_curves.png"]
            plot_curves(opened.results(suite), paths[0], listed(metric) or None)
        else:
            paths = [output] if output else [workspace / f"{figure}{suffix}" for suffix in (".svg", ".png")]
            opened.plot_figure(figure, paths, listed(metric) or None, suite=suite)
    for path in paths:
        typer.echo(f"Wrote {path}")
