"""convergebench grid"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, SuiteName, WorkspaceFolder, benchmark

NAME = "grid"
FORMATS = (".png", ".jpg", ".webp")


def command(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File: .png, .jpg or .webp. [default: in the workspace]"
        ),
    ] = None,
    columns: Annotated[int, typer.Option(metavar="N", min=1, help="Number of cases to draw.")] = 6,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Draw the last pictures below their sources, one row per model."""
    from convergebench.errors import WrongUse
    from convergebench.report import picture_grid

    if output is not None and output.suffix.lower() not in FORMATS:
        raise WrongUse(
            f"cannot draw a {output.suffix or 'suffix-less'} file; use one of {', '.join(FORMATS)}"
        )
    with benchmark(workspace) as opened:
        results = opened.results(suite)
        path = output or workspace / f"model_comparison_round{results.rounds}.png"
        picture_grid(opened.grid_rows(results, columns), path)
    typer.echo(f"Wrote {path}")
