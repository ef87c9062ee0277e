"""Comparisons of models, for the commands that ask for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convergebench.cli.options import console, print_note

if TYPE_CHECKING:
    from convergebench.engine.judging.comparing import ComparedModels
    from convergebench.judges import Judge
    from convergebench.report.tables.pairwise import PairwiseTable

RUBRICS = ("better_edit", "better_return")
Comparisons = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="With --pairwise: at most N comparisons, the least certain pair next."
    ),
]


@dataclass(frozen=True)
class FoundPairs:
    """The comparisons, and the table of them."""

    compared: ComparedModels
    table: PairwiseTable


def pairwise_found(compared: ComparedModels, judge: Judge, wording: str = "") -> FoundPairs:
    from convergebench.analysis.judged.pairwise_summary import pairwise_summaries
    from convergebench.report.tables.pairwise import PairwiseTable
    from convergebench.results.model_labels import without_address

    summaries = pairwise_summaries(compared.verdicts)
    return FoundPairs(compared, PairwiseTable(summaries, without_address(judge.facts.name), wording))


def print_pairwise(found: FoundPairs, *, with_pairs: bool) -> None:
    """The table, what it rests on, and on request every two models."""
    from convergebench.report.tables.pairwise import pairs_table, pairwise_notes, pairwise_table
    from convergebench.report.tables.terminal_table import fitted

    out, compared = console(), found.compared
    out.print(fitted(pairwise_table(found.table), out.width, ("95 % interval", "strength", "rubric", "n")))
    for note in pairwise_notes(found.table):
        print_note(note)
    if len(compared.verdicts) < compared.possible:
        left = compared.possible - len(compared.verdicts)
        print_note(f"{left} of {compared.possible} possible comparisons were not requested.")
    for one in found.table.summaries if with_pairs else ():
        out.print(pairs_table(one))


def write_gedit_v2(folder: Path, compared: ComparedModels, judge: Judge) -> None:
    """One file for each rubric, as GEdit-Bench v2 has one for each dimension."""
    from convergebench.atomic_files import replacing
    from convergebench.results.model_labels import without_address
    from convergebench.votes.exchange import gedit_verdicts_jsonl

    name = without_address(judge.facts.name)
    folder.mkdir(parents=True, exist_ok=True)
    for rubric in dict.fromkeys(one.rubric for one in compared.verdicts):
        verdicts = [one for one in compared.verdicts if one.rubric == rubric]
        with replacing(folder / f"{rubric.partition('@')[0]}.jsonl") as part:
            part.write_text(gedit_verdicts_jsonl(verdicts, name), encoding="utf-8")
