"""convergebench judge"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    WorkspaceFolder,
    console,
    listed,
    print_json,
)

if TYPE_CHECKING:
    from convergebench.analysis.judged import JudgedRow
    from convergebench.engine.comparable import Contest
    from convergebench.engine.judgeable import Judgeable
    from convergebench.engine.judging import Judged, Task
    from convergebench.judges import Judge, Rubric
    from convergebench.store import Workspace

NAME = "judge"
ALL_FAILED, FINISHED_WITH_FAILURES, INTERRUPTED = 1, 3, 130
ROUND_TRIP = ("roundtrip_forward", "roundtrip_reversal")


def command(
    judge: Annotated[
        str,
        typer.Option(metavar="PROVIDER:MODEL", help="Who judges, such as openai:MODEL or vllm:MODEL."),
    ],
    models: Annotated[
        list[str] | None, typer.Argument(metavar="[MODELS]...", help="Only pictures of these models.")
    ] = None,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="Compare every two of the models, each pair in both orders.")
    ] = False,
    rubric: Annotated[
        list[str],
        typer.Option(metavar="RUBRIC", help="What is asked, see docs/judging.md; or a .toml file."),
    ] = [],  # noqa: B006
    model: Annotated[
        list[str], typer.Option("--model", "-m", metavar="MODEL", help="The same, as an option.")
    ] = [],  # noqa: B006
    suite: Annotated[str | None, typer.Option(metavar="SUITE", help="Only pictures of this suite.")] = None,
    rounds: Annotated[
        str, typer.Option(metavar="ROUNDS", help="Only these rounds, as in 1,5,8-10; all unless named.")
    ] = "",
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Verdicts on each picture.")] = 1,
    retry_missing: Annotated[
        bool, typer.Option("--retry-missing", help="Ask again for verdicts that are missing.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Stop before this judging could cost more.")
    ] = None,
    per_minute: Annotated[
        float | None, typer.Option(metavar="N", help="At most so many questions a minute.")
    ] = None,
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, help="Questions at a time.")] = 8,
    workspace: WorkspaceFolder = DEFAULT_WORKSPACE,
    as_json: AsJson = False,
) -> int:
    """Let a vision-language model judge what is in the workspace. Nothing is edited, nothing asked twice."""
    from convergebench import judges
    from convergebench.errors import WrongUse
    from convergebench.store import DATABASE, Workspace

    asked = judges.open_judge(judge)
    rubrics = _rubrics(listed(rubric), pairwise)
    if max_cost is not None and asked.facts.prices is None:
        raise WrongUse(
            f"the price of {asked.facts.name} is unknown, so --max-cost cannot hold it; "
            "add ?usd_per_million_in=…&usd_per_million_out=… to its name"
        )
    if not (workspace / DATABASE).is_file():
        raise WrongUse(f"there is no workspace in {workspace}; make one with convergebench run")
    options = {"concurrency": concurrency, "per_minute": per_minute, "max_cost_usd": max_cost,
               "retry_missing": retry_missing}  # fmt: skip
    named = {"suite": suite, "models": listed([*(models or ()), *model]), "rounds": _rounds(rounds),
             "repeats": repeats}  # fmt: skip
    with Workspace.create(workspace) as store:
        if pairwise:
            contests = _contests(store, rubrics, named)
            tasks = [task for one in contests for task in one.tasks]
            return _told_contests(contests, _judged(tasks, asked, store, options, as_json), asked, as_json)
        chosen = _pictures(store, rubrics, named)
        done = _judged([one.task for one in chosen], asked, store, options, as_json)
    return _told(chosen, done, asked, as_json)


def _rubrics(names: tuple[str, ...], pairwise: bool) -> list[Rubric]:
    from convergebench import judges
    from convergebench.cli.pairwise import RUBRICS
    from convergebench.errors import WrongUse

    found = [judges.rubric(name) for name in dict.fromkeys(names or (RUBRICS if pairwise else ROUND_TRIP))]
    for one in found:
        if one.compares and not pairwise:
            raise WrongUse(f"{one.id} compares two models; add --pairwise")
        if pairwise and not one.compares:
            raise WrongUse(f"{one.id} does not compare; with --pairwise choose from {', '.join(RUBRICS)}")
    return found


def _pictures(store: Workspace, rubrics: list[Rubric], named: dict[str, Any]) -> list[Judgeable]:
    from convergebench.engine.judgeable import judgeable
    from convergebench.errors import WrongUse

    chosen = judgeable(store, rubrics, **named)
    if not chosen:
        raise WrongUse(f"{store.folder} holds no picture for these choices; choose fewer")
    return chosen


def _contests(store: Workspace, rubrics: list[Rubric], named: dict[str, Any]) -> list[Contest]:
    from convergebench.engine.comparable import comparable
    from convergebench.errors import WrongUse

    chosen = comparable(store, rubrics, **named)
    if not chosen:
        raise WrongUse(
            f"{store.folder} holds no two models' pictures from the same start for these choices; "
            "name at least two models that ran the same suite"
        )
    return chosen


def _rounds(text: str) -> frozenset[int]:
    """1,5,8-10 as numbers."""
    from convergebench.errors import WrongUse

    numbers: set[int] = set()
    for part in filter(None, text.split(",")):
        low, dash, high = part.partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise WrongUse(f"--rounds must look like 1,5,8-10, not {text}")
        numbers.update(range(int(low), int(high or low) + 1))
    return frozenset(numbers)


def _judged(
    tasks: list[Task], judge: Judge, store: Workspace, options: dict[str, Any], as_json: bool
) -> Judged:
    import asyncio

    from convergebench._version import __version__
    from convergebench.engine.judging import judge_tasks

    rubrics = sorted({task.rubric.name for task in tasks})
    settings = {"command": NAME, "judge": judge.facts.name, "rubrics": rubrics, **options}
    run = store.start_run(settings, __version__)
    ending = "failed"
    try:
        with _onlooker(judge, as_json) as onlooker:
            done = asyncio.run(judge_tasks(tasks, judge, store, run=run, onlooker=onlooker, **options))
        ending = "interrupted" if done.interrupted else "finished"
    finally:
        store.finish_run(run, ending)
    return done


def _onlooker(judge: Judge, as_json: bool) -> Any:
    import sys
    from contextlib import nullcontext

    if as_json or not sys.stderr.isatty():
        return nullcontext()
    from convergebench.cli.judging_progress import JudgingBar

    return JudgingBar(judge.facts.name)


def _told_contests(contests: list[Contest], done: Judged, judge: Judge, as_json: bool) -> int:
    from convergebench.cli.pairwise import contests_in_json, print_contests, summed_up

    code = _code(done)
    found = summed_up(contests, done.verdicts)
    if as_json:
        rows = [contests_in_json(one) for one in found]
        print_json({"judge": _facts(done, judge), "exit_code": code, "pairwise": rows})
        return code
    if any(one.n for one in found):
        print_contests(found)
    for line in _closing_lines(done, judge):
        typer.echo(line, err=code != 0)
    return code


def _told(chosen: list[Judgeable], done: Judged, judge: Judge, as_json: bool) -> int:
    from convergebench.analysis.judged import judged_table

    code = _code(done)
    table = judged_table(_scores(chosen, done))
    if as_json:
        print_json({"judge": _facts(done, judge), "exit_code": code, "rows": [_row(row) for row in table]})
        return code
    if done.ok:
        _print_table(table)
    for line in _closing_lines(done, judge):
        typer.echo(line, err=code != 0)
    return code


def _code(done: Judged) -> int:
    if done.interrupted:
        return INTERRUPTED
    if done.verdicts and not done.ok:
        return ALL_FAILED
    return 0 if done.ok == len(done.verdicts) else FINISHED_WITH_FAILURES


def _scores(chosen: list[Judgeable], done: Judged) -> Any:
    from convergebench.analysis.judged import Score

    for one, verdict in zip(chosen, done.verdicts, strict=True):
        place = one.place
        yield Score(
            model=place.model,
            rubric=one.task.rubric.name,
            subject=f"{place.suite}/{place.case}/{place.seed}/{place.round}",
            cluster=place.picture,
            repeat=one.task.repeat,
            value=None if verdict is None else verdict.value,
            missing=verdict.outcome if verdict and verdict.value is None else None,
        )


def _print_table(table: list[JudgedRow]) -> None:
    from rich.table import Table

    repeated = any(row.spread for row in table)
    shown = Table("model", "rubric", box=None)
    for heading in ("n", "missing", "mean", "95 % interval", *(("alpha", "spread") if repeated else ())):
        shown.add_column(heading, justify="right")
    for row in table:
        mean, alpha, spread = row.mean, row.agreement.alpha, row.spread
        cells = [
            "" if mean is None else f"{mean.mean:.2f}",
            "" if mean is None or mean.low is None else f"{mean.low:.2f} – {mean.high:.2f}",
            "–" if alpha is None else f"{alpha:.2f}",
            "–" if spread is None else f"{spread.standard_deviation:.2f}",
        ]
        shown.add_row(row.model, row.rubric, str(row.n), str(row.missing), *cells[: 4 if repeated else 2])
    console().print(shown)


def _row(row: JudgedRow) -> dict[str, Any]:
    mean = row.mean
    return {
        "model": row.model, "rubric": row.rubric, "n": row.n, "missing": row.missing,
        "kinds": dict(row.kinds),
        "mean": mean and mean.mean, "low": mean and mean.low, "high": mean and mean.high,
        "clusters": mean.clusters if mean else 0, "alpha": row.agreement.alpha,
        "spread": row.spread and row.spread.standard_deviation,
    }  # fmt: skip


def _facts(done: Judged, judge: Judge) -> dict[str, Any]:
    return {
        "name": judge.facts.name, "fingerprint": judge.facts.fingerprint, "judgements": len(done.verdicts),
        "ok": done.ok, "asked": done.asked, "calls": done.calls, "missing": dict(done.missing),
        "unusable": done.unusable, "interrupted": done.interrupted, "out_of_budget": done.out_of_budget,
        "spent_usd": done.spent_usd, "seconds": round(done.seconds, 3),
    }  # fmt: skip


def _closing_lines(done: Judged, judge: Judge) -> list[str]:
    total = len(done.verdicts)
    asked = f"{done.asked} judged with {done.calls} calls"
    lines = [f"{asked}, {total - done.asked} not asked for, {done.seconds:.1f} s."]
    if done.unusable:
        lines.append(f"convergebench: {judge.facts.name} cannot go on: {done.unusable}")
    if done.out_of_budget:
        lines.append("convergebench: the next question could cost more than --max-cost; raise it to go on.")
    why = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in done.missing.most_common())
    if total and not done.ok:
        lines.append(f"convergebench: none of {total} judgements succeeded{f' ({why})' if why else ''}.")
        lines += _examples(done)
    elif done.ok < total:
        lines.append(
            f"convergebench: {total - done.ok} of {total} verdicts are missing{f' ({why})' if why else ''}; "
            "the raw replies are kept. Ask for them again with --retry-missing."
        )
    return lines


def _examples(done: Judged) -> list[str]:
    """The first reason of each kind."""
    first: dict[str, str] = {}
    for verdict in done.verdicts:
        if verdict is not None and verdict.missing:
            first.setdefault(verdict.outcome, verdict.missing)
    return [
        f"convergebench: {kind.replace('_', ' ')}: {' '.join(said.split())}" for kind, said in first.items()
    ]
