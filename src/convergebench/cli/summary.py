"""convergebench summary"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    console,
    full_width,
    listed,
    print_json,
    print_note,
)

if TYPE_CHECKING:
    from convergebench.analysis import Ranking, Results
    from convergebench.analysis.headline.chain_rounds import Thresholds
    from convergebench.report.judged_results import JudgedTable
    from convergebench.report.session_results import SessionsOfSuite
    from convergebench.results import Records
    from convergebench.store import Workspace
    from convergebench.types import SuiteId

NAME = "summary"


def command(
    metric: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Metric that ranks. [default: what a person sees, or ssim]"),
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Rank after so many rounds. [default: last round]")
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="A half-life ends when less than this share of the picture is left."
        ),
    ] = 0.5,
    usable: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUE",
            help="What a usable round needs, separated by commas. [default: undid=0.5,kept=0.8,face=0.45]",
        ),
    ] = [],  # noqa: B006
    thresholds: Annotated[
        str,
        typer.Option(
            metavar="reasoned|votes",
            help="What ends “usable for”: our reasoned thresholds, or those measured by convergebench vote.",
        ),
    ] = "reasoned",
    visible: Annotated[
        float | None,
        typer.Option(
            metavar="VALUE",
            min=0.0,
            max=1.0,
            help="Smallest visible difference outside the edit, by ꟻLIP. [default: 0.1]",
        ),
    ] = None,
    columns: Annotated[
        list[str],
        typer.Option(
            metavar="KEYS", help="Columns of the table, separated by commas, or all. CSV and JSON have all."
        ),
    ] = [],  # noqa: B006
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Rank all models in the workspace.

    Edits that can be undone only in part, such as those of colour or weather, are ranked separately.
    """
    from convergebench.analysis import headline_rankings
    from convergebench.report import csv_ranking, csv_text, under_one_heading
    from convergebench.results import Records, suites_with_returns

    with benchmark(workspace, model) as opened:
        records = Records.of(opened.workspace)
        if not suites_with_returns(records):
            judged, sessions = _without_round_trips(records, suite)
            if judged or sessions:
                _print_without_ranking(judged, sessions, as_json=as_json, as_csv=as_csv)
                return
        results = opened.results(suite, visible=visible)
        limits = _usable_limits(opened.workspace, results, thresholds, listed(usable))
    ranked = headline_rankings(results, metric, round, threshold, limits)
    if as_json:
        print_json(json_rankings(ranked))
    elif as_csv:
        typer.echo(csv_text(under_one_heading([csv_ranking(one) for _, one in ranked])), nl=False)
    else:
        print_rankings(ranked, listed(columns))


def _without_round_trips(
    records: Records, suite: SuiteId | None
) -> tuple[list[JudgedTable], list[SessionsOfSuite]]:
    """What judges said, and sessions; apart, since the modules that they need take long to import."""
    from convergebench.report.judged_results import judged_results
    from convergebench.report.session_results import sessions_alone

    return judged_results(records, suite), sessions_alone(records, suite)


def _print_without_ranking(
    judged: Sequence[JudgedTable], sessions: Sequence[SessionsOfSuite], *, as_json: bool, as_csv: bool
) -> None:
    """What a workspace without round trips has: grades of single edits, and sessions by turn."""
    from convergebench.report import csv_text
    from convergebench.report.tables.benchmark import csv_benchmark, json_benchmark
    from convergebench.report.tables.turns import CSV_COLUMNS, csv_turns, json_turns

    if as_json:
        graded = [row for table in judged for row in json_benchmark(table.rows)]
        by_turn = [
            {"suite": one.suite, "sessions": one.sessions, "turns": one.turns, "models": one.models,
             "curves": json_turns(one.headline)}
            for one in sessions
        ]  # fmt: skip
        print_json({"judged": graded, "sessions": by_turn})
    elif as_csv and judged:
        typer.echo(csv_text(csv_benchmark([row for table in judged for row in table.rows])), nl=False)
    elif as_csv:
        rows = [row for one in sessions for row in csv_turns(one.suite, one.headline)]
        typer.echo(csv_text([CSV_COLUMNS, *rows]), nl=False)
    else:
        _print_judged(judged)
        _print_sessions(sessions)
        console().print(
            "There are no round trips here, so that there is no ranking by what is left.", markup=False
        )


def _print_judged(tables: Sequence[JudgedTable]) -> None:
    """A table for every suite, judge and wording."""
    from convergebench.report.tables.benchmark import benchmark_notes, benchmark_tables

    out = console()
    for table in tables:
        out.print(f"{table.suite}, judge {table.judge}, {table.under}", style="bold", markup=False)
        out.print(*benchmark_tables(table.rows, out.width), sep="\n")
        for note in benchmark_notes(table.rows):
            print_note(note)


def _print_sessions(sessions: Sequence[SessionsOfSuite]) -> None:
    from convergebench.cli.turns import print_turns
    from convergebench.shown_text import counted

    for one in sessions:
        print_turns(one.suite, one.headline)
        counts = f"{counted(one.sessions, 'session')}, {counted(one.turns, 'turn')} with a picture"
        print_note(f"{counts}, by {', '.join(one.models)}.")
    if sessions:
        typer.echo(
            f"All figures by turn: convergebench turns --suite {sessions[0].suite}; two models compared: "
            "convergebench turns A B."
        )


def _usable_limits(workspace: Workspace, results: Results, chosen: str, own: Sequence[str]) -> Thresholds:
    """Those of the headline, changed by the user, or as measured on people."""
    from convergebench.analysis.headline.chain_rounds import Thresholds
    from convergebench.errors import WrongUse

    if chosen == "reasoned":
        return Thresholds.parse(own)
    from convergebench.votes.agreement_report import measured_headline_thresholds

    if chosen != "votes" or own:
        raise WrongUse("choose --thresholds reasoned or votes, and --usable only without votes")
    found = measured_headline_thresholds(workspace, results)
    if isinstance(found, str):
        raise WrongUse(f"no thresholds from votes: {found}")
    undone, kept = found.undone.mean, found.kept.mean
    typer.echo(f"Usable down to undid {undone:.2f} and kept {kept:.2f}, as measured by votes.", err=True)
    return Thresholds(undid=undone, kept=kept)


def json_rankings(ranked: Sequence[tuple[Results, Ranking]]) -> dict[str, Any]:
    """The main ranking, with that of the partially reversible edits in it, or null."""
    from convergebench.report import json_ranking

    main, *others = [
        {**json_ranking(one), "by_round": list(_json_by_round(results, one))} for results, one in ranked
    ]
    return {**main, "partial": others[0] if others else None}


def _json_by_round(results: Results, ranked: Ranking) -> Iterator[dict[str, Any]]:
    """The score, if models are ranked by it, and the metric."""
    from convergebench.analysis import headline_rounds, ranking_by_round
    from convergebench.report import json_rounds

    models = [row.model for row in ranked.rows]
    if ranked.headline is not None:
        yield from json_rounds(ranking_by_round(results, ranked), models)
    yield from json_rounds(headline_rounds(results, ranked.metric.name), models)


def print_rankings(ranked: Sequence[tuple[Results, Ranking]], columns: Sequence[str] = ()) -> None:
    """Each ranking with its means by round."""
    from convergebench.analysis import ranking_by_round
    from convergebench.report import rounds_table

    for results, one in ranked:
        print_ranking(one, columns)
        if results.rounds > 1:
            out = console()
            out.print()
            out.print(rounds_table(ranking_by_round(results, one), [row.model for row in one.rows]))
        if one is not ranked[-1][1]:
            console().print()


def print_ranking(ranked: Ranking, columns: Sequence[str] = ()) -> None:
    from convergebench.analysis import headline_sentence
    from convergebench.report import ranking_table

    out = console()
    if ranked.headline is not None:
        out.print(headline_sentence(ranked.headline), style="bold", markup=False)
        out.print()
    table = ranking_table(ranked, columns, out.width)
    if columns:  # requested columns are never cut; a narrow terminal wraps the lines
        out.width = max(out.width, full_width(table, out))
    out.print(table)
    _print_sentences(ranked)
    print_notes(ranked)


def _print_sentences(ranked: Ranking) -> None:
    """Which way each model's pictures drift."""
    for row in ranked.rows:
        if row.sentence is not None:
            print_note(f"{row.model} {row.sentence}", style="none")


def print_notes(ranked: Ranking) -> None:
    """What is missing and why, and what cannot be compared."""
    from convergebench.report import ranking_notes

    for note in ranking_notes(ranked):
        print_note(note)
