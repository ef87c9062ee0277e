"""convergebench metrics"""

from __future__ import annotations

from convergebench.cli.options import AsJson, console, print_json
from convergebench.json_numbers import json_number

NAME = "metrics"


def command(as_json: AsJson = False) -> None:
    """List the metrics with their direction and range."""
    from convergebench import metrics

    every = [metrics.facts(name) for name in metrics.names()]
    if as_json:
        print_json(
            [
                {"name": f.name, "version": f.version, "better": f.better, "perfect": json_number(f.perfect),
                 "worst": json_number(f.worst), "dimension": f.dimension, "unit": f.unit,
                 "summary": f.summary, "default": f.name in metrics.expand(metrics.DEFAULT_MEASURED)}
                for f in every
            ]
        )  # fmt: skip
        return
    from rich.table import Table

    table = Table("metric", "better", "perfect", "worst", "dimension", "description", box=None)
    for f in every:
        table.add_row(f.name, f.better, f"{f.perfect:g} {f.unit}", f"{f.worst:g}", f.dimension, f.summary)
    console().print(table)
