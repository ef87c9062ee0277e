"""convergebench leaderboard"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convergebench.cli.options import AsJson, listed, print_json
from convergebench.shown_text import counted

app = typer.Typer(name="leaderboard", help="Build a leaderboard from submissions.")


@app.callback()
def group() -> None:
    """Build a leaderboard from submissions."""


@app.command()
def build(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder with the submissions, as .zip files.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the site.", show_default=True)
    ] = Path("site"),
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the site.")] = "",
    metric: Annotated[
        list[str],
        typer.Option(
            "--metric", metavar="METRICS", help="Metrics to measure again. [default: those of a run]"
        ),
    ] = [],  # noqa: B006
    as_json: AsJson = False,
) -> int:
    """Check submissions, and write a static site that ranks them.

    The pictures of every submission are measured again. Exits with 3 if a submission was left out.
    """
    from convergebench.cli.exit_codes import DONE, INCOMPLETE
    from convergebench.leaderboard import build_leaderboard
    from convergebench.leaderboard.build import TITLE, board_data
    from convergebench.metrics import DEFAULT_MEASURED

    built = build_leaderboard(
        folder,
        output,
        title=title or TITLE,
        metric_names=listed(metric) or DEFAULT_MEASURED,
        on_submission=lambda name: typer.echo(f"Checking {name}", err=True),
    )
    refused = [one for one in built.board.left_out if not one.is_withdrawn]
    code = INCOMPLETE if refused else DONE
    if as_json:
        print_json({**board_data(built.board), "page": str(built.page), "exit_code": code})
        return code
    for one in built.board.left_out:
        typer.echo(f"{'Withdrawn' if one.is_withdrawn else 'Left out'}: {one.file}: {one.reason}")
    entries = sum(len(table.entries) for table in built.board.tables)
    typer.echo(
        f"Wrote {built.page}: {counted(entries, 'entry', 'entries')} of "
        f"{counted(len(built.board.submissions), 'submission')} in "
        f"{counted(len(built.board.tables), 'table')}; open it in a browser"
    )
    return code
