"""convergebench measure"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import AsJson, console, listed, print_json

NAME = "measure"


def command(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="The picture to compare with.")],
    picture: Annotated[list[Path], typer.Argument(metavar="PICTURE", help="One or more pictures.")],
    metric: Annotated[
        list[str], typer.Option(metavar="METRIC", help="Only these, separated by commas; all unless named.")
    ] = [],  # noqa: B006
    clip: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder or hub id of the CLIP weights.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Every metric for pictures on disk, against a source."""
    from convergebench import metrics
    from convergebench.picture import Picture

    names = metrics.expand(listed(metric) or metrics.names())
    facts = {name: metrics.facts(name) for name in names}
    reference = Picture.from_file(source)
    pairs = [(reference, Picture.from_file(path)) for path in picture]
    measured = metrics.Ruler(names, metrics.MetricOptions(clip=clip)).measure(pairs)
    if as_json:
        print_json(
            [
                {
                    "picture": str(path),
                    "size": list(result.size),
                    "metrics": {
                        m.metric: {"value": _plain(m.value), "missing": m.missing, "version": m.version}
                        for m in values.values()
                    },
                }
                for path, (_, result), values in zip(picture, pairs, measured, strict=True)
            ]
        )
        return
    from rich.table import Table

    out = console()
    for path, (_, result), values in zip(picture, pairs, measured, strict=True):
        resized = (
            "" if result.size == reference.size else f" (resized from {result.size[0]} × {result.size[1]})"
        )
        table = Table("metric", "value", "better", title=f"{path}{resized}", title_justify="left", box=None)
        for name, m in values.items():
            shown = (
                f"missing: {m.missing}" if m.value is None else f"{m.value:.4f} {facts[name].unit}".rstrip()
            )
            table.add_row(name, shown, facts[name].better)
        out.print(table)


def _plain(value: float | None) -> float | str | None:
    return str(value) if value is not None and math.isinf(value) else value
