"""convergebench compare"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    console,
    print_json,
    print_note,
)

NAME = "compare"


class Part(StrEnum):
    CATEGORY = "category"
    KIND = "kind"
    PAIR = "pair"


def command(
    first: Annotated[str, typer.Argument(metavar="A", help="A model in the workspace.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another model in the workspace.")],
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC", help="Compare by this metric. [default: the score, and ssim for shapes]"
        ),
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Round to compare at. [default: last round]")
    ] = None,
    threshold: Annotated[
        float, typer.Option(metavar="SHARE", help="A half-life ends when less than this share is left.")
    ] = 0.5,
    by: Annotated[Part | None, typer.Option(help="Also compare on each of these separately.")] = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Compare two models on their shared cases.

    By the score and what it consists of, then by every metric; only by metrics if one or a round is named.
    """
    from convergebench.analysis import model_differences, model_profiles
    from convergebench.report import (
        csv_paired,
        csv_text,
        json_paired,
        paired_notes,
        paired_table,
        profile_lines,
    )

    with benchmark(workspace) as opened:
        results = opened.results(suite)
    chief = metric or results.chief
    differences = model_differences(results, first, second, metric, round, by.value if by else None)
    if as_csv:
        typer.echo(csv_text(csv_paired(differences)), nl=False)
        return
    profiles = model_profiles(results, (first, second), chief, threshold)
    if as_json:
        print_json(json_paired(differences, profiles))
        return
    out = console()
    out.print(paired_table(differences, out.width))
    for note in paired_notes(differences):
        print_note(note)
    for one in profiles:
        name, *lines = profile_lines(one)
        out.print(name, markup=False)
        for line in lines:
            print_note(line.strip(), style="none")
