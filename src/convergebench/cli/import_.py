"""convergebench import"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ClipWeights,
    DinoWeights,
    WorkspaceFolder,
    follow_up,
    listed,
    print_json,
)
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from convergebench.metrics import MetricSet

NAME = "import"


def command(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A detailed CSV, a results JSON, or a folder of chains.")
    ],
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="NAME", help="Model that made the results.")
    ] = None,
    suite: Annotated[str, typer.Option(metavar="SUITE", help="Suite to import into.")] = "imported",
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="PATH is a folder of results in a set's own layout, see `export`; --suite names the set.",
        ),
    ] = None,
    metric: Annotated[
        list[str], typer.Option(metavar="METRIC", help="Metrics for pictures. [default: the default set]")
    ] = [],  # noqa: B006
    clip: ClipWeights = None,
    dino: DinoWeights = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """Import tables or pictures made outside ConvergeBench."""
    from convergebench import metrics
    from convergebench.cli.download_progress import fetch_metric_weights
    from convergebench.importing.import_file import import_path
    from convergebench.store import Workspace
    from convergebench.types import SuiteId, is_portrait

    names = listed(metric) or metrics.DEFAULT_MEASURED
    if path.is_dir():
        portraits = any(is_portrait("", folder.name) for folder in (path, *path.rglob("*")))
        fetch_metric_weights(names, portraits=layout is None and portraits)
    metric_set = metrics.MetricSet(names, metrics.MetricOptions(clip=clip, dino=dino))
    if layout is not None:
        _import_pictures(path, layout, model, suite, workspace, metric_set, as_json)
        return
    with Workspace.create(workspace) as store:
        imported = import_path(store, path, model, SuiteId(suite), metric_set)
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
        f"Imported {counted(imported.returns, 'return')} of {', '.join(imported.models)} into {workspace} "
        f"as suite {imported.suite}. Next: {follow_up('audit', workspace, '--suite', imported.suite)}"
    )


def _import_pictures(
    path: Path,
    layout: str,
    model: str | None,
    suite: str,
    workspace: Path,
    metric_set: MetricSet,
    as_json: bool,
) -> None:
    """Record a folder of results and measure its sessions."""
    import asyncio

    from convergebench import api
    from convergebench.benchmarks.layouts import folder_layout
    from convergebench.engine.measuring.remeasure import measure_workspace
    from convergebench.engine.progress import NoProgress
    from convergebench.errors import WrongUse
    from convergebench.importing.result_folders import import_results
    from convergebench.store import Workspace

    chosen = folder_layout(layout)
    if model is None:
        raise WrongUse("name the model that made these pictures with --model NAME")
    if not path.is_dir():
        raise WrongUse(f"there is no folder {path}; check the name")
    loaded = api.load_suite(chosen.suites[0] if suite == "imported" else suite)
    with Workspace.create(workspace) as store:
        done = import_results(store, path, model, loaded, chosen)
        asyncio.run(measure_workspace(store, metric_set, NoProgress(), done.trajectories))
    if as_json:
        print_json(
            {"suites": done.suites, "model": model, "pictures": done.pictures, "missing": done.missing}
        )
        return
    for case, reason in done.missing.items():
        typer.echo(f"convergebench: {case} is not complete: {reason}", err=True)
    typer.echo(
        f"Imported {counted(done.pictures, 'picture')} of {model} into {workspace} "
        f"as {', '.join(done.suites)}."
    )
