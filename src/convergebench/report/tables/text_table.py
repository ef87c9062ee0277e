"""Tables as text, before they become Markdown, LaTeX or Typst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.analysis import Part, Ranking, Results, headline_sentence, ranking_by_part
from convergebench.report.formatting import ABSENT, decimals, metric_title, number
from convergebench.report.tables.ranking import edits_title, ranking_cells
from convergebench.report.tables.ranking_notes import ranking_notes

PARTS: dict[Part, str] = {"category": "Category of edit", "kind": "Kind of picture", "pair": "Edit"}
_HEADINGS: dict[Part, str] = {"category": "category", "kind": "kind", "pair": "edit"}
_MOST_COLUMNS = 6
"""Maximum number of parts that fit next to each other."""


@dataclass(frozen=True)
class TextTable:
    """A heading and rows of equal length. Text is plain and may contain any character."""

    name: str
    """For labels and file names: letters and hyphens."""
    title: str
    explained: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset({0})
    """Columns that contain text; the others contain numbers."""
    notes: Sequence[str] = ()


def ranking_text(ranked: Ranking) -> TextTable:
    headings, rows, words = ranking_cells(ranked, "text")
    return TextTable(
        "ranking",
        f"{ranked.suite}: what is left after {_undos(ranked.round)}{edits_title(ranked)}",
        _ranking_explained(ranked),
        headings,
        rows,
        left=frozenset(words),
        notes=ranking_notes(ranked),
    )


def _undos(rounds: int) -> str:
    return "an edit and its undo" if rounds == 1 else f"{rounds} edits and undos"


def _ranking_explained(ranked: Ranking) -> str:
    common = "Intervals of 95 %, by source picture. Models that share a letter cannot be told apart."
    if ranked.headline is not None:
        return (
            f"{headline_sentence(ranked.headline)} Ranked by the score: 100 × the mean over rounds of "
            f"√(undid · kept) where the edit happened. {common} Probes and floors have no rank."
        )
    by = f"Ranked by {metric_title(ranked.metric)} at round {ranked.round}, {ranked.metric.better} is better."
    return f"{by} Means over all returns. {common} Floors have no rank."


def breakdown_text(results: Results, ranked: Ranking, by: Part) -> TextTable:
    """What models are ranked by, by part of the suite, with n in brackets; the longer axis is vertical."""
    parts = ranking_by_part(results, ranked, by)
    models = [row.model for row in ranked.rows]

    def cell(model: str, group: str) -> str:
        summary = parts.models[model].get(group)
        return f"{number(summary.mean, decimals(parts.metric))} ({summary.n})" if summary else ABSENT

    if len(parts.groups) > max(len(models), _MOST_COLUMNS):
        headings = [_HEADINGS[by], *models]
        rows = [[group or ABSENT, *(cell(model, group) for model in models)] for group in parts.groups]
    else:
        headings = ["model", *(group or ABSENT for group in parts.groups)]
        rows = [[model, *(cell(model, group) for group in parts.groups)] for model in models]
    explained = (
        "The score over all rounds, with the number of chains."
        if parts.round is None
        else f"{metric_title(parts.metric)} at round {parts.round}, with the number of returns."
    )
    return TextTable(f"by-{by}", PARTS[by], explained, headings, rows)
