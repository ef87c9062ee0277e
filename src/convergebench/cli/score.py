"""convergebench score"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.exit_codes import DONE, INCOMPLETE, judging_exit_code
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    JudgeCallsPerMinute,
    JudgeConcurrency,
    JudgingCost,
    MaxTotal,
    Prompts,
    RetryMissing,
    WorkspaceFolder,
    chosen_models,
    listed,
)
from convergebench.cli.pairwise import Comparisons

if TYPE_CHECKING:
    from convergebench.engine import RunLimits
    from convergebench.engine.judging.comparing import ComparedModels
    from convergebench.engine.judging.pairwise_candidates import PairwiseCandidate
    from convergebench.importing.external_edits import Coverage, OnStored
    from convergebench.judges import Judge
    from convergebench.scoring import Scored
    from convergebench.store import Workspace
    from convergebench.types import Suite

NAME = "score"


def command(
    edits: Annotated[
        Path | None,
        typer.Argument(metavar="[EDITS]", help="Existing pictures: a .jsonl list or a folder of results."),
    ] = None,
    suite: Annotated[
        str,
        typer.Option(
            metavar="SUITE",
            help="gedit, wiseedit, reedit, or one of their -mini variants; or a set of single edits, such as "
            "imgedit.",
        ),
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
    pairwise: Annotated[
        bool,
        typer.Option("--pairwise", help="Also compare the models, every two of them in both orders."),
    ] = False,
    comparisons: Comparisons = None,
    gedit_v2: Annotated[
        Path | None,
        typer.Option(
            "--gedit-v2",
            metavar="FOLDER",
            help="With --pairwise: also write every comparison as GEdit-Bench v2's JSONL.",
        ),
    ] = None,
    retry_missing: RetryMissing = False,
    max_cost: JudgingCost = None,
    max_total: MaxTotal = None,
    per_minute: JudgeCallsPerMinute = None,
    concurrency: JudgeConcurrency = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop if a case lacks its picture or a picture has no case.")
    ] = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> int:
    """Score single edits with a judge: new ones or existing ones."""
    import asyncio

    from convergebench.benchmarks.registry import benchmark_of
    from convergebench.cli.judging_progress import judging_progress
    from convergebench.cli.pairwise import pairwise_found, write_gedit_v2
    from convergebench.cli.score_output import print_scores
    from convergebench.engine import RunLimits
    from convergebench.errors import WrongUse
    from convergebench.importing.external_edits import coverage, import_edits, read_edits, without_damaged
    from convergebench.scoring import score_suite
    from convergebench.store import Workspace
    from convergebench.suites.sampling import Sampling

    limits = RunLimits(
        judge_concurrency=concurrency, per_minute=per_minute, max_cost_usd=max_cost, max_total_usd=max_total
    )
    names = tuple(model) if edits else chosen_models(model, workspace)
    if edits is not None and len(names) != 1:
        raise WrongUse("name the model that made these pictures with exactly one --model NAME")
    if pairwise and judge is None:
        raise WrongUse("--pairwise needs a judge that compares; add --judge PROVIDER:MODEL")
    if not pairwise and (comparisons is not None or gedit_v2 is not None):
        raise WrongUse("--comparisons and --gedit-v2 are about comparisons of models; add --pairwise")
    opened = _open_judge(judge, limits)
    benchmark = benchmark_of(suite)
    sampling = Sampling(listed(subset), per_subset, limit, seed, limit_per_subset)
    loaded = benchmark.load(suite, data, language, sampling)
    covered = None
    if edits:
        known = benchmark.case_ids(suite, data, language)
        found = read_edits(edits, names[0], benchmark.results, language, known)
        covered = coverage(found, [case.id for case in loaded.cases], known)
    if covered and strict:
        covered = without_damaged(covered)
        if not covered.is_complete:
            return _refused(covered, loaded, as_json)
    with Workspace.create(workspace) as store:

        def take_in(on_stored: OnStored) -> None:
            nonlocal covered
            assert edits is not None and covered is not None
            covered = import_edits(store, edits, loaded, names[0], covered, on_stored)

        is_judged_meanwhile = covered is not None and opened is not None and not pairwise
        if covered is not None and not is_judged_meanwhile:
            take_in(lambda trajectory, pictures: None)  # pairs are made of pictures that are there
        if opened is None:
            return print_scores(covered, None, loaded, as_json, csv, judging_exit_code(None))
        pairs = _pairs(store, loaded, names) if pairwise else None
        with judging_progress(opened.facts.name, as_json) as progress:

            def score(by: Judge) -> Coroutine[None, None, Scored]:
                return score_suite(
                    store, loaded, by, models=names, repeats=repeats, limits=limits,
                    judge_in_english=judge_in_english, prompts=prompts,
                    as_published=as_published, retry_missing=retry_missing,
                    progress=progress, take_in=take_in if is_judged_meanwhile else None,
                )  # fmt: skip

            compared = None
            if pairs is None:
                scored = asyncio.run(score(opened))
            else:
                from convergebench.scoring import score_with_pairs

                both = asyncio.run(
                    score_with_pairs(
                        score, pairs, opened, store, loaded, comparisons=comparisons, limits=limits,
                        retry_missing=retry_missing, progress=progress,
                    )
                )  # fmt: skip
                scored, compared = both.scored, both.compared
    table = None if compared is None else pairwise_found(compared, opened)
    if compared and gedit_v2:
        write_gedit_v2(gedit_v2, compared, opened)
    return print_scores(covered, scored, loaded, as_json, csv, _exit_code(scored, compared), table)


def _exit_code(scored: Scored, compared: ComparedModels | None) -> int:
    code = judging_exit_code(scored.judged)
    if code == DONE and not scored.is_complete:
        return INCOMPLETE
    if code == DONE and compared is not None and compared.judged.verdicts:
        return judging_exit_code(compared.judged)
    return code


def _open_judge(name: str | None, limits: RunLimits) -> Judge | None:
    from convergebench.judges import open_judge

    if name is None:
        return None
    judge = open_judge(name)
    limits.check_prices(judges=[judge.facts])
    return judge


def _pairs(store: Workspace, suite: Suite, models: Sequence[str]) -> list[PairwiseCandidate]:
    from convergebench.scoring import suite_pairs

    return suite_pairs(store, suite, models)


def _refused(covered: Coverage, suite: Suite, as_json: bool) -> int:
    from convergebench.cli.score_output import coverage_lines, print_scores

    if as_json:
        return print_scores(covered, None, suite, as_json, None, INCOMPLETE)
    for line in (
        *coverage_lines(covered),
        "convergebench: nothing was imported or judged, because of --strict.",
    ):
        typer.echo(line, err=True)
    return INCOMPLETE
