"""convergebench agreement"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ModelNames,
    SuiteName,
    WorkspaceFolder,
    chosen_models,
    listed,
    print_json,
)

if TYPE_CHECKING:
    from convergebench.votes.agreement_report import AgreementReport

NAME = "agreement"


def command(
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the agreement: .png, .svg or .pdf.")
    ] = None,
    opinions: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="SET PATH", help="Compare with tid2013, kadid10k or pipal, downloaded to PATH."),
    ] = None,
    metric: Annotated[
        list[str], typer.Option(metavar="METRIC", help="Metrics for --opinions. [default: all]")
    ] = [],  # noqa: B006
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N references of --opinions.")
    ] = None,
    model: ModelNames = [],  # noqa: B006
    suite: SuiteName = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> None:
    """Which metrics and judges agree with people, by round."""
    if opinions is not None:
        from convergebench.cli.opinion_output import compare_with_opinions

        compare_with_opinions(*opinions, listed(metric), limit, as_json)
        return
    from convergebench.cli.agreement_output import json_report, print_report
    from convergebench.store import Selection, Workspace
    from convergebench.votes.agreement_report import agreement_report

    with Workspace.existing(workspace, Selection(models=chosen_models(model, workspace))) as opened:
        report = agreement_report(opened, suite)
    if as_json:
        print_json(json_report(report))
    else:
        print_report(report)
    if plot is not None:
        _draw(report, plot)
        typer.echo(f"Wrote {plot}", err=as_json)


def _draw(report: AgreementReport, path: Path) -> None:
    from convergebench.errors import WrongUse
    from convergebench.report.figures.agreement import plot_agreement

    kinds = report.unmarked.kinds
    if not kinds:
        raise WrongUse("there are no votes on pairs to draw; collect some with convergebench vote")
    one = kinds[0]
    title = f"{report.suite}: agreement with people on {one.kind}s ({one.votes} votes)"
    shown = [found for found in one.overall if found.predictor not in one.drift]
    plot_agreement(path, title, shown, one.by_round, one.ceiling)
