"""convergebench submit"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    follow_up,
    print_json,
)
from convergebench.shown_text import counted

NAME = "submit"
PictureKind = Literal["full", "thumbnails", "none"]


def command(
    label: Annotated[
        str, typer.Option("--by", metavar="NAME", help="Who submits, as the leaderboard shows it.")
    ],
    note: Annotated[str, typer.Option(metavar="TEXT", help="A remark that is shown with the entry.")] = "",
    pictures: Annotated[
        PictureKind,
        typer.Option(help="Which pictures to include; without all of them, an entry is marked unverified."),
    ] = "full",
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")] = Path(
        "submission.zip"
    ),
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """Pack the results of a suite for a leaderboard.

    Keys, paths and addresses are left out.
    """
    from convergebench.leaderboard import digest_of_file, pack_submission

    former = digest_of_file(output) if output.is_file() else None
    with benchmark(workspace, model) as opened:
        packed = pack_submission(
            opened.workspace, output, label=label, note=note, suite=suite, pictures=pictures
        )
    manifest = packed.manifest
    if as_json:
        print_json(
            {"file": str(packed.path), "digest": packed.digest, "bytes": packed.bytes,
             "suite": manifest.suite, "models": [one.name for one in manifest.models],
             "cases": manifest.cases, "replaced": former}
        )  # fmt: skip
        return
    typer.echo(
        f"Wrote {packed.path}: {counted(len(manifest.models), 'model')} on "
        f"{counted(manifest.cases, 'case')} of {manifest.suite}, {packed.bytes / 1e6:.1f} MB."
    )
    typer.echo(f"Digest {packed.digest}")
    if former not in (None, packed.digest):
        typer.echo(f"It replaces the file that was there, of digest {former}")
    for name in packed.hidden_names:
        rename = follow_up("workspace rename", workspace, name, "NAME")
        typer.echo(f"A path or an address was removed from the name {name}; give it another with: {rename}")
