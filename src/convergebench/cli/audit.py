"""convergebench audit"""

from __future__ import annotations

from typing import Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    benchmark,
    console,
    print_json,
)

NAME = "audit"


def command(
    metric: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Metric that ranks. [default: what a person sees, or ssim]"),
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Round to rank at. [default: last round]")
    ] = None,
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """List what would bias a comparison, and rank without it."""
    from convergebench.analysis import audit, headline_rankings, on_shared_cases
    from convergebench.cli.summary import print_ranking
    from convergebench.report import audit_lines, corrected_title, csv_audit, csv_text, json_audit
    from convergebench.results import load_audit_input

    with benchmark(workspace, model) as opened:
        findings = audit(load_audit_input(opened.workspace, suite))
        results = opened.results(suite)
    shared = on_shared_cases(results, metric or results.chief, round)
    ranked = headline_rankings(shared.results, metric, round)[0][1] if shared.cases else None
    if as_json:
        print_json(json_audit(findings, shared, ranked))
        return
    if as_csv:
        typer.echo(csv_text(csv_audit(findings)), nl=False)
        return
    out = console()
    for line in audit_lines(findings):
        out.print(line, markup=False)
    out.print()
    out.print(corrected_title(shared), markup=False)
    if ranked is not None:
        print_ranking(ranked)
