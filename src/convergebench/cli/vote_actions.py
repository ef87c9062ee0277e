"""What convergebench vote does besides serving: folders, files, deletion, planning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from convergebench.cli.options import print_table
from convergebench.errors import WrongUse
from convergebench.shown_text import counted, shortened

if TYPE_CHECKING:
    from convergebench.analysis.statistics.clustered_mean import Interval
    from convergebench.analysis.votes.vote import Answer, QuestionKind, Vote
    from convergebench.store import Workspace
    from convergebench.votes.question_pool import QuestionPool
    from convergebench.votes.study import StudyText

_EDITS: tuple[QuestionKind, ...] = ("edit",)


def export_folder(workspace: Workspace, pool: QuestionPool, text: StudyText, folder: Path) -> None:
    from convergebench.votes.offline_folder import write_offline_folder
    from convergebench.votes.vote_store import read_votes

    page = write_offline_folder(workspace, pool, text, read_votes(workspace), folder)
    typer.echo(f"Wrote {page}; send the folder to raters. They open the page and send back votes-NAME.jsonl.")


def import_votes(workspace: Workspace, pool: QuestionPool, paths: Sequence[Path]) -> None:
    from convergebench.analysis.votes.vote import Vote
    from convergebench.store.timestamp import timestamp
    from convergebench.votes.exchange import read_vote_file
    from convergebench.votes.foreign_votes import judge_of, save_foreign_vote, vote_on_pictures
    from convergebench.votes.vote_store import is_stored_otherwise, save_vote

    read = [(path, *read_vote_file(path)) for path in paths]  # all, before anything is stored
    now = timestamp()
    with workspace.run({"command": "vote", "imported": [path.name for path in paths]}) as run:
        for path, format, votes in read:
            new = by_name = otherwise = 0
            for one in votes:
                vote = one if isinstance(one, Vote) else vote_on_pictures(one, pool, now)
                if vote is not None:
                    judge = None if isinstance(one, Vote) else judge_of(one)
                    otherwise += is_stored_otherwise(workspace, vote, judge)
                    new += save_vote(workspace, vote, run.id, judge)
                elif not isinstance(one, Vote):
                    saved = save_foreign_vote(workspace, one, path.name, run.id)
                    new, by_name = new + saved, by_name + saved
            names = f", {by_name} of them by model names only" if by_name else ""
            typer.echo(
                f"{path}: {counted(new, 'new vote')} ({format}){names}, {len(votes) - new} known before."
            )
            if otherwise:
                typer.echo(
                    f"convergebench: known with another answer, which stays: {otherwise} of these "
                    f"{counted(len(votes), 'vote')}; vote --delete PSEUDONYM removes a rater's",
                    err=True,
                )
            _warn_of_absent_pictures(workspace, [one for one in votes if isinstance(one, Vote)])


def _warn_of_absent_pictures(workspace: Workspace, votes: Sequence[Vote]) -> None:
    from convergebench.votes.vote_store import of_absent_pictures

    if absent := of_absent_pictures(workspace, votes):
        typer.echo(
            f"convergebench: on pictures that {workspace.folder} does not have: {absent} of these "
            f"{counted(len(votes), 'vote')}, kept for when it has them",
            err=True,
        )


def is_genai_bench(path: Path) -> bool:
    """Whether it is the published data, with pictures, rather than a list of votes."""
    return path.suffix == ".parquet" or (path.is_dir() and any(path.rglob("*.parquet")))


def import_genai_bench(workspace: Workspace, data: Path) -> None:
    """Both models' pictures of every row as edits of the suite genai-bench, and the votes on them."""
    from convergebench.benchmarks import set_genai_bench as genai
    from convergebench.importing.external_edits import ExternalEdit, coverage, import_edits
    from convergebench.store.timestamp import timestamp
    from convergebench.votes.exchange import ForeignVote
    from convergebench.votes.foreign_votes import save_foreign_vote, vote_on_pictures
    from convergebench.votes.question_pool import question_pool
    from convergebench.votes.vote_store import save_vote

    suite = genai.SUITE.load(lambda _: None, data=str(data))
    given = genai.read_votes(data)
    edits: dict[str, list[ExternalEdit]] = {}
    for one in given:
        for model, picture in zip((one.left, one.right), one.pictures or (), strict=False):
            edits.setdefault(model, []).append(ExternalEdit(one.case, picture.path))
    for model, made in edits.items():
        names = {one.case for one in made}
        own = replace(suite, cases=tuple(case for case in suite.cases if case.id in names))
        import_edits(workspace, data, own, model, coverage(made, [case.id for case in own.cases], names))
    pool = question_pool(workspace, kinds=_EDITS, suite=suite.id) if edits else None
    now = timestamp()
    answers: dict[str, Answer] = {"left": "first", "right": "second", "tie": "tie"}
    new = 0
    with workspace.run({"command": "vote", "imported": [data.name]}) as run:
        for row, one in enumerate(given, 1):
            answer = "both_bad" if one.both_bad else answers[one.winner]
            vote = ForeignVote(genai.NAME, one.left, one.right, answer, one.case, row, "edit")
            on_pictures = vote_on_pictures(vote, pool, now) if pool else None
            if on_pictures is not None:
                new += save_vote(workspace, on_pictures, run.id)
            else:
                new += save_foreign_vote(workspace, vote, data.name, run.id)
    if unread := genai.unread_votes(data):
        forms = ", ".join(f"{shortened(said) or 'none'} ({count})" for said, count in unread.most_common())
        rows = counted(unread.total(), "row")
        typer.echo(f"convergebench: {rows} left out, whose votes cannot be read: {forms}", err=True)
    typer.echo(
        f"{data}: {counted(new, 'new vote')} on edits of {counted(len(edits), 'model')} (GenAI-Bench), "
        f"{len(given) - new} known before. Judge these edits with convergebench score --suite {genai.NAME} "
        f"--data {data} --judge …, then see convergebench agreement."
    )


def save_votes(workspace: Workspace, pool: QuestionPool, path: Path, format: str) -> None:
    from convergebench.atomic_files import replacing
    from convergebench.results.votes import imported_preferences
    from convergebench.votes.exchange import arena_csv, gedit_jsonl, genai_jsonl
    from convergebench.votes.vote_lines import vote_line
    from convergebench.votes.vote_store import read_votes

    votes = read_votes(workspace)
    pairs = list(pool.pair_votes(votes))
    if format == "convergebench":
        text = "".join(f"{vote_line(vote)}\n" for vote in votes)
    elif format == "arena":
        text = arena_csv(pairs)
    elif format == "gedit-v2":
        text = gedit_jsonl(pairs)
    elif format == "genai-bench":
        text = genai_jsonl(pairs, {one.place.case: one.instruction for one in pool.pairs})
    else:
        raise WrongUse(f"unknown format {format}; choose convergebench, arena, gedit-v2 or genai-bench")
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    lines = text.count("\n")
    typer.echo(f"Wrote {path}: {counted(lines - (format == 'arena'), 'vote')}")
    by_names = len(imported_preferences(workspace))
    if by_names:
        typer.echo(
            f"convergebench: {counted(by_names, 'vote')} by model names only left out; keep the files that "
            "they were imported from",
            err=True,
        )


def delete_votes(workspace: Workspace, pseudonym: str) -> None:
    from convergebench.votes.vote_store import delete_rater, votes_by_rater

    known = votes_by_rater(workspace)
    if pseudonym not in known:
        raise WrongUse(f"there is no rater {pseudonym}; the raters are {', '.join(known) or 'none'}")
    typer.echo(f"Deleted {counted(delete_rater(workspace, pseudonym), 'vote')} of {pseudonym}.")


def print_plan(workspace: Workspace, pool: QuestionPool, usd_per_hour: float) -> None:
    from rich.table import Table

    from convergebench.analysis.votes.rater_checks import rater_checks
    from convergebench.analysis.votes.vote_planning import POWER, vote_plans
    from convergebench.votes.vote_store import read_votes

    votes = read_votes(workspace)
    marked = {one.rater for one in rater_checks(votes) if one.is_marked}
    plans = vote_plans(pool.pair_votes(vote for vote in votes if vote.rater not in marked))
    if not plans:
        raise WrongUse("a plan needs a pilot: collect some votes with convergebench vote first")
    table = Table("question", "model", "against", box=None)
    for heading in ("votes", "won", "95 % interval", "votes needed", "hours", "USD"):
        table.add_column(heading, justify="right")
    for one in plans:
        share = one.share
        needed = "decided" if one.is_decided else "–" if one.needed is None else str(one.needed)
        hours = None if one.is_decided else one.hours
        table.add_row(
            one.kind, one.first, one.second, str(share.n), f"{100 * share.mean:.0f} %",
            _percent_interval(share), needed,
            "" if hours is None else f"{hours:.1f}", "" if hours is None else f"{hours * usd_per_hour:.0f}",
        )  # fmt: skip
    print_table(table, ("95 % interval", "hours", "votes", "USD"))
    typer.echo(
        f"Votes needed in all, with a power of {100 * POWER:.0f} % if the share stays as it is; "
        f"a vote is paid by the median time it took so far, at ${usd_per_hour:g} an hour."
    )


def _percent_interval(share: Interval) -> str:
    if share.low is None or share.high is None:
        return ""
    return f"[{100 * share.low:.0f}, {100 * share.high:.0f}]"
