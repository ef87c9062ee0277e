"""The whole report as a Markdown page, with its files beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from convergebench.analysis import Gap, Ranking, Results, breakdown, gaps, ranking
from convergebench.report._atomic import replacing
from convergebench.report._wording import ABSENT, decimals, metric_title, number
from convergebench.report.csv import export
from convergebench.report.grid import GridRow, picture_grid
from convergebench.report.notes import ranking_notes
from convergebench.report.plots import plot_curves
from convergebench.report.tables import ranking_cells

PAGE = "report.md"
CURVES = "degradation_curves.png"


def report(results: Results, folder: Path, grid: Sequence[GridRow] = (), metric: str = "ssim") -> Path:
    """Write report.md with its curves, tables and, where rows for it are given, the picture grid."""
    ranked = ranking(results, metric)
    files = export(results, folder)
    plot_curves(results, folder / CURVES)
    comparison = f"model_comparison_round{results.rounds}.png" if grid else None
    if comparison:
        picture_grid(grid, folder / comparison)
    lines = [
        *_ranking(ranked),
        *_pictures(comparison),
        *_breakdown(results, ranked, "category", "Category of edit"),
        *_breakdown(results, ranked, "kind", "Kind of picture"),
        *_missing(gaps(results)),
        *_files(files),
    ]
    with replacing(folder / PAGE) as part:
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / PAGE


def _ranking(ranked: Ranking) -> Iterator[str]:
    yield f"# {ranked.suite}: what is left after {ranked.round} edits and undos\n"
    chief = ranked.metric
    yield f"Ranked by {metric_title(chief)} at round {ranked.round}, {chief.better} is better."
    yield "Means over all returns with 95 % intervals, resampled by source picture. Floors have no rank.\n"
    yield from _table(ranking_cells(ranked))
    yield from (f"- {_escaped(note)}" for note in ranking_notes(ranked))
    yield ""


def _pictures(comparison: str | None) -> Iterator[str]:
    yield f"## Curves\n\n![Each metric over the rounds]({CURVES})\n"
    if comparison:
        yield f"## Pictures\n\n![Sources and last returns of every model]({comparison})\n"


def _breakdown(
    results: Results, ranked: Ranking, by: Literal["category", "kind"], heading: str
) -> Iterator[str]:
    parts = breakdown(results, by, ranked.metric.name, ranked.round)
    yield f"## {heading}\n"
    yield f"{metric_title(ranked.metric)} at round {ranked.round}, with the number of returns.\n"
    rows = [["model", *parts.groups]]
    for row in ranked.rows:
        summaries = [parts.models[row.model].get(group) for group in parts.groups]
        means = [
            f"{number(summary.mean, decimals(ranked.metric))} ({summary.n})" if summary else ABSENT
            for summary in summaries
        ]
        rows.append([row.model, *means])
    yield from _table(rows)


def _missing(absent: Sequence[Gap]) -> Iterator[str]:
    yield "## Missing\n"
    if not absent:
        yield "Nothing is missing.\n"
        return
    yield "Over all rounds; missing.csv has every one of them.\n"
    grouped: dict[tuple[str, str, str, str], list[Gap]] = {}
    for gap in absent:
        grouped.setdefault((gap.model, gap.what, gap.kind, gap.reason), []).append(gap)
    rows = [
        [model, what, str(sum(gap.count for gap in group)), _cases(group), kind, reason]
        for (model, what, kind, reason), group in grouped.items()
    ]
    yield from _table([["model", "what", "count", "cases", "kind", "reason"], *rows])


def _cases(group: Sequence[Gap]) -> str:
    """Up to three names, then how many more."""
    cases = [case for case in dict.fromkeys(gap.case for gap in group) if case]
    more = [f"{len(cases) - 3} more"] if len(cases) > 3 else []
    return ", ".join([*cases[:3], *more])


def _files(files: Sequence[Path]) -> Iterator[str]:
    yield "## Files\n"
    yield from (f"- [{file.name}]({file.name})" for file in files)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    heading, *body = rows
    yield _line(heading)
    yield _line(["---"] * len(heading))
    yield from (_line(row) for row in body)
    yield ""


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(cell) for cell in cells) + " |"


def _escaped(text: str) -> str:
    """On one line, with nothing in it that Markdown would take for markup."""
    plain = " ".join(text.split())
    for sign in "\\`*_<|":
        plain = plain.replace(sign, "\\" + sign)
    return plain
