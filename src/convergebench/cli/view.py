"""convergebench view"""

from __future__ import annotations

from typing import Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    chosen_models,
)

NAME = "view"


def command(
    port: Annotated[int, typer.Option(help="Local port; 0 for any free port.")] = 8642,
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Serve the results page locally, updated live during a run."""
    from convergebench.report.page.server import serve

    models = chosen_models(model, workspace)
    serve(workspace, suite, port, lambda address: typer.echo(f"Open {address} (Ctrl-C to stop)"), models)
