"""convergebench models"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import AsJson, console, print_json

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
    """Models that can be tested, and their prices; with a name, its parameters."""
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
    from rich.table import Column, Table

    table = Table(
        Column("model", no_wrap=True),
        "role",
        "ready",
        Column("$/edit", justify="right"),
        Column("what it does", overflow="fold"),
        box=None,
    )
    for one in every:
        table.add_row(one.name, one.role, "no" if one.missing() else "yes", _price(one), one.summary)
    console().print(table)
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
