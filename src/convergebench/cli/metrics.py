"""convergebench metrics"""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.cli.listing import print_listing
from convergebench.cli.options import AsJson, print_json
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
    headings = ("metric", "better", "perfect", "worst", "dimension", "description")
    rows = [
        (f.name, f.better, f"{f.perfect:g} {f.unit}".rstrip(), f"{f.worst:g}", f.dimension, f.summary)
        for f in every
    ]
    print_listing(headings, rows, _below)


def _below(cells: Sequence[str]) -> str:
    better, perfect, worst, dimension, summary = cells
    return f"{dimension}, {better} is better, from {worst} to {perfect}: {summary}"
