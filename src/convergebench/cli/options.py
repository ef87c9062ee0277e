"""Options and output functions shared by several commands."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from convergebench.api import Benchmark

WorkspaceFolder = Annotated[
    Path,
    typer.Option("--workspace", "-w", metavar="FOLDER", help="Folder with the results.", show_default=True),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SuiteName = Annotated[
    str | None,
    typer.Option("--suite", metavar="SUITE", help="Suite to report. [default: suite of the last run]"),
]
Prompts = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        help="Your copy of the benchmark's repository, to ask in its published words, or your own rubrics.",
    ),
]
DEFAULT_WORKSPACE = Path("results")
PICTURE_SUFFIXES = (".png", ".jpg", ".webp")


def terminal_width() -> int:
    """Of standard output; wide enough for a table when it is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 120


def console() -> Console:
    from rich.console import Console

    return Console(highlight=False, width=terminal_width())


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def listed(values: list[str]) -> tuple[str, ...]:
    """The values of an option that may be repeated or given as a comma-separated list."""
    return tuple(word for value in values for word in value.split(",") if word)


def check_picture_file(path: Path) -> None:
    """Refuse what a picture cannot be written as, before any work is done."""
    from convergebench.errors import WrongUse

    if path.suffix.lower() not in PICTURE_SUFFIXES:
        known = ", ".join(PICTURE_SUFFIXES)
        raise WrongUse(f"cannot draw a {path.suffix or 'nameless'} file; use one of {known}")


def benchmark(workspace: Path) -> Benchmark:
    from convergebench import api

    return api.open(workspace)
