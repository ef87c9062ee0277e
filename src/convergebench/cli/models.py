"""convergebench models"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import AsJson, print_json, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from convergebench.editors import Listing

NAME = "models"


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="Show this model's parameters and needs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Models that can be tested, and what an edit costs. With a name: its parameters and needs."""
    from convergebench.editors import listings, parse

    chosen = listings() if name is None else [parse(name)[0]]
    if as_json:
        print_json(
            [
                {"name": one.name, "role": one.role, "version": one.version, "price_usd": one.price_usd,
                 "parameters": dict(one.parameters), "summary": one.summary, "missing": one.missing()}
                for one in chosen
            ]
        )  # fmt: skip
    elif name is None:
        _list(chosen)
    else:
        _show(chosen[0])


def _list(every: Sequence[Listing]) -> None:
    """In plain text: rich would take longer than all the rest of this command."""
    rows = [("model", "role", "ready", "$/edit", "what it does")]
    rows += [
        (one.name, one.role, "no" if one.missing() else "yes", _price(one), one.summary) for one in every
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        start = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False))
        room = max(20, terminal_width() - len(start) - 2)
        for number, line in enumerate(wrap(row[4], room)):
            typer.echo(f"{' ' * len(start) if number else start}  {line}")
    typer.echo("\nconvergebench models MODEL shows its parameters, and what it needs to be ready.")


def _show(one: Listing) -> None:
    typer.echo(f"{one.name}: {one.summary}")
    typer.echo(f"  {one.role}, version {one.version}, price of an edit: {_price(one)}")
    typer.echo(f"  {one.missing() or 'ready to use'}")
    for key, value in one.parameters.items():
        typer.echo(f"  {key} = {value}")
    for key, value in list(one.parameters.items())[:1]:
        typer.echo(f"Change parameters in its name: --model '{one.name}?{key}={value}'")


def _price(one: Listing) -> str:
    if one.price_usd is None:
        return "unknown"
    return f"${one.price_usd:.3f}" if one.price_usd else "free"
