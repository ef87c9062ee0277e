"""convergebench suites"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import AsJson, console, print_json

NAME = "suites"


def command(
    name: Annotated[str | None, typer.Argument(metavar="SUITE", help="Show this suite's cases.")] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write its pictures to this file as a contact sheet.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Suites that can be run; with a name, what is in it."""
    from convergebench.errors import WrongUse

    if name is None and sheet is not None:
        raise WrongUse("name the suite whose pictures the sheet shall show; see: convergebench suites")
    if name is None:
        _list(as_json)
    else:
        _show(name, sheet, as_json)


def _list(as_json: bool) -> None:
    from convergebench import suites

    rows = [
        {
            "name": one.name,
            "version": one.version,
            "pictures": one.pictures,
            "cases": one.cases,
            "summary": one.summary,
        }
        for one in suites.listing()
    ]
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table("suite", "version", "pictures", "cases", "what it is", box=None)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    table.add_row("folder:PATH", "", "", "", "your own pictures, with the built-in edits")
    console().print(table)


def _show(name: str, sheet: Path | None, as_json: bool) -> None:
    from convergebench import suites
    from convergebench.suites.contact_sheet import contact_sheet

    suite = suites.load(
        name, lambda package: typer.echo(f"Fetching pictures from {package} (once) …", err=True)
    )
    rows = [
        {
            "id": case.id,
            "kind": case.kind,
            "category": case.category,
            "forward": case.forward,
            "backward": case.backward,
        }
        for case in suite.cases
    ]
    if as_json:
        print_json({"name": suite.name, "version": suite.version, "cases": rows})
    else:
        from rich.table import Column, Table

        texts = (Column(name, overflow="fold") for name in ("kind", "category", "forward", "backward"))
        table = Table(Column("case", no_wrap=True), *texts, box=None)
        for row in rows:
            table.add_row(*(value or "" for value in row.values()))
        console().print(table)
    if sheet is not None:
        sheet.write_bytes(contact_sheet(suite).encoded)
        typer.echo(f"Wrote {sheet}", err=as_json)
