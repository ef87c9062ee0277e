"""convergebench summary"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    console,
    print_json,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from convergebench.analysis import Ranking

NAME = "summary"


def command(
    metric: Annotated[
        str | None, typer.Option(metavar="METRIC", help="Metric that ranks; ssim if it is there.")
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Round to look at; the last unless named.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(metavar="SHARE", help="What is left of the picture when a half-life ends.")
    ] = 0.5,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, for machines.")] = False,
) -> None:
    """The ranking of all models in the workspace."""
    from convergebench.analysis import ranking
    from convergebench.report import csv_ranking, csv_text, json_ranking

    with benchmark(workspace) as opened:
        results = opened.results(suite)
    ranked = ranking(results, metric or results.chief, round, threshold)
    if as_json:
        print_json(json_ranking(ranked))
    elif as_csv:
        typer.echo(csv_text(csv_ranking(ranked)), nl=False)
    else:
        print_ranking(ranked)


def print_ranking(ranked: Ranking) -> None:
    from convergebench.report import ranking_table

    out = console()
    out.print(_fitted(ranking_table(ranked), out))
    _print_sentences(ranked)
    print_notes(ranked)


def _print_sentences(ranked: Ranking) -> None:
    """Which way each model's pictures drift."""
    for row in ranked.rows:
        if row.sentence is not None:
            console().print(f"  {row.model} {row.sentence}", markup=False)


def print_notes(ranked: Ranking) -> None:
    """What is missing and why, and what cannot be compared."""
    from convergebench.report import ranking_notes

    for note in ranking_notes(ranked):
        console().print(f"  {note}", style="dim", markup=False)


def _fitted(table: Table, out: Console) -> Table:
    """In a narrow terminal, without cost, time and count of the missing: models and metrics come first."""
    for _ in range(3):
        if out.measure(table, options=out.options.update(max_width=1000)).maximum > out.width:
            table.columns.pop()
    return table
