"""Models compared pair by pair: for the terminal, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from convergebench.analysis.judged.pairwise_summary import PairwiseSummary
from convergebench.benchmarks.wording import wording_name
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT, signed
from convergebench.report.tables.terminal_table import terminal_table
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from rich.table import Table

_HEADINGS = (
    "model", "suite", "language", "rubric", "n", "won", "tied", "lost", "share_of_wins", "strength", "low",
    "high", "judge", "wording",
)  # fmt: skip


@dataclass(frozen=True)
class PairwiseTable:
    """The summaries of one judge's comparisons in one wording."""

    summaries: Sequence[PairwiseSummary]
    judge: str
    wording: str
    """This package's own if empty, else published-… or custom-DIGEST."""


def pairwise_table(found: PairwiseTable) -> Table:
    """A line for each model, the strongest first. Print pairwise_notes under it."""
    table = terminal_table()
    several = len({(one.suite, one.language) for one in found.summaries}) > 1
    for heading in ("model", "rubric", *(("suite", "") if several else ())):
        table.add_column(heading, overflow="fold")
    for heading in ("n", "won", "tied", "lost", "wins", "strength", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for summary in found.summaries:
        lines = list(_lines(summary))
        for number, line in enumerate(lines, 1):
            where = (line["suite"], line["language"]) if several else ()
            table.add_row(
                line["model"], line["rubric"], *where, *(str(line[name]) for name in _HEADINGS[4:8]),
                f"{line['share_of_wins']:.0%}", *_strength_cells(line), end_section=number == len(lines),
            )  # fmt: skip
    return table


def pairwise_notes(found: PairwiseTable) -> list[str]:
    """Who judged, how many comparisons are behind it, and why there are no strengths, if there are none."""
    several = len({(one.suite, one.language) for one in found.summaries}) > 1
    notes = [f"Judge {found.judge}, {wording_name(found.wording)}, each pair in both orders."]
    for one in found.summaries:
        title = ", ".join(filter(None, (one.rubric, one.suite, one.language))) if several else one.rubric
        notes.append(
            f"{title}: {one.n} compared in both orders, {one.missing} missing, "
            f"{counted(one.ties, 'tie')}, {one.order_disagreements} of them because the orders disagree"
        )
        if one.strengths.missing:
            notes.append(f"No strengths by {title}: {one.strengths.missing}.")
    return notes


def pairs_table(summary: PairwiseSummary) -> Table:
    """Every two models."""
    table = terminal_table()
    for heading in ("model", "against"):
        table.add_column(heading, overflow="fold")
    for heading in ("won", "tied", "lost"):
        table.add_column(heading, justify="right")
    for (model, other), counts in summary.wins.items():
        table.add_row(model, other, *map(str, counts))
    return table


def csv_pairwise(found: PairwiseTable) -> list[Row]:
    """A heading, then a row for each model; a missing value is an empty cell."""
    named = {"judge": found.judge, "wording": wording_name(found.wording)}
    rows = [{**line, **named} for one in found.summaries for line in _lines(one)]
    return [_HEADINGS, *(tuple(row[name] for name in _HEADINGS) for row in rows)]


def json_pairwise(found: PairwiseTable) -> list[dict[str, Any]]:
    """For json.dumps; an unavailable value is null."""
    return [
        {
            "rubric": one.rubric, "suite": one.suite, "language": one.language, "judge": found.judge,
            "wording": wording_name(found.wording), "n": one.n, "missing": one.missing, "ties": one.ties,
            "order_disagreements": one.order_disagreements,
            "models": [
                {name: line[name] for name in ("model", *_HEADINGS[4:12])} for line in _lines(one)
            ],
            "pairs": [
                {"model": model, "against": other, "won": won, "tied": tied, "lost": lost}
                for (model, other), (won, tied, lost) in one.wins.items()
            ],
            "strengths": [
                {"model": model.model, "n": model.comparisons, "strength": model.value, "low": model.low,
                 "high": model.high}
                for model in one.strengths.models
            ],
            "tie_weight": one.strengths.tie_weight, "no_ranking": one.strengths.missing,
        }
        for one in found.summaries
    ]  # fmt: skip


def _lines(summary: PairwiseSummary) -> Iterator[dict[str, Any]]:
    strengths = {one.model: one for one in summary.strengths.models}
    for model, counts in summary.models.items():
        one = strengths.get(model)
        yield {
            "model": model, "suite": summary.suite, "language": summary.language, "rubric": summary.rubric,
            "n": counts.won + counts.tied + counts.lost, "won": counts.won, "tied": counts.tied,
            "lost": counts.lost, "share_of_wins": counts.share, "strength": one and one.value,
            "low": one and one.low, "high": one and one.high,
        }  # fmt: skip


def _strength_cells(line: dict[str, Any]) -> tuple[str, str]:
    if line["strength"] is None:
        return ABSENT, ABSENT
    return signed(line["strength"], 2), f"{signed(line['low'], 2)} – {signed(line['high'], 2)}"
