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
    from convergebench.analysis import Ranking

NAME = "summary"


def command(
    metric: Annotated[str, typer.Option(metavar="METRIC", help="Metric that ranks.")] = "ssim",
    round: Annotated[int | None, typer.Option(metavar="N", help="Round to look at; the last unless named.")] = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """The ranking of all models in the workspace."""
    from convergebench.analysis import ranking
    from convergebench.report import json_ranking

    with benchmark(workspace) as opened:
        ranked = ranking(opened.results(suite), metric, round)
    if as_json:
        print_json(json_ranking(ranked))
    else:
        print_ranking(ranked)


def print_ranking(ranked: Ranking) -> None:
    from convergebench.report import ranking_notes, ranking_table

    out = console()
    out.print(ranking_table(ranked))
    for note in ranking_notes(ranked):
        out.print(f"  {note}", style="dim", markup=False)
