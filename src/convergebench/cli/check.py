"""convergebench check"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.exit_codes import DONE, INCOMPLETE, INTERRUPTED, WORSE
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    chosen_models,
    console,
    listed,
    print_json,
    print_note,
)
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from convergebench.regression import CheckOutcome

NAME = "check"


def command(
    baseline: Annotated[
        list[str],
        typer.Option(
            metavar="BASELINE",
            help="What to compare with: a workspace, an export (folder or measurements.csv), or previous for "
            "the results before the last --fresh. ?model=NAME, run=N, generation=N and suite=SUITE select a "
            "part of it. Repeat it for several.",
        ),
    ],
    fail_if: Annotated[
        str,
        typer.Option(metavar="WHEN", help="Fail when a column is worse, or different.", show_default=True),
    ] = "worse",
    by: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN",
            help="did, undid, kept_first, kept_last, usable, score, or a metric at the last round. "
            "[default: the first five]",
        ),
    ] = [],  # noqa: B006
    margin: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Tolerated loss, as a share of a column's range.", show_default=True
        ),
    ] = 0.02,
    need_power: Annotated[
        bool,
        typer.Option("--need-power", help="Exit with 3 if a loss beyond the margin could go unnoticed."),
    ] = False,
    model: ModelNames = [],  # noqa: B006
    run: Annotated[list[int], typer.Option(metavar="N", help="Check only edits of these runs.")] = [],  # noqa: B006
    generation: Annotated[
        int, typer.Option(metavar="N", help="Check the results before the last N --fresh.", show_default=True)
    ] = 0,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="First repeat the last run with new edits; the old ones are kept."),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --fresh: do not ask before more than $5 or two hours.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="With --fresh: stop before it costs more than this.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write Markdown.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML.")] = None,
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> int:
    """Compare models with a baseline; exit with 4 if one is worse.

    Paired on shared cases and seeds; clustered by source picture; corrected for the number of columns.
    """
    from convergebench.errors import WrongUse
    from convergebench.regression import check

    if fail_if not in ("worse", "different"):
        raise WrongUse(f"--fail-if must be worse or different, not {fail_if}")
    models = chosen_models(model, workspace)
    if fresh and not _run_anew(workspace, models, max_cost, yes, as_json):
        return INTERRUPTED
    outcome = check(
        workspace, baselines=baseline, models=models, suite=suite, runs=run,
        generation=generation, by=listed(by), fail_if=fail_if, margin=margin, need_power=need_power,  # type: ignore[arg-type]
    )  # fmt: skip
    code = WORSE if outcome.has_failed else INCOMPLETE if outcome.cannot_pass else DONE
    _write_files(outcome, code, markdown, junit)
    _print(outcome, code, as_json)
    return code


def _run_anew(
    workspace: Path, models: tuple[str, ...], max_cost: float | None, yes: bool, as_json: bool
) -> bool:
    """Repeat the last run with new edits; whether it was not interrupted."""
    from dataclasses import replace

    from convergebench import api
    from convergebench.cli.run import confirm_large, execute_with_progress, incomplete_lines, print_forecast
    from convergebench.engine.editing.forecast import forecast_run
    from convergebench.regression import last_settings
    from convergebench.store import Workspace

    settings = replace(last_settings(workspace, models), max_cost_usd=max_cost)
    plan = api.make_plan(settings)
    expected = forecast_run(plan, workspace, settings.limits, fresh=True)
    if not as_json:
        print_forecast(plan, expected, as_json=False)
    confirm_large(expected, settings, yes)
    with Workspace.create(workspace) as store:
        outcome = execute_with_progress(plan, settings, store, fresh=True, as_json=as_json)
    for line in incomplete_lines(outcome, workspace):
        typer.echo(line, err=True)
    if outcome.out_of_budget:
        typer.echo(f"convergebench: stopped at {outcome.cost_limit}; what was edited is compared", err=True)
    return not outcome.interrupted


def _conclusion(outcome: CheckOutcome, code: int) -> str:
    failed = [one for one in outcome.quantities if one.fails]
    if failed:
        names = ", ".join(dict.fromkeys(f"{one.model}: {one.quantity}" for one in failed))
        return f"{counted(len(failed), 'column')} failed ({names})"
    if outcome.is_incomplete:
        return "Incomplete: a loss where returns are missing could go unnoticed"
    if code == INCOMPLETE:
        return "Undecided: too few pictures to notice a loss beyond the margin"
    return f"No failure in {counted(len(outcome.quantities), 'column')}"


def _write_files(outcome: CheckOutcome, code: int, markdown: Path | None, junit: Path | None) -> None:
    from convergebench.report.tables.check_report import check_notes, junit_check, markdown_check

    if markdown is not None:
        text = markdown_check(outcome.quantities, _conclusion(outcome, code), check_notes(outcome.missing))
        markdown.write_text(text, encoding="utf-8")
    if junit is not None:
        junit.write_text(junit_check(outcome.quantities), encoding="utf-8")


def _print(outcome: CheckOutcome, code: int, as_json: bool) -> None:
    from itertools import groupby

    from convergebench.report.tables.check_report import check_notes, check_table, json_check

    notes = check_notes(outcome.missing)
    if as_json:
        print_json({"exit_code": code, "columns": json_check(outcome.quantities), "notes": notes})
        return
    out = console()
    for (model, baseline), columns in groupby(outcome.quantities, lambda one: (one.model, one.baseline)):
        out.print(f"{model} against {baseline}", markup=False, soft_wrap=True)
        out.print(check_table(list(columns), out.width))
    for note in notes:
        print_note(note)
    typer.echo(_conclusion(outcome, code) + ".", err=code != DONE)
