"""convergebench score"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.exit_codes import DONE, INCOMPLETE, judging_exit_code
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    MaxTotal,
    Prompts,
    WorkspaceFolder,
    chosen_models,
    console,
    listed,
    print_json,
)

if TYPE_CHECKING:
    from convergebench.engine import RunLimits
    from convergebench.importing.external_edits import Coverage, ExternalEdit
    from convergebench.judges import Judge
    from convergebench.scoring import RepeatAgreement, Scored
    from convergebench.types import Suite

NAME = "score"
_LISTED = 10


def command(
    edits: Annotated[
        Path | None,
        typer.Argument(metavar="[EDITS]", help="Existing pictures: a .jsonl list or a folder of results."),
    ] = None,
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="gedit, wiseedit or reedit, or one of their -mini variants.")
    ] = "gedit",
    data: Annotated[str, typer.Option(metavar="PATH", help="The suite's data: a path or a hub id.")] = "",
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help="en or cn; for wiseedit also both.")] = "",
    subset: Annotated[list[str], typer.Option(metavar="SUBSET", help="Only these subsets.")] = [],  # noqa: B006
    per_subset: Annotated[
        int | None, typer.Option(metavar="N", help="Sample N cases of each subset.")
    ] = None,
    limit_per_subset: Annotated[
        int | None, typer.Option(metavar="N", help="The first N cases of each subset, as EvalScope's limit.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of cases, taken from the subsets in turn.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the sampling.")] = 0,
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", metavar="NAME", help="Model that made EDITS, or models to score."),
    ] = [],  # noqa: B006
    judge: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER:MODEL", help="Judge model, see `judge`. [default: none]"),
    ] = None,
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Verdicts per picture.")] = 1,
    judge_in_english: Annotated[
        bool,
        typer.Option("--judge-in-english", help="Give the judge English instructions for all languages."),
    ] = False,
    prompts: Prompts = "",
    as_published: Annotated[
        bool,
        typer.Option("--as-published", help="Also give figures by the benchmark's own treatment of gaps."),
    ] = False,
    retry_missing: Annotated[
        bool, typer.Option("--retry-missing", help="Request missing verdicts again.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Stop before judging costs more than this.")
    ] = None,
    max_total: MaxTotal = None,
    per_minute: Annotated[
        float | None, typer.Option(metavar="N", help="Maximum judge calls per minute.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Parallel judge calls. [default: 8]")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop if a case lacks its picture or a picture has no case.")
    ] = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> int:
    """Score single edits with a judge, new ones or existing pictures."""
    import asyncio

    from convergebench.benchmarks.registry import benchmark_of
    from convergebench.cli.judging_progress import judging_progress
    from convergebench.engine import RunLimits
    from convergebench.errors import WrongUse
    from convergebench.importing.external_edits import import_edits, read_edits
    from convergebench.scoring import score_suite
    from convergebench.store import Workspace
    from convergebench.suites.sampling import Sampling

    limits = RunLimits(
        judge_concurrency=concurrency, per_minute=per_minute, max_cost_usd=max_cost, max_total_usd=max_total
    )
    names = tuple(model) if edits else chosen_models(model, workspace)
    if edits is not None and len(names) != 1:
        raise WrongUse("name the model that made these pictures with exactly one --model NAME")
    opened = _open_judge(judge, limits)
    benchmark = benchmark_of(suite)
    sampling = Sampling(listed(subset), per_subset, limit, seed, limit_per_subset)
    loaded = benchmark.load(suite, data, language, sampling)
    covered = None
    if edits:
        known = benchmark.case_ids(suite, data, language)
        found = read_edits(edits, names[0], benchmark.results, language, known)
        covered = _covered(found, loaded, known)
    if covered and strict and not covered.is_complete:
        return _refused(covered, loaded, as_json)
    with Workspace.create(workspace) as store:
        if covered and edits:
            import_edits(store, edits, loaded, names[0], covered)
        scored = None
        if opened is not None:
            with judging_progress(opened.facts.name, as_json) as progress:
                work = score_suite(
                    store, loaded, opened, models=names, repeats=repeats, limits=limits,
                    judge_in_english=judge_in_english, prompts=prompts,
                    as_published=as_published, retry_missing=retry_missing,
                    progress=progress,
                )  # fmt: skip
                scored = asyncio.run(work)
    code = judging_exit_code(scored.judged if scored else None)
    if scored is not None and code == DONE and not scored.is_complete:
        code = INCOMPLETE
    return _print_scores(covered, scored, loaded, as_json, csv, code)


def _open_judge(name: str | None, limits: RunLimits) -> Judge | None:
    from convergebench.judges import open_judge

    if name is None:
        return None
    judge = open_judge(name)
    limits.check_prices(judges=[judge.facts])
    return judge


def _covered(edits: list[ExternalEdit], suite: Suite, known: frozenset[str]) -> Coverage:
    from convergebench.importing.external_edits import coverage

    return coverage(edits, [case.id for case in suite.cases], known)


def _refused(covered: Coverage, suite: Suite, as_json: bool) -> int:
    if as_json:
        return _print_scores(covered, None, suite, as_json, None, INCOMPLETE)
    for line in (
        *_coverage_lines(covered),
        "convergebench: nothing was imported or judged, because of --strict.",
    ):
        typer.echo(line, err=True)
    return INCOMPLETE


def _print_scores(
    covered: Coverage | None, scored: Scored | None, suite: Suite, as_json: bool, csv: Path | None, code: int
) -> int:
    from convergebench.cli.judge_output import judged_in_json
    from convergebench.report.export.csv_files import csv_text
    from convergebench.report.tables.benchmark import csv_benchmark, json_benchmark
    from convergebench.scoring import full_name

    rows = scored.rows if scored else []
    if csv is not None and scored:
        csv.write_text(csv_text(csv_benchmark(rows)), encoding="utf-8")
    if as_json:
        print_json(
            {"suite": full_name(suite), "cases": len(suite.cases), "exit_code": code,
             "coverage": covered and _json_coverage(covered),
             "judged": scored and judged_in_json(scored.judged),
             "complete": scored and {model: vars(one) for model, one in scored.completeness.items()},
             "agreement": [vars(one) for one in scored.agreements] if scored else [],
             "rows": json_benchmark(rows)}
        )  # fmt: skip
        return code
    if scored and scored.judged.ok:
        for line in headlines(full_name(suite), scored):
            typer.echo(line)
        _print_table(scored)
    for line in (*_coverage_lines(covered), *_judged_lines(scored)):
        typer.echo(line, err=code != 0)
    return code


def headlines(suite: str, scored: Scored) -> list[str]:
    """For each model, whether all of its samples have every verdict."""
    lines = []
    for model, one in scored.completeness.items():
        verdict = "complete" if one.complete == one.samples else "INCOMPLETE"
        lines.append(
            f"{suite}, {model}: {verdict}, {one.complete} of {one.samples} samples have every verdict"
        )
    return lines


def _print_table(scored: Scored) -> None:
    from convergebench.report.tables.benchmark import benchmark_notes, benchmark_table

    out = console()
    out.print(benchmark_table(scored.rows))
    for note in (*benchmark_notes(scored.rows), *map(_agreement_line, scored.agreements)):
        out.print(f"  {note}", style="dim", markup=False)


def _agreement_line(one: RepeatAgreement) -> str:
    alpha = "no alpha, as all values are equal" if one.alpha is None else f"alpha {one.alpha:.2f}"
    return f"{one.rubric}: repeats agree with {alpha}, spread {one.spread:.2f}, {one.samples} samples"


def _coverage_lines(covered: Coverage | None) -> list[str]:
    if covered is None:
        return []
    share = len(covered.usable) / covered.cases if covered.cases else 0.0
    lines = [f"Coverage: {len(covered.usable)} of {covered.cases} cases have a picture ({share:.1%})."]
    for what, names in (
        ("without a picture", covered.missing),
        ("with a picture that cannot be read", tuple(covered.unreadable)),
        ("with several pictures, none of which is used", covered.duplicate),
    ):
        if names:
            lines.append(f"convergebench: {_counted(len(names), 'case')} {what}: {_few(names)}")
    if covered.unknown:
        ids = _counted(len(covered.unknown), "id")
        lines.append(f"convergebench: {ids} unknown to the suite: {_few(covered.unknown)}")
    if covered.not_chosen:
        lines.append(f"Ignored: {_counted(covered.not_chosen, 'picture')} of cases that were not selected.")
    return lines


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _LISTED} more (--json lists all)" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _judged_lines(scored: Scored | None) -> list[str]:
    from convergebench.cli.judge_output import closing_lines

    if scored is None:
        return ["Nothing was judged; choose a judge with --judge PROVIDER:MODEL."]
    return closing_lines(scored.judged, "the judge")


def _json_coverage(covered: Coverage) -> dict[str, Any]:
    return {
        "cases": covered.cases, "usable": len(covered.usable), "missing": list(covered.missing),
        "unreadable": covered.unreadable, "duplicate": list(covered.duplicate),
        "unknown": list(covered.unknown), "not_chosen": covered.not_chosen,
    }  # fmt: skip
