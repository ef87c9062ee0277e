"""convergebench grid"""

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
    check_picture_file,
)

NAME = "grid"


def command(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File: .png, .jpg or .webp. [default: in the workspace]"
        ),
    ] = None,
    columns: Annotated[int, typer.Option(metavar="N", min=1, help="Number of cases to draw.")] = 6,
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Draw the last pictures below their sources, a row per model."""
    from convergebench.report import picture_grid

    if output is not None:
        check_picture_file(output)
    with benchmark(workspace, model) as opened:
        results = opened.results(suite)
        path = output or workspace / f"model_comparison_round{results.rounds}.png"
        picture_grid(opened.grid_rows(results, columns), path)
    typer.echo(f"Wrote {path}")
