"""convergebench view"""

from __future__ import annotations

from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, SuiteName, WorkspaceFolder

NAME = "view"


def command(
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes any that is free.")] = 8642,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Serve the page on this machine, live while a run goes on."""
    from convergebench.report.page.server import serve

    serve(workspace, suite, port, lambda address: typer.echo(f"Open {address} (Ctrl-C to end)"))
