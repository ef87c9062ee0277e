"""Output of convergebench judge --pairwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from convergebench.cli.options import console

if TYPE_CHECKING:
    from convergebench.analysis.judged.bradley_terry import PairwiseSummary, PairwiseVerdicts, Winner
    from convergebench.engine.judging.pairwise_candidates import PairwiseCandidate
    from convergebench.judges import Verdict

RUBRICS = ("better_edit", "better_return")


def summed_up(
    chosen: Sequence[PairwiseCandidate], verdicts: Sequence[Verdict | None]
) -> list[PairwiseSummary]:
    """`verdicts` belong to the candidates' tasks, in order."""
    from convergebench.analysis.judged.bradley_terry import pairwise_summaries

    return pairwise_summaries(_pairwise_verdicts(chosen, iter(verdicts)))


def _pairwise_verdicts(
    chosen: Sequence[PairwiseCandidate], verdicts: Iterator[Verdict | None]
) -> Iterator[PairwiseVerdicts]:
    from convergebench.analysis.judged.bradley_terry import PairwiseVerdicts

    for one in chosen:
        # Identical pictures are a tie without a call to the judge.
        first_order, swapped = [_winner(next(verdicts)) for _ in one.tasks] or ["tie", "tie"]
        yield PairwiseVerdicts(
            one.rubric.name,
            one.first.model,
            one.second.model,
            first_order,
            swapped,
            cluster=one.first.picture,
        )


def _winner(verdict: Verdict | None) -> Winner | None:
    from convergebench.judges.rubric import CHOICES

    if verdict is None or verdict.value is None:
        return None
    named: dict[float, Any] = {share: name for name, share in CHOICES.items()}
    winner: Winner = named[verdict.value]
    return winner


def print_contests(found: Sequence[PairwiseSummary]) -> None:
    from rich.table import Table

    for one in found:
        typer.echo(
            f"{one.rubric}: {one.n} compared in both orders, {one.missing} missing, {one.ties} ties, "
            f"{one.order_disagreements} of them because the orders disagree"
        )
        table = Table("model", "against", box=None)
        for heading in ("won", "tied", "lost"):
            table.add_column(heading, justify="right")
        for (model, other), counts in one.wins.items():
            table.add_row(model, other, *map(str, counts))
        console().print(table)
        _print_strengths(one)


def _print_strengths(found: PairwiseSummary) -> None:
    from rich.table import Table

    strengths = found.strengths
    if strengths.missing:
        typer.echo(f"No ranking: {strengths.missing}.\n")
        return
    table = Table("model", box=None)
    for heading in ("n", "strength", "95 % interval"):
        table.add_column(heading, justify="right")
    for one in strengths.models:
        table.add_row(
            one.model, str(one.comparisons), f"{one.value:+.2f}", f"{one.low:+.2f} – {one.high:+.2f}"
        )
    console().print(table)


def contests_in_json(found: PairwiseSummary) -> dict[str, Any]:
    strengths = found.strengths
    return {
        "rubric": found.rubric, "n": found.n, "missing": found.missing, "ties": found.ties,
        "order_disagreements": found.order_disagreements,
        "pairs": [
            {"model": model, "against": other, "won": won, "tied": tied, "lost": lost}
            for (model, other), (won, tied, lost) in found.wins.items()
        ],
        "strengths": [
            {"model": one.model, "n": one.comparisons, "strength": one.value,
             "low": one.low, "high": one.high}
            for one in strengths.models
        ],
        "tie_weight": strengths.tie_weight,
        "no_ranking": strengths.missing,
    }  # fmt: skip
