"""convergebench turns"""

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
    listed,
    print_json,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from convergebench.analysis.sessions.figures import TurnCurve

NAME = "turns"


def command(
    model: Annotated[
        list[str], typer.Option("--model", "-m", metavar="NAME", help="Only these models.")
    ] = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Show sessions turn by turn: what is kept, and how many pass."""
    from convergebench.analysis.sessions.figures import measured_curves
    from convergebench.report.export.csv_files import csv_text
    from convergebench.report.tables.turns import CSV_COLUMNS, csv_turns, json_turns
    from convergebench.results.sessions import choose_suites, load_sessions

    with benchmark(workspace) as opened:
        suites = choose_suites(opened.workspace, suite)
        curves = {
            name: measured_curves(load_sessions(opened.workspace, [name], listed(model))) for name in suites
        }
    if as_json:
        print_json([{"suite": name, "curves": json_turns(found)} for name, found in curves.items()])
        return
    if as_csv:
        rows = [row for name, found in curves.items() for row in csv_turns(name, found)]
        typer.echo(csv_text([CSV_COLUMNS, *rows]), nl=False)
        return
    for name, found in curves.items():
        print_turns(name, found)


def print_turns(suite: str, curves: Sequence[TurnCurve]) -> None:
    from convergebench.report.tables.turns import turn_notes, turn_tables

    out = console()
    out.print(suite, style="bold", markup=False)
    for table in turn_tables(curves):
        out.print(table)
    for note in turn_notes(curves):
        out.print(f"  {note}", style="dim", markup=False)
