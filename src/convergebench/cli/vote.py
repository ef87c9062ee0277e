"""convergebench vote"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    SuiteName,
    WorkspaceFolder,
    chosen_models,
    listed,
)

if TYPE_CHECKING:
    from convergebench.analysis.votes.vote import QuestionKind
    from convergebench.store import Workspace
    from convergebench.votes.question_pool import QuestionPool
    from convergebench.votes.study import StudyText

NAME = "vote"


def command(
    ask: Annotated[
        list[str],
        typer.Option(
            "--ask", metavar="KIND", help="Questions: return, edit, visibility. [default: all three]"
        ),
    ] = [],  # noqa: B006
    model: Annotated[
        list[str], typer.Option(metavar="MODEL", help="Models to compare. [default: all that edit]")
    ] = [],  # noqa: B006
    rounds: Annotated[
        str, typer.Option(metavar="N,…", help="Rounds at which pairs are compared. [default: all]")
    ] = "",
    votes: Annotated[int, typer.Option(min=1, metavar="N", help="Votes requested from each rater.")] = 60,
    consent: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Text that raters must agree to first.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; anything but loopback needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any free port.")] = 8643,
    token: Annotated[
        str, typer.Option(help="Token in the raters' link. [default: random if --host is not loopback]")
    ] = "",
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FOLDER", help="Write the study as a folder that needs no server."),
    ] = None,
    import_: Annotated[
        list[Path], typer.Option("--import", metavar="FILE", help="Import votes from JSONL or CSV.")
    ] = [],  # noqa: B006
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write the votes on pictures to a file, see --format."),
    ] = None,
    format: Annotated[
        str, typer.Option(help="Format of --save: convergebench, arena, gedit-v2 or genai-bench.")
    ] = "convergebench",
    delete: Annotated[
        str, typer.Option("--delete", metavar="PSEUDONYM", help="Delete a rater with all their votes.")
    ] = "",
    plan: Annotated[
        bool, typer.Option("--plan", help="Print how many votes tell models apart, and what they cost.")
    ] = False,
    usd_per_hour: Annotated[
        float, typer.Option("--usd-per-hour", min=0.0, help="Pay of raters, for --plan.")
    ] = 15.0,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
) -> None:
    """Ask people, blind: which return is closer, which edit better."""
    from convergebench.cli import vote_actions
    from convergebench.store import Workspace
    from convergebench.votes.question_pool import question_pool

    tables = [path for path in import_ if vote_actions.is_genai_bench(path)]
    if not tables:
        Workspace.existing(workspace).close()  # a study never begins in an empty folder
    text = _study_text(consent, votes)
    with Workspace.create(workspace) as opened:
        for path in tables:
            vote_actions.import_genai_bench(opened, path)
        import_ = [path for path in import_ if path not in tables]
        if tables and not import_:
            return
        if delete:
            vote_actions.delete_votes(opened, delete)
            return
        models = chosen_models(model, workspace)
        pool = question_pool(opened, kinds=_kinds(ask), suite=suite, models=models, rounds=_numbers(rounds))
        if import_:
            vote_actions.import_votes(opened, pool, import_)
        elif save is not None:
            vote_actions.save_votes(opened, pool, save, format)
        elif export is not None:
            vote_actions.export_folder(opened, pool, text, export)
        elif plan:
            vote_actions.print_plan(opened, pool, usd_per_hour)
        else:
            _serve(opened, pool, text, host, port, token)


def _serve(
    workspace: Workspace, pool: QuestionPool, text: StudyText, host: str, port: int, token: str
) -> None:
    import secrets

    from convergebench.votes.server import LOCAL_HOSTS, serve_votes
    from convergebench.votes.study import Study

    if host not in LOCAL_HOSTS and not token:
        token = secrets.token_urlsafe(16)

    def on_ready(port: int) -> None:
        shown = "this machine's address" if host in ("0.0.0.0", "::") else host
        query = f"?token={token}" if token else ""
        typer.echo(f"{_pool_line(pool)}; each rater is asked for {text.votes} votes.")
        typer.echo(f"Open http://{host}:{port}/{query} (Ctrl-C to stop)")
        if shown != host:
            typer.echo(f"Raters elsewhere open the same link with {shown} in place of {host}.")

    settings: dict[str, Any] = {"command": "vote", "kinds": list(pool.kinds), "consent": text.consent}
    with workspace.run(settings) as run:
        serve_votes(Study(workspace, pool, text, run.id), workspace, host, port, token, on_ready)


def _pool_line(pool: QuestionPool) -> str:
    counts = {kind: sum(one.kind == kind for one in pool.pairs) for kind in ("return", "edit")}
    parts = [f"{counts['return']} pairs of returns" if counts["return"] else "",
             f"{counts['edit']} pairs of edits" if counts["edit"] else "",
             f"{len(pool.chains)} chains" if pool.chains else ""]  # fmt: skip
    return ", ".join(part for part in parts if part)


def _study_text(consent: Path | None, votes: int) -> StudyText:
    from convergebench.votes.study import StudyText, consent_text

    if consent is None:
        return StudyText(votes=votes)
    return StudyText(consent_text(consent.read_text(encoding="utf-8")), votes)


def _kinds(ask: list[str]) -> tuple[QuestionKind, ...]:
    from convergebench.analysis.votes.vote import KINDS
    from convergebench.errors import unknown_name

    chosen = listed(ask)
    for word in chosen:
        if word not in KINDS:
            raise unknown_name("question", word, KINDS, f"choose from {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in chosen) or KINDS


def _numbers(text: str) -> tuple[int, ...]:
    from convergebench.errors import WrongUse

    try:
        return tuple(int(word) for word in text.split(",") if word)
    except ValueError:
        raise WrongUse(f"cannot read the rounds {text}; write numbers with commas, such as 1,5,10") from None
