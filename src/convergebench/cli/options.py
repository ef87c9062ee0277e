"""Options and output functions shared by several commands."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.json_numbers import json_numbers

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from convergebench.benchmark_results import Benchmark
    from convergebench.types import SuiteId
else:
    SuiteId = str  # for typer, which calls the parser; importing all types would slow every command down


def _suite_id(text: str) -> SuiteId:
    from convergebench.types import SuiteId

    return SuiteId(text)


WorkspaceFolder = Annotated[
    Path,
    typer.Option("--workspace", "-w", metavar="FOLDER", help="Folder with the results.", show_default=True),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
MaxTotal = Annotated[
    float | None,
    typer.Option(metavar="USD", help="Stop before all runs of the workspace cost more than this."),
]
SuiteName = Annotated[
    SuiteId | None,
    typer.Option(
        "--suite", parser=_suite_id, metavar="SUITE", help="Suite to report. [default: suite of the last run]"
    ),
]
PicturesOfSuite = Annotated[
    SuiteId | None,
    typer.Option("--suite", parser=_suite_id, metavar="SUITE", help="Only pictures of this suite."),
]
Prompts = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        help="Your copy of the benchmark's repository, to ask in its published words, or your own rubrics.",
    ),
]
ModelNames = Annotated[
    list[str],
    typer.Option("--model", "-m", metavar="MODEL", help="Only these models. [default: all]"),
]
RetryMissing = Annotated[bool, typer.Option("--retry-missing", help="Request missing verdicts again.")]
JudgingCost = Annotated[
    float | None, typer.Option(metavar="USD", help="Stop before judging costs more than this.")
]
JudgeCallsPerMinute = Annotated[
    float | None, typer.Option(metavar="N", help="Maximum judge calls per minute.")
]
JudgeConcurrency = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Parallel judge calls. [default: 8]")
]
ClipWeights = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Folder or hub id of the CLIP weights.")
]
DinoWeights = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Folder or hub id of DINO weights; adds DINO's metrics."),
]
DEFAULT_WORKSPACE = Path("results")
PICTURE_SUFFIXES = (".png", ".jpg", ".webp")


def terminal_width() -> int:
    """Of standard output, or what COLUMNS says; wide enough for a table when it is not a terminal."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    return shutil.get_terminal_size((120, 24)).columns if os.environ.get("COLUMNS") else 120


def console() -> Console:
    from convergebench.shown_text import drawing_console

    return drawing_console(sys.stdout, highlight=False, width=terminal_width())


def print_note(note: str, style: str = "dim") -> None:
    """A sentence that belongs to the table above it, indented on all its lines."""
    from rich.text import Text

    out = console()
    for line in Text(note).wrap(out, out.width - 2):  # by columns: a Chinese character takes two
        out.print(f"  {line.plain.rstrip()}", style=style, markup=False)


def print_table(table: Table, optional: Sequence[str] = ()) -> None:
    """Print it as wide as the terminal; see `fitted` for the columns that a narrow one goes without."""
    from convergebench.report.tables.terminal_table import fitted

    console().print(fitted(table, terminal_width(), optional))


def full_width(table: Table, out: Console) -> int:
    """The width at which nothing of the table is cut."""
    return out.measure(table, options=out.options.update(max_width=1000)).maximum


def print_json(value: Any) -> None:
    """As JSON that every program reads: without NaN and infinity, which are texts in it."""
    typer.echo(json.dumps(json_numbers(value), indent=2, ensure_ascii=False, allow_nan=False))


def listed(values: list[str]) -> tuple[str, ...]:
    """The values of an option that may be repeated or given as a comma-separated list."""
    return tuple(word for value in values for word in value.split(",") if word)


def listed_models(values: list[str], known: Collection[str] = ()) -> tuple[str, ...]:
    """The same for models, whose names, paths and parameters may hold commas: a part that is no model by
    itself belongs to the one before it, and names that are `known` are found whole.

    >>> listed_models(["classical,diffusers:tiny?devices=cuda:0,cuda:1,jpeg"])
    ('classical', 'diffusers:tiny?devices=cuda:0,cuda:1', 'jpeg')
    >>> listed_models(["fal:x?lora=a,b,mine,Flux, large"], known=["mine", "Flux, large"])
    ('fal:x?lora=a,b', 'mine', 'Flux, large')
    """
    return tuple(dict.fromkeys(name for value in values for name in _models_in(value, known)))


def _models_in(value: str, known: Collection[str]) -> Iterator[str]:
    from convergebench.editors.registry import is_model_name

    words, before = value.split(","), ""
    while words:
        whole = (",".join(words[:count]) for count in range(len(words), 0, -1))
        name = next((one for one in whole if one in known), words[0])
        del words[: name.count(",") + 1]
        is_name = name in known or not any(sign in before for sign in ":?") or is_model_name(name)
        if name and before and not is_name:
            before += f",{name}"
        elif name:
            if before:
                yield before
            before = name
    if before:
        yield before


def chosen_models(values: list[str] | None, workspace: Path) -> tuple[str, ...]:
    """The models of a workspace that an option names, in one list or several."""
    if not any("," in value for value in values or ()):
        return listed_models(values or [])
    from convergebench.results import Records
    from convergebench.store import Workspace

    with Workspace.existing(workspace) as opened:
        return listed_models(values or [], Records.of(opened).model_names)


def confirm(question: str, yes: bool) -> None:
    """Ask on a terminal; elsewhere --yes is required. Returns if the answer is yes."""
    from convergebench.errors import WrongUse

    if yes:
        return
    if not sys.stdin.isatty():
        raise WrongUse(f"{question} Confirm with --yes")
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)


def follow_up(command: str, workspace: Path, *words: str) -> str:
    """A command line to paste, with -w unless the workspace is the default one.

    >>> follow_up("audit", Path("my runs"), "--suite", "mine")
    "convergebench audit --suite mine -w 'my runs'"
    """
    where = () if workspace == DEFAULT_WORKSPACE else ("-w", str(workspace))
    return f"convergebench {command} {shlex.join((*words, *where))}".rstrip()


def check_picture_file(path: Path) -> None:
    """Refuse what a picture cannot be written as, before any work is done."""
    from convergebench.errors import WrongUse

    if path.suffix.lower() not in PICTURE_SUFFIXES:
        known = ", ".join(PICTURE_SUFFIXES)
        raise WrongUse(f"cannot draw a {path.suffix or 'nameless'} file; use one of {known}")


def benchmark(workspace: Path, model: list[str] | None = None) -> Benchmark:
    """The workspace for reading, all of it or the models of a --model option."""
    # NumPy is not imported yet. Statistics multiply small matrices, for which its second thread only spins.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from convergebench.benchmark_results import Benchmark

    return Benchmark.existing(workspace, chosen_models(model, workspace))
