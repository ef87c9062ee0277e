"""Output of convergebench score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from convergebench.cli.options import console, print_json, print_note
from convergebench.cli.pairwise import FoundPairs, print_pairwise
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from convergebench.importing.external_edits import Coverage
    from convergebench.scoring import RepeatAgreement, Scored
    from convergebench.types import Suite, SuiteId

_LISTED = 10


def print_scores(
    covered: Coverage | None,
    scored: Scored | None,
    suite: Suite,
    as_json: bool,
    csv: Path | None,
    code: int,
    pairs: FoundPairs | None = None,
) -> int:
    from convergebench.cli.judge_output import judged_in_json
    from convergebench.report.export.csv_files import csv_text
    from convergebench.report.tables.benchmark import csv_benchmark, json_benchmark
    from convergebench.report.tables.pairwise import csv_pairwise

    rows = scored.rows if scored else []
    if csv is not None and scored:
        csv.write_text(csv_text(csv_benchmark(rows)), encoding="utf-8")
        if pairs is not None:
            text = csv_text(csv_pairwise(pairs.table))
            csv.with_stem(f"{csv.stem}-pairwise").write_text(text, encoding="utf-8")
    if as_json:
        print_json(
            {"suite": suite.id, "cases": len(suite.cases), "exit_code": code,
             "coverage": covered and _json_coverage(covered),
             "judged": scored and judged_in_json(scored.judged),
             "complete": scored and {model: vars(one) for model, one in scored.completeness.items()},
             "agreement": [vars(one) for one in scored.agreements] if scored else [],
             "rows": json_benchmark(rows), "pairwise": pairs and _json_pairs(pairs)}
        )  # fmt: skip
        return code
    if scored and scored.judged.ok:
        for line in headlines(suite.id, scored):
            typer.echo(line)
        print_score_table(scored)
    if pairs and any(one.n for one in pairs.table.summaries):
        typer.echo()
        print_pairwise(pairs, with_pairs=False)
    for line in (*coverage_lines(covered), *_judged_lines(scored), *_pair_lines(pairs)):
        typer.echo(line, err=code != 0)
    return code


def headlines(suite: SuiteId, scored: Scored) -> list[str]:
    """For each model, whether all of its samples have every verdict."""
    lines = []
    for model, one in scored.completeness.items():
        verdict = "complete" if one.complete == one.samples else "INCOMPLETE"
        lines.append(
            f"{suite}, {model}: {verdict}, {one.complete} of {one.samples} samples have every verdict"
        )
    return lines


def print_score_table(scored: Scored) -> None:
    from convergebench.report.tables.benchmark import benchmark_notes, benchmark_tables

    out = console()
    out.print(*benchmark_tables(scored.rows, out.width), sep="\n")
    for note in (*benchmark_notes(scored.rows), *map(_agreement_line, scored.agreements)):
        print_note(note)


def _agreement_line(one: RepeatAgreement) -> str:
    alpha = "no alpha, as all values are equal" if one.alpha is None else f"alpha {one.alpha:.2f}"
    return f"{one.rubric}: repeats agree with {alpha}, spread {one.spread:.2f}, {one.samples} samples"


def coverage_lines(covered: Coverage | None) -> list[str]:
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
            lines.append(f"convergebench: {counted(len(names), 'case')} {what}: {_few(names)}")
    if covered.unknown:
        ids = counted(len(covered.unknown), "id")
        lines.append(f"convergebench: {ids} unknown to the suite: {_few(covered.unknown)}")
    if covered.not_chosen:
        lines.append(f"Ignored: {counted(covered.not_chosen, 'picture')} of cases that were not selected.")
    return lines


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _LISTED} more (--json lists all)" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _judged_lines(scored: Scored | None) -> list[str]:
    from convergebench.cli.judge_output import closing_lines

    if scored is None:
        return ["Nothing was judged; choose a judge with --judge PROVIDER:MODEL."]
    return closing_lines(scored.judged, "the judge")


def _pair_lines(pairs: FoundPairs | None) -> list[str]:
    from convergebench.cli.judge_output import closing_lines

    if pairs is None:
        return []
    return [f"Pairwise: {line}" for line in closing_lines(pairs.compared.judged, "the judge")]


def _json_pairs(pairs: FoundPairs) -> dict[str, Any]:
    from convergebench.cli.judge_output import judged_in_json
    from convergebench.report.tables.pairwise import json_pairwise

    compared = pairs.compared
    return {
        "judged": judged_in_json(compared.judged), "possible": compared.possible,
        "compared": len(compared.verdicts), "summaries": json_pairwise(pairs.table),
    }  # fmt: skip


def _json_coverage(covered: Coverage) -> dict[str, Any]:
    return {
        "cases": covered.cases, "usable": len(covered.usable), "missing": list(covered.missing),
        "unreadable": covered.unreadable, "duplicate": list(covered.duplicate),
        "unknown": list(covered.unknown), "not_chosen": covered.not_chosen,
    }  # fmt: skip
