"""The report as a Markdown page with its files in the same folder, and single tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from convergebench.analysis import (
    MissingValue,
    Ranking,
    Results,
    headline_rankings,
    missing_values,
    ranking_by_round,
)
from convergebench.atomic_files import replacing
from convergebench.report.export.csv_files import both_kinds, export
from convergebench.report.figures.curves import plot_curves
from convergebench.report.figures.picture_grid import GridRow, picture_grid
from convergebench.report.shareable import without_places
from convergebench.report.tables.rounds import rounds_text
from convergebench.report.tables.text_table import TextTable, breakdown_text, ranking_text
from convergebench.shown_text import markdown_text

PAGE = "report.md"
CURVES = "degradation_curves.png"


def report(results: Results, folder: Path, grid: Sequence[GridRow] = (), metric: str | None = None) -> Path:
    """Write report.md with its curves, tables and, if rows are given, the picture grid."""
    (_, ranked), *partial = headline_rankings(results, metric)
    files = export(results, folder)
    plot_curves(results, folder / CURVES)
    comparison = f"model_comparison_round{results.rounds}.png" if any(row.cells for row in grid) else None
    if comparison:
        picture_grid(grid, folder / comparison)
    lines = [
        *_section(ranking_text(ranked), "#"),
        *_by_round(results, ranked),
        *_partial(partial),
        *_pictures(comparison),
        *_section(breakdown_text(results, ranked, "category")),
        *_section(breakdown_text(results, ranked, "kind")),
        *_missing([gap for part in both_kinds(results) for gap in missing_values(part)]),
        *_files(files),
    ]
    with replacing(folder / PAGE) as part:
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / PAGE


def _partial(partial: Sequence[tuple[Results, Ranking]]) -> Iterator[str]:
    """The ranking of partially reversible edits."""
    for part, ranked in partial:
        yield from _section(ranking_text(ranked))
        yield from _by_round(part, ranked)


def _by_round(results: Results, ranked: Ranking) -> Iterator[str]:
    return _section(rounds_text(ranking_by_round(results, ranked), [row.model for row in ranked.rows]))


def write_markdown(tables: Sequence[TextTable], path: Path) -> Path:
    """All tables in one file, each under its title."""
    lines = [line for table in tables for line in _section(table)]
    with replacing(path) as part:
        part.write_text("\n".join(lines), encoding="utf-8")
    return path


def _section(table: TextTable, level: str = "##") -> Iterator[str]:
    yield f"{level} {markdown_text(table.title)}\n"
    yield f"{markdown_text(table.explained)}\n"
    yield from _table([table.headings, *table.rows])
    if table.notes:
        yield from (f"- {markdown_text(without_places(note))}" for note in table.notes)
        yield ""


def _pictures(comparison: str | None) -> Iterator[str]:
    yield f"## Curves\n\n![Each metric over the rounds]({CURVES})\n"
    if comparison:
        yield f"## Pictures\n\n![Sources and last returns of every model]({comparison})\n"


def _missing(absent: Sequence[MissingValue]) -> Iterator[str]:
    yield "## Missing\n"
    if not absent:
        yield "Nothing is missing.\n"
        return
    yield "Over all rounds and all edits; missing.csv has every one of them.\n"
    grouped: dict[tuple[str, str, str, str], list[MissingValue]] = {}
    for gap in absent:
        grouped.setdefault((gap.model, gap.what, gap.kind, gap.reason), []).append(gap)
    rows = [
        [model, what, str(sum(gap.count for gap in group)), _cases(group), kind, without_places(reason)]
        for (model, what, kind, reason), group in grouped.items()
    ]
    yield from _table([["model", "what", "count", "cases", "kind", "reason"], *rows])


def _cases(group: Sequence[MissingValue]) -> str:
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
    return "| " + " | ".join(markdown_text(cell) for cell in cells) + " |"
