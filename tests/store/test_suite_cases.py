from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from convergebench.store import DATABASE, Enrolment, Workspace, schema
from convergebench.types import Case, EditorFacts

EDITOR = EditorFacts("jpeg", "1", {"quality": 75})
SUITES = "SELECT suite FROM cases WHERE id = ? ORDER BY suite"


def enrolled(workspace: Workspace, suite: str, case: Case) -> int:
    (identity,) = workspace.enrol([Enrolment("round_trip", suite, EDITOR, case, 0, 2)], fresh=False)
    return identity


def test_a_case_of_two_suites_is_one_trajectory_and_belongs_to_both(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case()
    assert enrolled(workspace, "whole@1", case) == enrolled(workspace, "part@1", case)
    assert [row["suite"] for row in workspace.query(SUITES, case.id)] == ["part@1", "whole@1"]


def test_what_is_said_of_a_case_is_what_was_said_last(
    workspace: Workspace, make_case: Callable[..., Case]
) -> None:
    case = make_case()
    enrolled(workspace, "tiny@0", case)
    enrolled(workspace, "tiny@0", replace(case, hints={"reversibility": "ambiguous"}))
    (row,) = workspace.query("SELECT hints ->> 'reversibility' AS said FROM cases")
    assert row["said"] == "ambiguous"


def test_the_cases_of_an_older_workspace_keep_their_suite_and_trajectories(tmp_path: Path) -> None:
    older = next(number for number, script in enumerate(schema.MIGRATIONS) if "suite_cases" in script)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        for script in schema.MIGRATIONS[:older]:
            db.executescript(script)
        db.execute(f"PRAGMA user_version = {older}")
        db.execute("INSERT INTO editors VALUES ('e', 'jpeg', '1', '{}', 'model')")
        db.execute(
            "INSERT INTO cases VALUES ('f', 'tiny@0', 'one/hat', 'one', 'hat', '', '', 'en', 'A', 'B', '{}')"
        )
        db.execute("INSERT INTO trajectories VALUES (7, 'round_trip', 'e', 'f', 0, 0, 10)")
        db.commit()
    with Workspace.create(tmp_path) as workspace:
        (row,) = workspace.query(
            "SELECT t.id, c.suite, c.id AS case_id "
            "FROM trajectories t JOIN cases c ON c.fingerprint = t.case_fingerprint"
        )
        assert tuple(row) == (7, "tiny@0", "one/hat")
