"""Output of a refinement: the plan, the result and its verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from convergebench.cli.exit_codes import exit_code
from convergebench.cli.options import console, print_json, print_note
from convergebench.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
    from convergebench.analysis.refinement.refined_case import RefinedCase
    from convergebench.analysis.refinement.rounds import RoundRow
    from convergebench.refinement import PreparedRefinement, RefinementResult
    from convergebench.refinement.tables import RefinementTables

_LISTED_CASES = 5


def preview(prepared: PreparedRefinement, as_json: bool) -> None:
    from convergebench.refinement.forecast import forecast

    rows = forecast(prepared)
    if as_json:
        print_json({"suite": prepared.suite, "cases": len(prepared.cases), "models": [vars(r) for r in rows]})
        return
    typer.echo(f"{prepared.suite}: {len(prepared.cases)} cases")
    for row in rows:
        cost = "price unknown" if row.cost_usd is None else f"edits cost at most ${row.cost_usd:.2f}"
        typer.echo(
            f"  {row.pipeline}: {row.primaries} primary edits, up to {row.looks} looks, up to {row.edits} "
            f"further edits, up to {row.judgements} judgements; {cost}"
        )


def print_refinement(
    done: RefinementResult, written: Sequence[Path], as_json: bool, csv: Path | None = None
) -> int:
    from convergebench.refinement.tables import refinement_tables

    sums = refinement_tables(done)
    code = exit_code(done.outcome, done.judged)
    if csv is not None:
        _write_csv(done, sums, csv)
    if as_json:
        print_json(_in_json(done, sums, written, code))
        return code
    if done.settings.image:
        for case in done.cases:
            _show_case(done, case, written)
    else:
        _print_tables(done, sums)
    for line in _closing_lines(done, written):
        typer.echo(line, err=code != 0)
    return code


def _write_csv(done: RefinementResult, sums: RefinementTables, file: Path) -> None:
    from convergebench.report.export.csv_files import csv_text
    from convergebench.report.tables.benchmark import csv_benchmark
    from convergebench.report.tables.refinement import csv_transitions

    if not (sums.transitions or sums.plain):
        raise WrongUse("nothing was judged, so there is no table to write; add --judge, or leave --csv out")
    rows = csv_benchmark(sums.plain)
    if sums.transitions:
        rows = csv_transitions(sums.transitions, sums.as_published, done.settings.judge_label, done.wording)
    file.write_text(csv_text(rows), encoding="utf-8")


def _show_case(done: RefinementResult, case: RefinedCase, written: Sequence[Path]) -> None:
    files = {path.name.rpartition("_")[2].partition(".")[0]: path for path in written}
    out = console()
    out.print(f"{case.case}: {case.instruction}", style="bold", markup=False)
    out.print(f"  primary   {files.get('primary') or case.primary.missing}", markup=False)
    for one in case.rounds[: done.settings.rounds]:
        remark = one.advice.reasoning if one.advice else one.stage.missing
        out.print(f"  looked    {remark}", markup=False)
        if one.advice and one.advice.instructions:
            for instruction in one.advice.instructions:
                out.print(f"  re-edit   {instruction}", markup=False)
        elif one.advice:
            out.print("  re-edit   none needed", markup=False)
    if done.settings.rounds:
        mark = (
            " (the primary picture; no re-edit was needed)" if case.is_primary(done.settings.rounds) else ""
        )
        stage = case.after(done.settings.rounds)
        out.print(f"  refined   {files.get('refined') or stage.missing}{mark}", markup=False)
    for line in _verdicts_on(done, case):
        out.print(f"  judged    {line}", markup=False)


def _verdicts_on(done: RefinementResult, case: RefinedCase) -> Iterator[str]:
    for place, judged in enumerate(done.judgements):
        verdict = done.verdicts.get(place)
        if judged.case is case and verdict is not None:
            value = verdict.missing if verdict.value is None else f"{verdict.value:g}"
            what = "primary" if judged.round == 0 else f"round {judged.round}"
            yield f"{what}, {judged.rubric.id}: {value} {verdict.reason}"


def _print_tables(done: RefinementResult, sums: RefinementTables) -> None:
    from convergebench.benchmarks.wording import wording_name
    from convergebench.report.tables.benchmark import benchmark_notes, benchmark_tables
    from convergebench.report.tables.refinement import differences_table, transitions_notes, transitions_table
    from convergebench.report.tables.terminal_table import COUNTS, fitted

    out = console()
    if done.settings.rounds:
        out.print(fitted(_rounds(sums.rounds), out.width, ("content", "edited", "cases", COUNTS, "missing")))
    notes: list[str] = []
    if sums.transitions:
        out.print(transitions_table(sums.transitions, out.width))
        out.print(differences_table(sums.transitions, out.width))
        if sums.as_published:
            out.print("As published: an unread verdict is a no, an unread grade is 5.", markup=False)
            out.print(transitions_table(sums.as_published, out.width))
            out.print(differences_table(sums.as_published, out.width))
        by = f"Judge {done.settings.judge_label}, {wording_name(done.wording)}."
        notes = [by, *transitions_notes(sums.transitions, sums.health)]
    elif sums.plain:
        out.print(*benchmark_tables(sums.plain, out.width), sep="\n")
        notes = benchmark_notes(sums.plain)
    for note in notes:
        print_note(note)


def _rounds(rows: Sequence[RoundRow]) -> Any:
    from convergebench.report.tables.refinement import figure_heading
    from convergebench.report.tables.terminal_table import terminal_table

    figures = list(dict.fromkeys(name for row in rows for name in row.figures))
    table = terminal_table("Rounds")
    table.add_column("model")
    counts = ("round", "cases", "content", "edited", "missing")
    for heading in (*counts, *map(figure_heading, figures)):
        table.add_column(heading, justify="right")
    for row in rows:
        means = [row.figures.get(name) for name in figures]
        table.add_row(
            row.model, *(str(getattr(row, name)) for name in counts),
            *("–" if mean is None else f"{mean.mean:.1f} ({mean.n})" for mean in means),
        )  # fmt: skip
    return table


def _closing_lines(done: RefinementResult, written: Sequence[Path]) -> list[str]:
    """What is complete, what is missing and why, and the next command."""
    from convergebench.shown_text import counted

    outcome = done.outcome
    looks = ""
    if done.settings.rounds:
        looks = f", {counted(outcome.looks, 'look')} with {counted(outcome.calls, 'call')}"
    cost = f", ${outcome.spent_usd:.2f}" if outcome.spent_usd else ""
    edits = f"{counted(outcome.edits, 'new edit')}, {outcome.replayed} reused from {done.settings.workspace}/"
    lines = [f"{edits}{looks}{cost}."]
    lines += [f"convergebench: {name} cannot continue: {reason}" for name, reason in outcome.unusable.items()]
    lines += [f"convergebench: {case} was skipped: {reason}" for case, reason in outcome.unreadable.items()]
    lines += _missing_lines(done)
    if done.judged is not None:
        from convergebench.cli.judge_output import closing_lines

        lines += closing_lines(done.judged, done.settings.judge)
    elif not done.settings.judge:
        lines.append("Nothing was judged; choose a judge with --judge PROVIDER:MODEL.")
    if outcome.out_of_budget and not (done.judged and done.judged.out_of_budget):
        lines.append(
            f"convergebench: stopped at {outcome.cost_limit}; rerun the command with a higher one "
            "to continue."
        )
    elif outcome.interrupted:
        lines.append("Rerun the command to continue; finished edits and verdicts are reused.")
    if written and not done.settings.image:
        lines.append(f"{len(written)} files written to {done.settings.output_dir}/.")
    return lines


def _missing_lines(done: RefinementResult) -> list[str]:
    """The cases without a last picture, by reason."""
    cases: dict[str, list[str]] = {}
    for case in done.cases:
        stage = case.after(done.settings.rounds)
        if stage.missing:
            cases.setdefault(" ".join(stage.missing.split()), []).append(case.case)
    return [
        f"convergebench: {len(names)} of {len(done.cases)} cases have no "
        f"{'refined' if done.settings.rounds else 'primary'} picture: {reason} "
        f"({', '.join(names[:_LISTED_CASES])}{' …' if len(names) > _LISTED_CASES else ''})"
        for reason, names in cases.items()
    ]


def _in_json(
    done: RefinementResult, sums: RefinementTables, written: Sequence[Path], code: int
) -> dict[str, Any]:
    from convergebench.benchmarks.wording import wording_name
    from convergebench.cli.judge_output import judged_in_json
    from convergebench.report.tables.benchmark import json_benchmark
    from convergebench.report.tables.ranking import json_interval
    from convergebench.report.tables.refinement import json_transitions

    outcome = done.outcome
    names = ("trajectories", "complete", "edits", "replayed", "looks", "calls", "unusable", "unreadable",
             "interrupted", "out_of_budget", "spent_usd", "seconds")  # fmt: skip
    counters = {name: dict(getattr(outcome, name)) for name in ("failures", "no_advice")}
    plain: Sequence[BenchmarkRow] = sums.plain
    return {
        "suite": done.suite,
        "exit_code": code,
        "run": {**{name: getattr(outcome, name) for name in names}, **counters},
        "cases": [_case_in_json(case, done.settings.rounds) for case in done.cases],
        "rounds": [
            {**vars(row), "figures": {name: json_interval(one) for name, one in row.figures.items()}}
            for row in sums.rounds
        ],
        "transitions": json_transitions(sums.transitions, sums.health) if sums.transitions else None,
        "transitions_as_published": json_transitions(sums.as_published) if sums.as_published else None,
        "judge": done.settings.judge_label,
        "wording": wording_name(done.wording),
        "rows": json_benchmark(plain),
        "judged": judged_in_json(done.judged) if done.judged else None,
        "files": [str(path) for path in written],
    }


def _case_in_json(case: RefinedCase, rounds: int) -> dict[str, Any]:
    refined = case.after(rounds)
    return {
        "model": case.model, "case": case.case, "category": case.category, "seed": case.seed,
        "instruction": case.instruction, "sources": list(case.sources),
        "primary": case.primary.picture, "primary_missing": case.primary.missing,
        "refined": refined.picture, "refined_missing": refined.missing,
        "refined_is_primary": case.is_primary(rounds), "content_after": case.content_after,
        "rounds": [
            {"round": one.number, "reasoning": one.advice and one.advice.reasoning,
             "instructions": one.advice and list(one.advice.instructions), "picture": one.stage.picture,
             "missing": one.stage.missing}
            for one in case.rounds[:rounds]
        ],
    }  # fmt: skip
