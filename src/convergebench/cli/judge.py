"""convergebench judge"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.exit_codes import DONE, judging_exit_code
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    JudgeCallsPerMinute,
    JudgeConcurrency,
    JudgingCost,
    MaxTotal,
    PicturesOfSuite,
    Prompts,
    RetryMissing,
    WorkspaceFolder,
    chosen_models,
    listed,
    print_json,
)
from convergebench.cli.pairwise import Comparisons

if TYPE_CHECKING:
    from convergebench.analysis.judged.agreement import BetweenJudges
    from convergebench.engine import RunLimits
    from convergebench.engine.judging.candidates import JudgingCandidate
    from convergebench.engine.judging.comparing import ComparedModels
    from convergebench.engine.judging.judge_tasks import JudgingOutcome, JudgingTask
    from convergebench.engine.judging.pairwise_candidates import PairwiseCandidate
    from convergebench.judges import Judge, Rubric
    from convergebench.store import Workspace

NAME = "judge"
ROUND_TRIP = ("roundtrip_forward", "roundtrip_reversal")


def command(
    judge: Annotated[
        str,
        typer.Option(metavar="PROVIDER:MODEL", help="Judge model, such as openai:MODEL or vllm:MODEL."),
    ],
    models: Annotated[
        list[str] | None, typer.Argument(metavar="[MODELS]...", help="Only pictures of these models.")
    ] = None,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="Compare all pairs of models, each in both orders.")
    ] = False,
    comparisons: Comparisons = None,
    rubric: Annotated[
        list[str],
        typer.Option(metavar="RUBRIC", help="Rubric, see docs/judging.md, or a .toml file."),
    ] = [],  # noqa: B006
    prompts: Prompts = "",
    model: Annotated[
        list[str], typer.Option("--model", "-m", metavar="MODEL", help="Only pictures of these models.")
    ] = [],  # noqa: B006
    suite: PicturesOfSuite = None,
    rounds: Annotated[
        str, typer.Option(metavar="ROUNDS", help="Only these rounds, as in 1,5,8-10. [default: all]")
    ] = "",
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Verdicts per picture.")] = 1,
    retry_missing: RetryMissing = False,
    max_cost: JudgingCost = None,
    max_total: MaxTotal = None,
    per_minute: JudgeCallsPerMinute = None,
    concurrency: JudgeConcurrency = None,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> int:
    """Judge the workspace's pictures with a vision-language model. Existing verdicts are reused."""
    from convergebench import judges
    from convergebench.engine import RunLimits
    from convergebench.errors import WrongUse
    from convergebench.store import DATABASE, Workspace

    limits = RunLimits(
        judge_concurrency=concurrency, per_minute=per_minute, max_cost_usd=max_cost, max_total_usd=max_total
    )
    if comparisons is not None and not pairwise:
        raise WrongUse("--comparisons limits comparisons of models; add --pairwise")
    opened = judges.open_judge(judge)
    rubrics = _rubrics(listed(rubric), pairwise, prompts)
    limits.check_prices(judges=[opened.facts])
    if not (workspace / DATABASE).is_file():
        raise WrongUse(f"no workspace in {workspace}; create one with convergebench run")
    named = {
        "suite": suite, "models": chosen_models([*(models or ()), *model], workspace),
        "rounds": _rounds(rounds), "repeats": repeats,
    }  # fmt: skip
    with Workspace.create(workspace) as store:
        if pairwise:
            pairs = _pairs(store, rubrics, named)
            compared = _compare(pairs, opened, store, comparisons, limits, retry_missing, as_json)
            wording = next((one.wording for one in rubrics if one.wording), "")
            return _print_pairwise(compared, opened, wording, as_json)
        chosen = _pictures(store, rubrics, named)
        done = _judge([one.task for one in chosen], opened, store, limits, retry_missing, as_json)
        agreements = _between_judges(store, rubrics, opened)
    return _print_verdicts(chosen, done, opened, agreements, as_json)


def _rubrics(names: tuple[str, ...], pairwise: bool, prompts: str) -> list[Rubric]:
    from convergebench.benchmarks.registry import published_wordings
    from convergebench.benchmarks.wording import chosen_rubrics
    from convergebench.cli.pairwise import RUBRICS
    from convergebench.errors import WrongUse

    wanted = names or (RUBRICS if pairwise else ROUND_TRIP)
    found = list(chosen_rubrics(wanted, prompts, published_wordings() if prompts else ()).values())
    for one in found:
        if one.compares and not pairwise:
            raise WrongUse(f"{one.id} compares two models; add --pairwise")
        if pairwise and not one.compares:
            raise WrongUse(
                f"{one.id} does not compare two models; with --pairwise choose from {', '.join(RUBRICS)}"
            )
    return found


def _pictures(store: Workspace, rubrics: list[Rubric], named: dict[str, Any]) -> list[JudgingCandidate]:
    from convergebench.engine.judging.candidates import judging_candidates
    from convergebench.errors import WrongUse

    chosen = judging_candidates(store, rubrics, **named)
    if not chosen:
        raise WrongUse(
            f"{store.folder} has no picture for this selection; relax --suite, --model or --rounds"
        )
    return chosen


def _pairs(store: Workspace, rubrics: list[Rubric], named: dict[str, Any]) -> list[PairwiseCandidate]:
    from convergebench.engine.judging.pairwise_candidates import pairwise_candidates
    from convergebench.errors import WrongUse

    chosen = pairwise_candidates(store, rubrics, **named)
    if not chosen:
        raise WrongUse(
            f"{store.folder} has no two models with pictures of the same source for this selection; "
            "name at least two models that ran the same suite"
        )
    parts = sorted({one.first.part for one in chosen})
    if len(parts) > 1:
        raise WrongUse(f"models are compared within one suite; name it with --suite: {', '.join(parts)}")
    return chosen


def _rounds(text: str) -> frozenset[int]:
    """Parse 1,5,8-10."""
    from convergebench.errors import WrongUse

    numbers: set[int] = set()
    for part in filter(None, text.split(",")):
        low, dash, high = part.partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise WrongUse(f"--rounds must look like 1,5,8-10, not {text}")
        numbers.update(range(int(low), int(high or low) + 1))
    return frozenset(numbers)


def _judge(
    tasks: list[JudgingTask],
    judge: Judge,
    store: Workspace,
    limits: RunLimits,
    retry_missing: bool,
    as_json: bool,
) -> JudgingOutcome:
    import asyncio

    from convergebench.cli.judging_progress import judging_progress
    from convergebench.engine.judging.judge_tasks import judge_in_run

    settings = {"command": NAME, "rubrics": sorted({task.rubric.name for task in tasks})}
    with judging_progress(judge.facts.name, as_json) as progress:
        return asyncio.run(judge_in_run(tasks, judge, store, settings, limits, retry_missing, progress))


def _compare(
    pairs: list[PairwiseCandidate],
    judge: Judge,
    store: Workspace,
    comparisons: int | None,
    limits: RunLimits,
    retry_missing: bool,
    as_json: bool,
) -> ComparedModels:
    import asyncio

    from convergebench.cli.judging_progress import judging_progress
    from convergebench.engine.judging.comparing import compare_models

    settings = {"command": NAME, "rubrics": sorted({one.rubric.name for one in pairs})}
    with judging_progress(judge.facts.name, as_json) as progress:
        work = compare_models(
            pairs, judge, store, settings, comparisons=comparisons, limits=limits,
            retry_missing=retry_missing, progress=progress,
        )  # fmt: skip
        return asyncio.run(work)


def _print_pairwise(compared: ComparedModels, judge: Judge, wording: str, as_json: bool) -> int:
    from convergebench.cli.judge_output import closing_lines
    from convergebench.cli.pairwise import pairwise_found, print_pairwise
    from convergebench.report.tables.pairwise import json_pairwise

    done = compared.judged
    # Equal pictures are ties without a verdict: where all are, there is nothing to ask.
    code = judging_exit_code(done) if done.verdicts else DONE
    found = pairwise_found(compared, judge, wording)
    if as_json:
        print_json({"judge": _facts(done, judge), "exit_code": code, "pairwise": json_pairwise(found.table),
                    "possible": compared.possible})  # fmt: skip
        return code
    if any(one.n for one in found.table.summaries):
        print_pairwise(found, with_pairs=True)
    for line in closing_lines(done, judge.facts.name):
        typer.echo(line, err=code != 0)
    return code


def _between_judges(store: Workspace, rubrics: list[Rubric], judge: Judge) -> list[BetweenJudges]:
    """Agreement of this judge with others over the whole workspace, for the rubrics of this run."""
    from convergebench.analysis.judged.agreement import Rating, between_judges
    from convergebench.results import Records
    from convergebench.results.judgements import read_judge_values

    labels = Records.of(store).judge_labels
    values = read_judge_values(store, [rubric.fingerprint for rubric in rubrics])
    found = between_judges(Rating(labels[one.judge], one.rubric, one.subject, one.value) for one in values)
    return [one for one in found if labels.get(judge.facts.fingerprint) in one.judges]


def _print_verdicts(
    chosen: list[JudgingCandidate],
    done: JudgingOutcome,
    judge: Judge,
    agreements: list[BetweenJudges],
    as_json: bool,
) -> int:
    from convergebench.analysis.judged.judge_summary import judge_summary
    from convergebench.cli.judge_output import (
        agreement_in_json,
        agreement_line,
        closing_lines,
        print_judged,
        row_in_json,
    )
    from convergebench.results.model_labels import without_address

    code = judging_exit_code(done)
    table = judge_summary(_scores(chosen, done))
    wordings = _wordings(one.task.rubric for one in chosen)
    if as_json:
        print_json(
            {"judge": _facts(done, judge), "exit_code": code,
             "rows": [{**row_in_json(row), "wording": wordings[row.rubric]} for row in table],
             "between_judges": [agreement_in_json(one) for one in agreements]}
        )  # fmt: skip
        return code
    if done.ok:
        print_judged(table)
        for wording in dict.fromkeys(wordings.values()):
            named = ", ".join(rubric for rubric, one in wordings.items() if one == wording)
            typer.echo(f"Judge {without_address(judge.facts.name)}, {wording}: {named}.")
    for one in agreements:
        typer.echo(agreement_line(one))
    for line in closing_lines(done, judge.facts.name):
        typer.echo(line, err=code != 0)
    return code


def _scores(chosen: list[JudgingCandidate], done: JudgingOutcome) -> Any:
    from convergebench.analysis.judged.judge_summary import JudgedScore

    # Verdicts in different languages are never averaged.
    several = len({one.place.language for one in chosen}) > 1
    for one, verdict in zip(chosen, done.verdicts, strict=True):
        place = one.place
        yield JudgedScore(
            model=place.model,
            rubric=one.task.rubric.name,
            subject=f"{place.suite}/{place.case}/{place.seed}/{place.round}",
            cluster=place.picture,
            repeat=one.task.repeat,
            value=None if verdict is None else verdict.value,
            missing=verdict.outcome if verdict and verdict.value is None else None,
            suite=f"{place.part}, {place.language}" if several else place.part,
            possible=one.task.rubric.range,
        )


def _wordings(rubrics: Iterable[Rubric]) -> dict[str, str]:
    """Whose words each rubric is in, by its name."""
    from convergebench.benchmarks.wording import wording_name

    return {one.name: wording_name(one.wording) for one in rubrics}


def _facts(done: JudgingOutcome, judge: Judge) -> dict[str, Any]:
    from convergebench.cli.judge_output import judged_in_json
    from convergebench.results.model_labels import without_address

    facts = judge.facts
    return {"name": without_address(facts.name), "fingerprint": facts.fingerprint,
            "settings": dict(facts.settings), **judged_in_json(done)}  # fmt: skip
