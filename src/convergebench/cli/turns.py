"""convergebench turns"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.exit_codes import DONE, judging_exit_code
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    JudgeCallsPerMinute,
    JudgeConcurrency,
    JudgingCost,
    Prompts,
    RetryMissing,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    chosen_models,
    console,
    print_json,
    print_note,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from convergebench.analysis.sessions.figures import TurnCurve
    from convergebench.engine import RunLimits
    from convergebench.results import Records
    from convergebench.types import SuiteId

NAME = "turns"


def command(
    compare: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[A B]",
            help="Compare two on shared sessions: a model each, or MODEL/PROTOCOL as in qwen/singlepass.",
        ),
    ] = None,
    model: Annotated[
        list[str], typer.Option("--model", "-m", metavar="NAME", help="Only these models.")
    ] = [],  # noqa: B006
    judge: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER:MODEL", help="Judge the turns first, see `judge`. [default: none]"),
    ] = None,
    prompts: Prompts = "",
    retry_missing: RetryMissing = False,
    max_cost: JudgingCost = None,
    per_minute: JudgeCallsPerMinute = None,
    concurrency: JudgeConcurrency = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> int:
    """Show sessions turn by turn: what is kept, and how many pass."""
    from convergebench.engine import RunLimits

    limits = RunLimits(judge_concurrency=concurrency, per_minute=per_minute, max_cost_usd=max_cost)
    code = DONE
    models = chosen_models(model, workspace)
    shown = _compared(compare, workspace, suite) if compare else _chosen(workspace, suite, models)
    if judge is not None:
        code = _judge(judge, workspace, shown, prompts, limits, retry_missing, quiet=as_json or as_csv)
    if compare:
        _compare(compare, workspace, suite, as_json)
        return code
    curves = curves_of(workspace, suite, models)
    if as_json:
        from convergebench.report.tables.turns import json_turns

        print_json([{"suite": name, "curves": json_turns(found)} for name, found in curves.items()])
    elif as_csv:
        from convergebench.report.export.csv_files import csv_text
        from convergebench.report.tables.turns import CSV_COLUMNS, csv_turns

        rows = [row for name, found in curves.items() for row in csv_turns(name, found)]
        typer.echo(csv_text([CSV_COLUMNS, *rows]), nl=False)
    else:
        for name, found in curves.items():
            print_turns(name, found)
    return code


def _chosen(
    workspace: Path, suite: SuiteId | None, models: Sequence[str]
) -> list[tuple[SuiteId, Sequence[str]]]:
    from convergebench.results.sessions import choose_suites

    with benchmark(workspace) as opened:
        return [(name, models) for name in choose_suites(opened.workspace, suite)]


def _compared(
    names: list[str], workspace: Path, suite: SuiteId | None
) -> list[tuple[SuiteId, Sequence[str]]]:
    """The suite and the model of both."""
    from convergebench.benchmarks.session_comparison import compared_side
    from convergebench.errors import WrongUse
    from convergebench.results import Records

    if len(names) != 2:
        raise WrongUse("name two to compare, such as: convergebench turns qwen/session qwen/singlepass")
    with benchmark(workspace) as opened:
        records = Records.of(opened.workspace)
        every = _every_protocol(records, suite)
        sides = [compared_side(records, every, name) for name in names]
    return [(of, (model,)) for of, model in sides]


def _every_protocol(records: Records, suite: SuiteId | None) -> list[SuiteId]:
    from convergebench.results.sessions import choose_suites

    return choose_suites(records, choose_suites(records, suite)[0].base)


def _compare(names: list[str], workspace: Path, suite: SuiteId | None, as_json: bool) -> None:
    from convergebench.benchmarks.session_comparison import compared_sessions
    from convergebench.report.tables.turns import comparison_tables, json_comparisons
    from convergebench.results import Records

    with benchmark(workspace) as opened:
        records = Records.of(opened.workspace)
        found = compared_sessions(records, _every_protocol(records, suite), *names)
    if as_json:
        print_json(json_comparisons(found))
        return
    out = console()
    for table in comparison_tables(found):
        out.print(table)


def curves_of(
    workspace: Path, suite: SuiteId | None = None, models: Sequence[str] = ()
) -> dict[SuiteId, list[TurnCurve]]:
    """The curves of each chosen suite."""
    from convergebench.benchmarks.session_curves import session_curves
    from convergebench.results import Records
    from convergebench.results.sessions import choose_suites

    with benchmark(workspace) as opened:
        records = Records.of(opened.workspace)
        return {name: session_curves(records, name, models) for name in choose_suites(records, suite)}


def _judge(
    name: str,
    workspace: Path,
    wanted: list[tuple[SuiteId, Sequence[str]]],
    prompts: str,
    limits: RunLimits,
    retry_missing: bool,
    *,
    quiet: bool,
) -> int:
    import asyncio

    from convergebench.cli.judge_output import closing_lines
    from convergebench.cli.judging_progress import judging_progress
    from convergebench.engine.judging.tasks import JudgingOutcome
    from convergebench.judges import open_judge
    from convergebench.session_judging import judge_sessions
    from convergebench.store import Workspace

    opened = open_judge(name)
    limits.check_prices(judges=[opened.facts])
    judged = JudgingOutcome()
    while wanted and not judged.is_cut_short:
        suite, models = wanted.pop(0)
        with Workspace.create(workspace) as store, judging_progress(opened.facts.name, quiet) as progress:
            work = judge_sessions(
                store, suite, lambda: open_judge(name), models=models, prompts=prompts,
                limits=limits.after(judged.spent_usd), retry_missing=retry_missing, progress=progress,
            )  # fmt: skip
            judged.add(asyncio.run(work))
    for line in closing_lines(judged, opened.facts.name):
        typer.echo(line, err=True)
    if wanted:
        left = dict.fromkeys(suite for suite, _ in wanted)
        typer.echo(f"convergebench: not judged yet: {', '.join(left)}.", err=True)
    return judging_exit_code(judged)


def print_turns(suite: SuiteId, curves: Sequence[TurnCurve]) -> None:
    from convergebench.report.tables.turns import turn_notes, turn_tables

    out = console()
    out.print(suite, style="bold", markup=False)
    for table in turn_tables(curves, out.width):
        out.print(table)
    for note in turn_notes(curves):
        print_note(note)
