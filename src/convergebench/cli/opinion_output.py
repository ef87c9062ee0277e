"""Output of convergebench agreement --opinions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from convergebench.cli.options import print_json, print_table

if TYPE_CHECKING:
    from convergebench.analysis.statistics.clustered_mean import Interval
    from convergebench.analysis.votes.opinion_agreement import OpinionAgreement

_MOST_COLUMNS = 8


def compare_with_opinions(
    name: str, folder: Path, wanted: Sequence[str], limit: int | None, as_json: bool
) -> None:
    from convergebench.analysis.votes.opinion_agreement import opinion_agreements
    from convergebench.votes.opinion_cache import OpinionCache
    from convergebench.votes.opinion_sets import measured_opinions, opinion_metrics, read_opinions

    rows, metrics = read_opinions(name, folder, limit), opinion_metrics(wanted)

    def on_progress(done: int) -> None:
        if sys.stderr.isatty():
            typer.echo(f"\r{done} of {len(rows)} pictures measured", err=True, nl=done == len(rows))

    found = opinion_agreements(measured_opinions(rows, metrics, OpinionCache(name), on_progress), metrics)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    references = len({row.reference for row in rows})
    typer.echo(f"{name}: {len(rows)} pictures of {references} references; intervals of 95 %, by reference")
    _print_overall(found)
    _print_by_distortion(found)


def _print_overall(found: Sequence[OpinionAgreement]) -> None:
    from rich.table import Table

    from convergebench.analysis.votes.opinion_agreement import OVERALL

    table = Table("metric", box=None)
    for heading in ("Spearman", "95 % interval", "Kendall", "95 % interval", "missing"):
        table.add_column(heading, justify="right")
    for one in found:
        if one.distortion == OVERALL:
            table.add_row(one.metric, *_cells(one.spearman), *_cells(one.kendall), str(one.missing))
    print_table(table, ("95 % interval", "missing"))


def _print_by_distortion(found: Sequence[OpinionAgreement]) -> None:
    """Spearman's correlation; JSON has Kendall's and the intervals."""
    from rich.table import Table

    from convergebench.analysis.votes.opinion_agreement import OVERALL

    names = list(dict.fromkeys(one.metric for one in found))
    values = {(one.metric, one.distortion): _cells(one.spearman)[0] for one in found}
    kinds = list(dict.fromkeys(one.distortion for one in found if one.distortion != OVERALL))
    for start in range(0, len(names), _MOST_COLUMNS):
        table = Table("Spearman by distortion", box=None)
        for name in names[start : start + _MOST_COLUMNS]:
            table.add_column(name, justify="right")
        for kind in kinds:
            table.add_row(kind, *(values[name, kind] for name in names[start : start + _MOST_COLUMNS]))
        print_table(table)


def _cells(found: Interval | None) -> tuple[str, str]:
    if found is None:
        return "–", ""
    interval = (
        f"[{found.low:.3f}, {found.high:.3f}]" if found.low is not None and found.high is not None else ""
    )
    return f"{found.mean:.3f}", interval
