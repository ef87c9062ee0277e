"""convergebench suites"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.listing import print_entry, print_listing
from convergebench.cli.options import AsJson, console, print_json, terminal_width

if TYPE_CHECKING:
    from convergebench.types import Suite

NAME = "suites"
_NARROWEST_TEXTS = 60


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[show] [SUITE]",
            help="List this suite's cases; with show, write a contact sheet.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the suite's pictures to this file as a contact sheet."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the suites, or the cases of one suite."""
    from convergebench.errors import WrongUse

    match words or []:
        case [] if sheet is None:
            _list(as_json)
        case ["show", name] if as_json:
            _show_numbers(name)
        case ["show", name]:
            if as_json:
                _show(name, sheet, as_json)
            else:
                _show_pictures(name, sheet or Path("contact-sheet.png"))
        case [name] if name != "show":
            _show(name, sheet, as_json)
        case [] | ["show"]:
            raise WrongUse("name the suite for the contact sheet; see: convergebench suites")
        case _:
            raise WrongUse(f"{' '.join(words or [])} is more than one suite; name one")


def _list(as_json: bool) -> None:
    from convergebench import suites

    rows = [
        {
            "name": one.name,
            "version": one.version,
            "pictures": one.pictures,
            "cases": one.cases,
            "turns": one.turns,
            "summary": one.summary,
            "needs": one.needs,
        }
        for one in suites.listing()
    ]
    if as_json:
        print_json(rows)
        return
    headings = ("suite", "version", "pictures", "cases", "turns", "description")
    lines = [_line(row) for row in rows]
    lines.append(["folder:PATH", "", "", "", "", "your own pictures, with the built-in edits"])
    lines.append(["edits:FILE", "", "", "", "", "your own edits of your own pictures"])
    print_listing(headings, lines, lambda cells: _below(headings[1:], cells))


def _line(row: dict[str, Any]) -> list[str]:
    # What exactly it needs is said by `suites show NAME`, and when it is lacking.
    own = f"; {row['name']}?data=PATH" if row["needs"] else ""
    known = (row[key] for key in ("name", "version", "pictures", "cases", "turns"))
    return [*("–" if value is None else str(value) for value in known), f"{row['summary']}{own}"]


def _below(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The cells with their headings, for a terminal that is too narrow for a table."""
    known = [f"{name} {cell}" for name, cell in zip(headings, cells, strict=True) if cell not in ("", "–")]
    facts, description = known[:-1], cells[-1]
    return f"{', '.join(facts)}: {description}" if facts else description


def _load(name: str) -> Suite:
    from convergebench import api
    from convergebench.cli.download_progress import fetching

    with fetching(name) as on_package:
        return api.load_suite(name, on_package=on_package)


def _show_numbers(name: str) -> None:
    """What is in a suite, without reading a picture."""
    suite = _load(name)
    sessions = [case for case in suite.cases if len(case.turns) > 1]
    print_json(
        {
            "name": suite.name,
            "version": suite.version,
            "cases": len(suite.cases),
            "sessions": len(sessions),
            "turns": sum(len(case.turns) for case in sessions),
            "pictures": len({case.source.id for case in suite.cases}),
            "unusable": [{"name": one.name, "reason": one.reason} for one in suite.unusable],
        }
    )


def _show_pictures(name: str, sheet: Path) -> None:
    from collections import Counter

    from convergebench.picture import Picture
    from convergebench.suites.catalogue import SMALL_PIXELS
    from convergebench.suites.contact_sheet import contact_sheet

    suite = _load(name)
    edits = Counter(case.source for case in suite.cases)
    headings = ("picture", "kind", "edits", "size", "description")
    rows, small = list[tuple[str, ...]](), 0
    for source, count in edits.items():
        width, height = Picture.from_file(source.path).size
        is_small = width * height < SMALL_PIXELS
        small += is_small
        size = f"{width} × {height}{' *' if is_small else ''}"
        rows.append((source.id, source.kind, str(count), size, source.description))
    print_listing(headings, rows, lambda cells: _below(headings[1:], cells))
    if small:
        typer.echo(
            f"* {small} below {SMALL_PIXELS:,} pixels: a model that works at one megapixel enlarges them"
        )
    sheet.write_bytes(contact_sheet(suite).encoded)
    typer.echo(f"{len(edits)} pictures, {len(suite.cases)} cases. Wrote {sheet}")


def _show(name: str, sheet: Path | None, as_json: bool) -> None:
    from convergebench.suites.contact_sheet import contact_sheet

    suite = _load(name)
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
    elif terminal_width() - max((len(case.id) for case in suite.cases), default=0) < _NARROWEST_TEXTS:
        for case in suite.cases:
            wording = " / ".join(filter(None, (case.forward, case.backward)))
            print_entry(case.id, f"{case.kind}, {case.category}: {wording}")
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
