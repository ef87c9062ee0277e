"""Returns that were measured elsewhere: stored unchanged, including duplicate rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from convergebench.store.workspace import Workspace
from convergebench.types import ImportedReturn, SuiteId

TABLE = "imported_returns"
_VISIBLE = "run NOT IN (SELECT run FROM hidden_runs)"


def record_imported(workspace: Workspace, run: int, suite: SuiteId, rows: Sequence[ImportedReturn]) -> None:
    """Store all rows, or none."""
    sql = f"""
        INSERT INTO {TABLE} (run, suite, model, case_id, picture, pair, category, kind, seed, round, measured)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
    values = [
        (run, suite, row.model, row.case, row.picture, row.pair, row.category, row.kind, row.seed, row.round,
         json.dumps(dict(row.measured)))
        for row in rows
    ]  # fmt: skip
    workspace.write_rows(sql, values).result()


def imported_rows(workspace: Workspace, suite: SuiteId) -> list[ImportedReturn]:
    """The suite's imported rows in order of import; a later one corrects an earlier one."""
    found = workspace.query(f"SELECT * FROM {TABLE} WHERE suite = ? AND {_VISIBLE} ORDER BY id", suite)
    return [_row(row) for row in found]


def imported_suites(workspace: Workspace) -> list[SuiteId]:
    """The suites that have imported rows, the latest first."""
    sql = f"SELECT suite FROM {TABLE} WHERE {_VISIBLE} GROUP BY suite ORDER BY max(id) DESC"
    return [SuiteId(row["suite"]) for row in workspace.query(sql)]


def imported_models(workspace: Workspace) -> list[str]:
    """The models of all imported rows, by the names that their files give them."""
    sql = f"SELECT model FROM {TABLE} WHERE {_VISIBLE} GROUP BY model ORDER BY min(id)"
    return [str(row["model"]) for row in workspace.query(sql)]


def _row(row: Any) -> ImportedReturn:
    return ImportedReturn(
        row["model"], row["case_id"], row["picture"], row["pair"], row["category"], row["kind"],
        row["seed"], row["round"], json.loads(row["measured"]),
    )  # fmt: skip
