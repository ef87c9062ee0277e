"""Results as files for other programs, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from convergebench.analysis import Results, headline_rankings
from convergebench.report.export.csv_files import export, write_rows
from convergebench.report.export.latex import write_latex
from convergebench.report.export.measurements import MEASUREMENTS, measurement_rows, write_csv, write_parquet
from convergebench.report.judged_results import JudgedTable, judged_results
from convergebench.report.markdown import write_markdown
from convergebench.report.session_results import SessionsOfSuite, sessions_alone
from convergebench.report.tables.benchmark import benchmark_cells, benchmark_notes, csv_benchmark
from convergebench.report.tables.text_table import PARTS, TextTable, breakdown_text, ranking_text
from convergebench.report.tables.turns import CSV_COLUMNS, csv_turns, turn_cells
from convergebench.results import Records, load_results, suites_with_returns
from convergebench.store import Workspace
from convergebench.types import SuiteId

TABLES = "tables"
JUDGED, TURNS = "judged", "turns"


def export_as(form: str, workspace: Workspace, folder: Path, suite: SuiteId | None = None) -> list[Path]:
    """Write the files of one of FORMATS into the folder, each whole or not at all.

    The tables cover one suite, by default that of the last run. Measurements and missing values cover all
    suites unless one is named.
    """
    return FORMATS[form](workspace, folder, suite)


def _as_csv(workspace: Workspace, folder: Path, suite: SuiteId | None) -> list[Path]:
    records = Records.of(workspace)
    judged, sessions = _judged_alone(records, suite), sessions_alone(records, suite)
    if judged or sessions:
        written = []
        if judged:
            graded = csv_benchmark([row for table in judged for row in table.rows])
            written.append(write_rows(graded, folder / f"{JUDGED}.csv"))
        if sessions:
            by_turn = [row for one in sessions for row in csv_turns(one.suite, one.curves)]
            written.append(write_rows([CSV_COLUMNS, *by_turn], folder / f"{TURNS}.csv"))
        measured = measurement_rows(workspace, _whole(suite))
        return [*written, write_csv(measured, folder / f"{MEASUREMENTS}.csv")]
    results, name = load_results(workspace, suite), _whole(suite)
    wanted = [name] if name else suites_with_returns(workspace)
    known = {results.suite: results} if name == suite else {}
    files = export(results, folder, [known.get(one) or load_results(workspace, one) for one in wanted])
    rows = measurement_rows(workspace, name)
    return [*files, write_csv(rows, folder / f"{MEASUREMENTS}.csv")]


def _as_parquet(workspace: Workspace, folder: Path, suite: SuiteId | None) -> list[Path]:
    rows = measurement_rows(workspace, _whole(suite))
    return [write_parquet(rows, folder / f"{MEASUREMENTS}.parquet")]


def _as_markdown(workspace: Workspace, folder: Path, suite: SuiteId | None) -> list[Path]:
    return [write_markdown(_text_tables(workspace, suite), folder / f"{TABLES}.md")]


def _as_latex(workspace: Workspace, folder: Path, suite: SuiteId | None) -> list[Path]:
    return [write_latex(_text_tables(workspace, suite), folder / f"{TABLES}.tex")]


def _text_tables(workspace: Workspace, suite: SuiteId | None) -> list[TextTable]:
    """Of the round trips, or of what judges said and of sessions if there are none."""
    records = Records.of(workspace)
    judged, sessions = _judged_alone(records, suite), sessions_alone(records, suite)
    if judged or sessions:
        graded = [_judged_text(number, table) for number, table in enumerate(judged, 1)]
        by_turn = [table for one in sessions for table in _turns_text(one)]
        numbered = [replace(one, name=f"{TURNS}-{number}") for number, one in enumerate(by_turn, 1)]
        return [*graded, *numbered]
    return list(_tables(load_results(workspace, suite)))


def _judged_alone(records: Records, suite: SuiteId | None) -> list[JudgedTable]:
    return [] if suites_with_returns(records) else judged_results(records, suite)


def _judged_text(number: int, table: JudgedTable) -> TextTable:
    headings, cells = benchmark_cells(table.rows)
    return TextTable(
        f"judged-{number}",
        f"{table.suite}, judge {table.judge}",
        f"{table.under}. Means with 95 % intervals, clustered by source picture.",
        headings,
        cells,
        frozenset({0, 1, 2, 3}),
        benchmark_notes(table.rows),
    )


def _turns_text(sessions: SessionsOfSuite) -> Iterator[TextTable]:
    """A table for each figure: models down, some turns across."""
    for figure, group in groupby(sessions.curves, key=lambda curve: curve.figure):
        headings, cells, notes = turn_cells(list(group))
        yield TextTable(
            TURNS,
            f"{sessions.suite}: {figure.title}",
            f"{figure.better.capitalize()} is better. Means with 95 % intervals, by source picture.",
            headings,
            cells,
            frozenset({0}),
            notes,
        )


def _whole(suite: SuiteId | None) -> SuiteId | None:
    """The name without /partial: files with both kinds of edits state the kind in each row."""
    return suite and suite.whole


def _tables(results: Results) -> Iterator[TextTable]:
    """First for the reversible edits, then for the others, if any."""
    for number, (part, ranked) in enumerate(headline_rankings(results)):
        found = [ranking_text(ranked), *(breakdown_text(part, ranked, by) for by in PARTS)]
        yield from (replace(table, name=f"{table.name}-partial") if number else table for table in found)


FORMATS: Mapping[str, Callable[[Workspace, Path, SuiteId | None], list[Path]]] = {
    "csv": _as_csv,
    "parquet": _as_parquet,
    "markdown": _as_markdown,
    "latex": _as_latex,
}
