"""convergebench worst"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    check_picture_file,
    chosen_models,
    console,
    print_json,
    print_note,
)

NAME = "worst"


def command(
    model: Annotated[
        list[str],
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Only these. [default: all models; by a metric also probes]",
        ),
    ] = [],  # noqa: B006
    metric: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Metric to order by. [default: what a person sees, or ssim]"),
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Round to order by. [default: last round]")
    ] = None,
    threshold: Annotated[
        float, typer.Option(metavar="SHARE", help="By a metric, too little is less than this share.")
    ] = 0.5,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Number of cases to list.")] = 10,
    crops: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the worst region of each beside the source's, magnified: .png, .jpg or .webp.",
        ),
    ] = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """List the cases that lost most, worst first.

    "Fell at" is the first round that is not usable; by a metric, the one at which too little is left.
    """
    from convergebench.analysis import worst_by
    from convergebench.report import csv_text, csv_worst, json_worst, worst_notes, worst_table

    if crops is not None:
        check_picture_file(crops)
    models = chosen_models(model, workspace)
    with benchmark(workspace) as opened:
        results = opened.results(suite)
        cases, facts = worst_by(results, metric, round, models, threshold, limit)
        regions = opened.worst_regions(results)
        if crops is not None:
            opened.worst_crops(cases, regions, crops)
            typer.echo(f"Wrote {crops}", err=True)
    if as_json:
        print_json(json_worst(cases, regions))
    elif as_csv:
        typer.echo(csv_text(csv_worst(cases, regions)), nl=False)
    else:
        out = console()
        if cases:
            out.print(worst_table(cases, facts, regions, out.width))
        for note in worst_notes(cases, results, facts, round, models):
            print_note(note)
