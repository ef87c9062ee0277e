from __future__ import annotations

import math
import sqlite3
from pathlib import Path

from convergebench.store import (
    DATABASE,
    Workspace,
    imported_rows,
    imported_suites,
    record_imported,
)
from convergebench.store.schema import APPLICATION_ID, MIGRATIONS, VERSION
from convergebench.types import ImportedReturn

ROW = ImportedReturn(
    "flux", "a/hat", "a", "hat", "accessories", "portrait", 0, 3, {"psnr": math.inf, "ssim": 0.5}
)


def test_rows_come_back_as_given_doubles_and_all(workspace: Workspace) -> None:
    run = workspace.start_run({"imported": "x.csv"}, "test")
    record_imported(workspace, run, "imported", [ROW, ROW])
    assert imported_rows(workspace, "imported") == [ROW, ROW]
    assert imported_rows(workspace, "other") == []
    assert imported_suites(workspace) == ["imported"]


def old_workspace(folder: Path) -> None:
    folder.mkdir()
    with sqlite3.connect(folder / DATABASE) as db:
        db.executescript(MIGRATIONS[0])
        db.execute("INSERT INTO runs (started, settings, package) VALUES ('then', '{}', '0')")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")


def test_a_workspace_of_the_first_version_becomes_a_newer_one_and_keeps_its_rows(tmp_path: Path) -> None:
    old_workspace(tmp_path / "old")
    with Workspace.create(tmp_path / "old") as opened:
        assert opened.query("PRAGMA user_version")[0][0] == VERSION >= 2
        assert [row["package"] for row in opened.query("SELECT package FROM runs")] == ["0"]
        record_imported(opened, 1, "imported", [ROW])
        assert imported_rows(opened, "imported") == [ROW]


def test_a_workspace_of_the_first_version_can_be_looked_at_as_it_is(tmp_path: Path) -> None:
    old_workspace(tmp_path / "old")
    before = (tmp_path / "old" / DATABASE).read_bytes()
    with Workspace.existing(tmp_path / "old") as opened:
        assert (imported_rows(opened, "imported"), imported_suites(opened)) == ([], [])
    assert (tmp_path / "old" / DATABASE).read_bytes() == before
