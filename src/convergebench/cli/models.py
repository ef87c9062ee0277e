"""convergebench models"""

from __future__ import annotations

from convergebench.cli.options import AsJson, console, print_json

NAME = "models"


def command(as_json: AsJson = False) -> None:
    """Models that can be tested, with their parameters and prices."""
    from convergebench.editors import listings

    if as_json:
        print_json(
            [
                {"name": one.name, "role": one.role, "version": one.version, "price_usd": one.price_usd,
                 "parameters": dict(one.parameters), "summary": one.summary, "missing": one.missing()}
                for one in listings()
            ]
        )  # fmt: skip
        return
    from rich.table import Table

    table = Table("model", "role", "ready", "$ an edit", "parameters", "what it does", box=None)
    for one in listings():
        price = (
            "unknown" if one.price_usd is None else "free" if one.price_usd == 0 else f"{one.price_usd:.3f}"
        )
        parameters = "&".join(f"{key}={value}" for key, value in one.parameters.items())
        table.add_row(one.name, one.role, "no" if one.missing() else "yes", price, parameters, one.summary)
    console().print(table)
