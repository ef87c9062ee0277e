"""convergebench workspace"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.exit_codes import DONE, INCOMPLETE
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    WorkspaceFolder,
    chosen_models,
    confirm,
    console,
    follow_up,
    print_json,
)
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rich.table import Table

    from convergebench.housekeeping import LostPictures
    from convergebench.results.contents import RunEntry, WorkspaceContents
    from convergebench.store.lost_pictures import RepairCost

_WIDE = 60
"""Narrower terminals show less of each run."""

app = typer.Typer(name="workspace", help="List and tidy the contents of a workspace.")

Models = Annotated[
    list[str], typer.Option("--model", "-m", metavar="MODEL", help="Models, see `workspace list`.")
]
Runs = Annotated[list[int], typer.Option("--run", metavar="N", help="Runs, see `workspace list`.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command("list")
def every(workspace: WorkspaceFolder = DEFAULT_WORKSPACE, as_json: AsJson = False) -> None:
    """List models and runs, the hidden ones too."""
    from convergebench import housekeeping

    found = housekeeping.contents(workspace)
    if as_json:
        print_json(asdict(found))
    else:
        _print_contents(found)


@app.command()
def rename(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model in the workspace.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name; '' restores the original one.")],
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Rename a model in all tables, pages and papers. No result changes."""
    from convergebench import housekeeping

    typer.echo(f"{model} is now called {housekeeping.rename_model(workspace, model, name)}.")


@app.command()
def hide(
    model: Models = [],  # noqa: B006
    run: Runs = [],  # noqa: B006
    show: Annotated[bool, typer.Option("--undo", help="Show them again.")] = False,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Leave models and runs out of all tables, pages and papers. Nothing is deleted."""
    from convergebench import housekeeping

    models, runs = _chosen(model, run, workspace)
    (housekeeping.unhide if show else housekeeping.hide)(workspace, models, runs)
    typer.echo(f"{'Visible again' if show else 'Hidden'}: {_names(models, runs)}.")


@app.command()
def remove(
    model: Models = [],  # noqa: B006
    run: Runs = [],  # noqa: B006
    yes: Yes = False,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Delete the edits of models, or all that runs made. Their pictures stay until `workspace gc`."""
    from convergebench import housekeeping

    models, runs = _chosen(model, run, workspace)
    confirm(f"Delete all edits of {_names(models, runs)} in {workspace}? This cannot be undone.", yes)
    done = housekeeping.remove(workspace, models, runs)
    typer.echo(
        f"Deleted {counted(done.steps, 'edit')} and {counted(done.judgements, 'verdict')}. "
        f"Free the space of their pictures with: {follow_up('workspace gc', workspace)}"
    )


@app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The workspace to copy from.")],
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """Copy everything of another workspace into this one.

    Runs, edits, measurements and verdicts; a second time adds nothing.
    """
    from convergebench import housekeeping

    done = housekeeping.merge(workspace, other)
    if as_json:
        print_json(asdict(done))
        return
    typer.echo(
        f"Added {counted(done.runs, 'run')}, {counted(done.trajectories, 'trajectory', 'trajectories')}, "
        f"{counted(done.steps, 'edit')} and {counted(done.pictures, 'picture')}."
    )
    if done.missing_pictures:
        typer.echo(f"convergebench: {done.missing_pictures} pictures are missing in {other}", err=True)


@app.command()
def repair(
    apply: Annotated[
        bool, typer.Option("--apply", help="Forget lost edits, so that the next run makes them again.")
    ] = False,
    yes: Yes = False,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> int:
    """Find missing and damaged pictures.

    Says for each how to get it back.
    """
    from convergebench import housekeeping

    found = housekeeping.find_lost(workspace)
    if apply and found.again.edits:
        confirm(f"Forget {_priced(found.again)} in {workspace}, so that the next run makes them again?", yes)
    forgotten = housekeeping.drop_lost(workspace, found) if apply and found.lost else 0
    code = INCOMPLETE if found.lost and not apply else DONE
    if as_json:
        print_json({**asdict(found), "forgotten": forgotten, "exit_code": code})
    elif not found.lost:
        typer.echo("Every picture is there and unchanged.")
    elif apply:
        typer.echo(
            f"Forgot {counted(forgotten, 'edit')}. Run the same commands as before, without --fresh: what is "
            "missing is made again."
        )
    else:
        _print_lost(found, workspace)
    return code


_REMEDIES = {
    "fetch": "stored again by the next run of its suite",
    "edit": "has to be edited again",
    "import": "has to be imported again",
}


def _print_lost(found: LostPictures, workspace: Path) -> None:
    for one in found.lost:
        what = "source" if one.is_source else f"{one.model}, round {one.round}"
        typer.echo(f"{one.case}: {what}: picture {one.digest} is {one.reason}; {_REMEDIES[one.remedy]}")
    typer.echo(f"Files that you have elsewhere can be put back into {found.place}.")
    if found.again.edits:
        typer.echo(f"To be made again, with all that was made from them: {_priced(found.again)}.")
    typer.echo(f"To have the next run do that: {follow_up('workspace repair', workspace, '--apply')}")


def _priced(again: RepairCost) -> str:
    return f"{counted(again.edits, 'edit')} (${again.cost_usd:.2f})"


@app.command()
def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be deleted.")] = False,
    yes: Yes = False,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Delete pictures that no edit, verdict or case refers to."""
    from convergebench import housekeeping

    found = housekeeping.size(workspace)
    what = f"{counted(found.unneeded_pictures, 'picture')} ({_megabytes(found.unneeded_bytes)})"
    if dry_run or not found.unneeded_pictures:
        typer.echo(f"{what} can be deleted.")
        return
    confirm(f"Delete {what} in {workspace}?", yes)
    done = housekeeping.collect_garbage(workspace)
    typer.echo(f"Deleted {counted(len(done.pictures), 'picture')}, {_megabytes(done.bytes)}.")


@app.command()
def size(workspace: WorkspaceFolder = DEFAULT_WORKSPACE, as_json: AsJson = False) -> None:
    """Show how much disk space is used.

    By the database and by the pictures, and how much `workspace gc` would free.
    """
    from convergebench import housekeeping

    found = housekeeping.size(workspace)
    if as_json:
        print_json(asdict(found))
        return
    typer.echo(f"database  {_megabytes(found.database_bytes)}")
    typer.echo(f"pictures  {_megabytes(found.picture_bytes)} in {counted(found.pictures, 'file')}")
    typer.echo(f"unneeded  {_megabytes(found.unneeded_bytes)} in {counted(found.unneeded_pictures, 'file')}")
    if found.unneeded_pictures:
        typer.echo(f"Delete them with: {follow_up('workspace gc', workspace)}")


def _chosen(model: list[str], run: list[int], workspace: Path) -> tuple[tuple[str, ...], tuple[int, ...]]:
    from convergebench.errors import WrongUse

    if not model and not run:
        raise WrongUse("name models with --model or runs with --run; see: convergebench workspace list")
    return chosen_models(model, workspace), tuple(run)


def _names(models: tuple[str, ...], runs: tuple[int, ...]) -> str:
    return ", ".join([*models, *(f"run {number}" for number in runs)])


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _print_contents(found: WorkspaceContents) -> None:
    from rich.table import Column, Table

    models = Table(
        Column("model", overflow="fold"), Column("edits", justify="right"), Column("cost", justify="right"),
        Column("suites", overflow="fold"), "", box=None,
    )  # fmt: skip
    for one in found.models:
        name = one.label if one.editor == one.label else f"{one.label} ({one.editor})"
        cost = "–" if one.cost_usd is None else f"${one.cost_usd:.2f}"
        models.add_row(name, str(one.edits), cost, ", ".join(one.suites), "hidden" if one.is_hidden else "")
    out = console()
    out.print(models)
    out.print()
    out.print(_runs_table(found.runs, () if out.width >= _WIDE else ("edits", "outcome")))


def _runs_table(runs: Sequence[RunEntry], omitted: Collection[str]) -> Table:
    from rich.table import Column, Table

    table = Table(Column("run", justify="right"), box=None)
    for heading in ("started", "outcome", "edits"):
        if heading not in omitted:
            table.add_column(heading, no_wrap=True, justify="right" if heading == "edits" else "left")
    table.add_column("what", overflow="fold")
    table.add_column("")
    for run in runs:
        cells = {
            "started": run.started[:16].replace("T", " "),
            "outcome": run.outcome,
            "edits": str(run.edits),
        }
        kept = [text for heading, text in cells.items() if heading not in omitted]
        table.add_row(str(run.id), *kept, run.summary, "hidden" if run.is_hidden else "")
    return table
