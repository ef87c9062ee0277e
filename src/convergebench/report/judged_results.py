"""What judges said in a workspace, as rows: for workspaces without round trips, in summary and export."""

from __future__ import annotations

from dataclasses import dataclass, replace

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
from convergebench.protocols import BY_TURN
from convergebench.report.page.judged_tables import subset_rows
from convergebench.report.page.step_index import by_picture, index_steps
from convergebench.report.page.verdicts import judgements_of
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.types import SuiteId


@dataclass(frozen=True)
class JudgedTable:
    """The figures of one suite under one judge, in one wording: nothing is averaged over these."""

    suite: SuiteId
    judge: str
    under: str
    """Whose words, which language, by which instruction, of which edits."""
    rows: tuple[BenchmarkRow, ...]


def judged_results(workspace: WorkspaceOrRecords, suite: SuiteId | None = None) -> list[JudgedTable]:
    """The tables of one suite or of all; empty if no judge has graded a picture. Verdicts on sessions are in
    the figures by turn, which count the turns that were not reached."""
    records = Records.of(workspace)
    if not records.judgements:
        return []
    steps = index_steps(records)
    found = subset_rows(judgements_of(records, by_picture(steps)), steps)
    return [
        _table(records.judge_labels[setting.judge], setting.suite, setting.under, rows)
        for setting, rows in found
        if setting.suite.is_named(suite) and setting.suite.part not in BY_TURN
    ]


def _table(judge: str, suite: SuiteId, under: str, rows: list[BenchmarkRow]) -> JudgedTable:
    return JudgedTable(suite, judge, under, tuple(replace(row, judge=judge) for row in rows))
