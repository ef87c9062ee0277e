"""convergebench import"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    WorkspaceFolder,
    follow_up,
    listed,
    print_json,
)

NAME = "import"


def command(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A detailed CSV, a results JSON, or a folder of chains.")
    ],
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="NAME", help="Model that made the results.")
    ] = None,
    suite: Annotated[str, typer.Option(metavar="SUITE", help="Suite to import into.")] = "imported",
    metric: Annotated[
        list[str], typer.Option(metavar="METRIC", help="Metrics for pictures. [default: the default set]")
    ] = [],  # noqa: B006
    clip: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder or hub id of the CLIP weights.")
    ] = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """Import tables or pictures made outside ConvergeBench."""
    from convergebench import metrics
    from convergebench.importing import import_path
    from convergebench.store import Workspace

    metric_set = metrics.MetricSet(
        listed(metric) or metrics.DEFAULT_MEASURED, metrics.MetricOptions(clip=clip)
    )
    with Workspace.create(workspace) as store:
        imported = import_path(store, path, model, suite, metric_set)
    if as_json:
        print_json(
            {
                "suite": imported.suite,
                "models": list(imported.models),
                "returns": imported.returns,
                "incomplete": dict(imported.incomplete),
            }
        )
        return
    for case, reason in imported.incomplete.items():
        typer.echo(f"convergebench: {case} is incomplete: {reason}", err=True)
    typer.echo(
        f"Imported {imported.returns:,} returns of {', '.join(imported.models)} into {workspace} "
        f"as suite {imported.suite}. Next: {follow_up('audit', workspace, '--suite', imported.suite)}"
    )
