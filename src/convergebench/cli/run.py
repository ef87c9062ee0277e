"""convergebench run"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.exit_codes import DONE, exit_code
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ClipWeights,
    DinoWeights,
    MaxTotal,
    WorkspaceFolder,
    benchmark,
    confirm,
    follow_up,
    listed,
    listed_models,
    print_json,
)
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from convergebench.analysis import FailedStep
    from convergebench.api import Settings
    from convergebench.engine import Plan, RunOutcome
    from convergebench.engine.editing.forecast import RunForecast

NAME = "run"

_MANY = "Separate several with commas, or repeat the option."


def command(
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", metavar="MODEL", help=f"Model to test, see `models`. {_MANY}"),
    ],
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="SUITE", help="Suite of cases, see `suites`; or folder:PATH. [default: converge]"
        ),
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Your own pictures instead of a suite: a folder, or hub:ID."),
    ] = None,
    edits: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Your own edits, as .csv, .jsonl or .toml: on the suite's pictures or on those they name.",
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="PATH", help="Path to the data of gedit, wiseedit or reedit.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="LANG", help="Language of the suite's instructions: en or cn.")
    ] = None,
    rounds: Annotated[int, typer.Option(metavar="N", help="Round trips per case.")] = 10,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="round_trip, cross_edit, cross_edit_swapped, sequence, sequence?edits=N, stay, one_shot, "
            "session, singlepass or independent. "
            "[default: depends on the suite]",
        ),
    ] = "",
    kind: Annotated[list[str], typer.Option(metavar="KIND", help="Only pictures of this kind.")] = [],  # noqa: B006
    category: Annotated[
        list[str], typer.Option(metavar="CATEGORY", help="Only edits of this category.")
    ] = [],  # noqa: B006
    pair: Annotated[list[str], typer.Option(metavar="PAIR", help="Only this pair of edits.")] = [],  # noqa: B006
    picture: Annotated[list[str], typer.Option(metavar="PICTURE", help="Only this picture.")] = [],  # noqa: B006
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of cases, spread over the pictures.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="First seed.")] = 0,
    repeats: Annotated[
        int, typer.Option(metavar="N", help="Trajectories per case, each with its own seed.")
    ] = 1,
    seed_policy: Annotated[
        str,
        typer.Option(metavar="POLICY", help="A fresh seed for every step, or the same for all: fresh, same."),
    ] = "fresh",
    concurrency: Annotated[
        int | None,
        typer.Option(metavar="N", help="Parallel trajectories per model. [default: 8, or the model's limit]"),
    ] = None,
    per_minute: Annotated[
        float | None, typer.Option(metavar="N", help="Maximum requests per minute to each provider.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Stop before the run costs more than this.")
    ] = None,
    max_total: MaxTotal = None,
    metric: Annotated[
        list[str],
        typer.Option(metavar="METRIC", help="Metrics, see `metrics`. [default: the default set]"),
    ] = [],  # noqa: B006
    clip: ClipWeights = None,
    dino: DinoWeights = None,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="Device for the metrics: auto, cpu or cuda.")
    ] = "auto",
    engine: Annotated[
        str, typer.Option(metavar="ENGINE", help="Run models and metrics locally or on Ray: local or ray.")
    ] = "local",
    ray_address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Ray cluster. [default: a new one on this machine]")
    ] = None,
    replicas: Annotated[
        str | None,
        typer.Option(metavar="MIN..MAX", help="Replicas per model on Ray. [default: all that fit]"),
    ] = None,
    pictures_at: Annotated[
        str | None,
        typer.Option(
            "--pictures",
            metavar="URL",
            help="Picture store of a new workspace, such as s3://bucket/folder.",
        ),
    ] = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Reuse existing results, or start a new set beside them.")
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the number of edits, cost and time, and exit.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before a run of more than $5 or two hours.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Edit and undo for N rounds, and measure every return. Rerun to continue."""
    from convergebench import api
    from convergebench.cli.download_progress import fetching
    from convergebench.editors import known_editor, open_editor
    from convergebench.engine.editing.forecast import forecast_run
    from convergebench.errors import WrongUse
    from convergebench.metrics import DEFAULT_MEASURED
    from convergebench.store import Workspace

    if device not in ("auto", "cpu", "cuda"):
        raise WrongUse(f"--device must be auto, cpu or cuda, not {device}")
    settings = api.Settings(
        models=listed_models(model), rounds=rounds,
        suite=_named(api.suite_name(suite, images, edits), data=data, language=language), edits=edits,
        protocol=protocol, kinds=listed(kind), categories=listed(category),
        pairs=listed(pair), pictures=listed(picture), limit=limit, seed=seed, repeats=repeats,
        seed_policy=seed_policy,  # type: ignore[arg-type]
        concurrency=concurrency, per_minute=per_minute, max_cost_usd=max_cost, max_total_usd=max_total,
        metrics=listed(metric) or DEFAULT_MEASURED, clip=clip, dino=dino, device=device,  # type: ignore[arg-type]
        engine=engine, ray_address=ray_address, replicas=replicas, pictures_at=pictures_at,  # type: ignore[arg-type]
    )  # fmt: skip
    with fetching(settings.suite, as_json) as on_package:
        plan = api.make_plan(settings, on_package, known_editor if dry_run else open_editor)
    for remark in plan.remarks:
        typer.echo(remark, err=True)
    expected = forecast_run(plan, workspace, settings.limits, fresh=not resume)
    for editor in plan.editors:
        for warning in editor.facts.warnings:
            typer.echo(f"convergebench: {editor.facts.title} {warning}", err=True)
    if dry_run:
        print_forecast(plan, expected, as_json)
        return DONE
    confirm_large(expected, settings, yes)
    with Workspace.create(workspace, pictures_at) as store:
        outcome = execute_with_progress(plan, settings, store, fresh=not resume, as_json=as_json)
    if plan.protocol.by_turn:
        return _print_sessions(outcome, plan, workspace, as_json, fresh=not resume)
    if plan.protocol.returns:
        return _print_outcome(outcome, plan, workspace, as_json, fresh=not resume)
    return _print_single_edits(outcome, plan, settings.suite, workspace, as_json, fresh=not resume)


def _named(suite: str, **settings: str | None) -> str:
    """The suite's name followed by its settings."""
    given = [f"{key}={value}" for key, value in settings.items() if value is not None]
    return suite + ("&" if "?" in suite else "?") + "&".join(given) if given else suite


def print_forecast(plan: Plan, expected: RunForecast, as_json: bool) -> None:
    from convergebench.engine.editing.forecast import written_time

    if as_json:
        rows = [
            {"model": one.model, "fingerprint": one.fingerprint, "done": one.done, "to_do": one.to_do,
             "cost_usd": one.cost_usd, "seconds": one.seconds}
            for one in expected.models
        ]  # fmt: skip
        print_json(
            {"suite": plan.suite, "cases": len(plan.cases), "rounds": plan.protocol.rounds, "models": rows}
        )
        return
    cases, seeds = counted(len(plan.cases), "case"), counted(len(plan.seeds), "seed")
    each = "their turns" if plan.protocol.by_turn else counted(plan.protocol.edits, "edit")
    typer.echo(f"{plan.suite}: {cases} × {seeds} × {each} = {counted(plan.edits_each, 'edit')} per model")
    for one in expected.models:
        expense = f", {_priced(one.cost_usd)}, {written_time(one.seconds)}" if one.to_do else ""
        typer.echo(f"  {one.model}: {one.done} done, {one.to_do} to do{expense}")


def _priced(cost_usd: float | None) -> str:
    if cost_usd is None:
        return "price unknown"
    return f"about ${cost_usd:.2f}" if cost_usd else "free"


def confirm_large(expected: RunForecast, settings: Settings, yes: bool) -> None:
    """Ask before a large run, unless its cost is limited or it has been started before."""
    if expected.needs_consent(settings.limits):
        question = f"This run makes {expected.size}. --limit takes a balanced part of it. Run all of it?"
        confirm(question, yes)


def execute_with_progress(
    plan: Plan, settings: Settings, store: Any, *, fresh: bool, as_json: bool
) -> RunOutcome:
    import sys

    from convergebench import api
    from convergebench.cli.download_progress import fetch_metric_weights
    from convergebench.run_progress.terminal import ProgressBars

    fetch_metric_weights(settings.metrics, portraits=plan.returns_portraits)
    if as_json or not sys.stderr.isatty():
        return api.execute(plan, settings, store, fresh=fresh)
    with ProgressBars() as bars:
        return api.execute(plan, settings, store, fresh=fresh, progress=bars)


def _print_outcome(outcome: RunOutcome, plan: Plan, workspace: Path, as_json: bool, *, fresh: bool) -> int:
    from convergebench.analysis import headline_rankings
    from convergebench.cli.summary import json_rankings, print_notes, print_rankings
    from convergebench.results import load_results

    code = exit_code(outcome)
    with benchmark(workspace) as opened:  # another process may have started a run of another suite since
        results = load_results(opened.workspace, plan.suite, protocol=plan.protocol.name)
    ranked = headline_rankings(results) if results.metrics else None
    reasons = _reasons(results.troubles)
    if as_json:
        rows = ranked and json_rankings(ranked)
        print_json({"run": _facts(outcome), "exit_code": code, "reasons": reasons, "ranking": rows})
        return code
    if ranked is None:
        for reason in reasons:
            typer.echo(f"convergebench: {reason}", err=True)
    elif any(row.n for _, one in ranked for row in one.rows):
        print_rankings(ranked)
    else:
        print_notes(ranked[0][1])
    for line in _closing_lines(outcome, workspace, fresh=fresh):
        typer.echo(line, err=code != 0)
    return code


def _print_single_edits(
    outcome: RunOutcome, plan: Plan, typed: str, workspace: Path, as_json: bool, *, fresh: bool
) -> int:
    """Single edits have no return to measure; a judge scores them."""
    from convergebench.benchmarks.registry import find_benchmark

    code = exit_code(outcome)
    if as_json:
        print_json({"run": _facts(outcome), "exit_code": code})
        return code
    for line in _closing_lines(outcome, workspace, fresh=fresh):
        typer.echo(line, err=code != 0)
    name = plan.suite.name
    command = (
        follow_up("score", workspace, "--suite", name, *_score_options(typed))
        if find_benchmark(name)
        else follow_up("judge", workspace, "--suite", plan.suite)
    )
    typer.echo(f"Judge them with: {command} --judge PROVIDER:MODEL")
    return code


def _score_options(suite: str) -> list[str]:
    """The settings of a suite as it was named, as options of `score`.

    >>> _score_options("reedit?data=my set.json&per_subset=20&sampling_seed=1")
    ['--data', 'my set.json', '--per-subset', '20', '--seed', '1']
    """
    given = [part.partition("=")[::2] for part in suite.partition("?")[2].split("&") if part]
    options = {"sampling_seed": "--seed", "per_subset": "--per-subset"}
    return [word for name, value in given for word in (options.get(name, f"--{name}"), value)]


def _print_sessions(outcome: RunOutcome, plan: Plan, workspace: Path, as_json: bool, *, fresh: bool) -> int:
    from convergebench.cli.turns import curves_of, print_turns
    from convergebench.report.tables.turns import json_turns

    code = exit_code(outcome)
    curves = curves_of(workspace, plan.suite)[plan.suite]
    if as_json:
        print_json({"run": _facts(outcome), "exit_code": code, "curves": json_turns(curves)})
        return code
    print_turns(plan.suite, curves)
    for line in _closing_lines(outcome, workspace, fresh=fresh):
        typer.echo(line, err=code != 0)
    return code


def _reasons(troubles: Sequence[FailedStep]) -> list[str]:
    """Each reason once: a model whose every edit fails repeats it a thousand times."""
    return list(dict.fromkeys(f"{one.model}: {' '.join(one.reason.split())}" for one in troubles))


def _facts(outcome: RunOutcome) -> dict[str, Any]:
    return {
        "trajectories": outcome.trajectories, "complete": outcome.complete, "edits": outcome.edits,
        "replayed": outcome.replayed, "failures": dict(outcome.failures), "unusable": outcome.unusable,
        "unreadable": outcome.unreadable, "interrupted": outcome.interrupted,
        "out_of_budget": outcome.out_of_budget, "spent_usd": round(outcome.spent_usd, 6),
        "seconds": round(outcome.seconds, 3),
    }  # fmt: skip


def _closing_lines(outcome: RunOutcome, workspace: Path, *, fresh: bool) -> list[str]:
    """What is complete, what is missing and why, and the next command."""
    from convergebench.types import FINAL_FAILURES

    edits = counted(outcome.edits, "new edit")
    cost = f", ${outcome.spent_usd:.2f}" if outcome.spent_usd else ""
    lines = [
        f"{edits}, {outcome.replayed} reused from {workspace}/, {outcome.seconds:.1f} s{cost}.",
        *incomplete_lines(outcome, workspace),
    ]
    without = ", without --fresh," if fresh else ""
    if outcome.out_of_budget:
        lines.append(
            f"convergebench: stopped at {outcome.cost_limit}; rerun the command{without} with a higher one "
            "to continue."
        )
    elif outcome.interrupted or set(outcome.failures) - FINAL_FAILURES:
        lines.append(f"Rerun the command{without} to continue; finished edits are reused.")
    return lines


def incomplete_lines(outcome: RunOutcome, workspace: Path) -> list[str]:
    """What is missing, and why."""
    lines = [
        f"convergebench: {model} cannot continue: {reason}" for model, reason in outcome.unusable.items()
    ]
    lines += [f"convergebench: {case} was skipped: {reason}" for case, reason in outcome.unreadable.items()]
    if outcome.complete < outcome.trajectories:
        why = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in outcome.failures.items())
        unfinished = outcome.trajectories - outcome.complete
        lines.append(
            f"convergebench: {unfinished} of {counted(outcome.trajectories, 'trajectory', 'trajectories')} "
            f"{'is' if unfinished == 1 else 'are'} not complete{f' ({why})' if why else ''}; "
            f"all finished edits are in {workspace}/."
        )
    return lines
