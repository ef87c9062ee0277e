"""convergebench import"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import DEFAULT_WORKSPACE, AsJson, WorkspaceFolder, listed, print_json

NAME = "import"


def command(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A detailed CSV, a results JSON, or a folder of chains.")
    ],
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="NAME", help="The model that made it.")
    ] = None,
    suite: Annotated[str, typer.Option(metavar="SUITE", help="The suite that it belongs to.")] = "imported",
    metric: Annotated[
        list[str], typer.Option(metavar="METRIC", help="Metrics for pictures; the default set unless named.")
    ] = [],  # noqa: B006
    clip: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder or hub id of the CLIP weights.")
    ] = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """Bring in tables or pictures made elsewhere."""
    from convergebench import metrics
    from convergebench.importing import import_path
    from convergebench.store import Workspace

    metric_set = metrics.MetricSet(
        listed(metric) or metrics.DEFAULT_MEASURED, metrics.MetricOptions(clip=clip)
    )
    with Workspace.create(workspace) as store:
        brought = import_path(store, path, model, suite, metric_set)
    if as_json:
        print_json(
            {
                "suite": brought.suite,
                "models": list(brought.models),
                "returns": brought.returns,
                "incomplete": dict(brought.incomplete),
            }
        )
        return
    for case, reason in brought.incomplete.items():
        typer.echo(f"convergebench: {case} is incomplete: {reason}", err=True)
    typer.echo(
        f"Imported {brought.returns:,} returns of {', '.join(brought.models)} into {workspace} "
        f"as suite {brought.suite}. Next: convergebench audit --suite {brought.suite}"
    )
