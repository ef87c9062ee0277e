"""Builds the site of a leaderboard from a folder of submissions."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.leaderboard.entries import CheckedSubmission, LeftOut, entries_of
from convergebench.leaderboard.opening import open_submission, thumbnails_of
from convergebench.leaderboard.packing import digest_of_file
from convergebench.leaderboard.site_pages import Board, front_page, history_page, submission_page
from convergebench.leaderboard.submitted_rows import BadSubmission
from convergebench.leaderboard.tables import BoardTable, board_tables
from convergebench.leaderboard.verification import verify
from convergebench.leaderboard.withdrawals import withdrawal_reason, withdrawals
from convergebench.metrics import DEFAULT_MEASURED
from convergebench.report import json_ranking
from convergebench.report.page import page_results, write_site
from convergebench.results import Records
from convergebench.store import Workspace
from convergebench.types import Digest, SuiteId

TITLE = "ConvergeBench leaderboard"
DATA = "leaderboard.json"
_MARK = ".convergebench-leaderboard"
ENTRIES, PICTURES, SITE = "entries", "pictures", "site"
_ASSETS = ("board.css", "board.js")
_MOST_STRIPS = 6

Strips: TypeAlias = Mapping[str, tuple[Digest, Digest]]

log = logging.getLogger("convergebench")


@dataclass(frozen=True)
class BuiltLeaderboard:
    page: Path
    board: Board


def build_leaderboard(
    folder: Path,
    site: Path,
    *,
    title: str = TITLE,
    metric_names: Sequence[str] = DEFAULT_MEASURED,
    on_submission: Callable[[str], None] = lambda _: None,
) -> BuiltLeaderboard:
    """Check every submission, and write the site. What is wrong with one of them never stops the build.

    `on_submission` is called with each file's name before it is checked.
    """
    if not folder.is_dir():
        raise WrongUse(f"there is no folder {folder}; name the one that holds the submissions")
    withdrawn = withdrawals(folder)
    _check_place(site)
    with tempfile.TemporaryDirectory(prefix="convergebench-") as name:
        work = Path(name)
        (work / SITE).mkdir()
        checked: list[CheckedSubmission] = []
        left_out: list[LeftOut] = []
        for path in sorted(folder.glob("*.zip")):
            on_submission(path.name)
            found = _check(path, work, withdrawn, checked, metric_names)
            if isinstance(found, LeftOut):
                left_out.append(found)
            else:
                checked.append(found)
        tables = tuple(board_tables(entries_of(checked), work, work / PICTURES))
        board = Board(title, tables, tuple(checked), tuple(left_out))
        _write_site(board, work / SITE)
        _replace(site, work / SITE)
    return BuiltLeaderboard(site / "index.html", board)


def _check_place(site: Path) -> None:
    """Only a folder that a leaderboard was written to is replaced."""
    if site.exists() and (not site.is_dir() or (any(site.iterdir()) and not (site / _MARK).exists())):
        raise WrongUse(f"{site} holds other files; choose an empty folder")


def _replace(site: Path, written: Path) -> None:
    """The old site stays until the new one is complete."""
    (written / _MARK).touch()
    place = site.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as name:
        new, old = Path(name) / "new", Path(name) / "old"
        shutil.move(written, new)  # a copy if it is on another file system, and that can fail
        try:
            if place.exists():
                place.rename(old)
            new.rename(place)
        finally:
            if old.exists() and not place.exists():
                old.rename(place)


def _check(
    path: Path, work: Path, withdrawn: Mapping[Digest, str], others: Sequence[CheckedSubmission],
    metric_names: Sequence[str],
) -> CheckedSubmission | LeftOut:  # fmt: skip
    try:
        if path.is_symlink():
            return LeftOut(path.name, None, "it is not a plain file")
        digest = digest_of_file(path)
    except OSError as error:
        return LeftOut(path.name, None, f"it cannot be read ({error.strerror})")
    reason = withdrawal_reason(digest, withdrawn)
    if reason is not None:
        return LeftOut(path.name, digest, reason, is_withdrawn=True)
    if digest in {one.digest for one in others}:
        return LeftOut(path.name, digest, "it is the same file as another one")
    place = work / f"submission-{digest}"
    try:
        opened = open_submission(path, place, work / PICTURES)
        _check_against_others(opened.rows["case_facts"], opened.manifest.suite, others)
        found = CheckedSubmission(path, digest, opened.manifest, verify(opened, metric_names), place)
        return replace(found, strips=_write_page(found, work / SITE))
    except ConvergeBenchError as error:
        reason = str(error).replace(str(work), "")
    except Exception as error:  # hostile input: whatever it provokes concerns this file only
        log.debug("%s", path, exc_info=True)
        reason = f"it cannot be used ({type(error).__name__})"
    shutil.rmtree(work / SITE / ENTRIES / digest[:12], ignore_errors=True)
    return LeftOut(path.name, digest, reason)


def _check_against_others(
    cases: Sequence[Mapping[str, Any]], suite: SuiteId, others: Sequence[CheckedSubmission]
) -> None:
    """The same id in the same suite must be the same case."""
    known: dict[str, str] = {}
    for one in (one for one in others if one.manifest.suite == suite):
        with Workspace.existing(one.folder) as workspace:
            known |= {row.case.id: row.case.fingerprint for row in Records.of(workspace).trajectories}
    for case in cases:
        if known.get(case["id"], case["fingerprint"]) != case["fingerprint"]:
            raise BadSubmission(
                f"its case {case['id']!r} has another picture or instruction than in an earlier submission"
            )


def _write_page(submission: CheckedSubmission, site: Path) -> Strips:
    """The submission's own page, if it has all pictures; otherwise its thumbnails, and strips of some."""
    if submission.manifest.pictures == "none":
        return {}
    folder = site / ENTRIES / submission.id
    if submission.manifest.pictures == "thumbnails":
        (folder / "thumbnails").mkdir(parents=True)
        for digest, data in thumbnails_of(submission.file).items():
            (folder / "thumbnails" / f"{digest}.jpg").write_bytes(data)
        return _strips(submission)
    with Workspace.existing(submission.folder) as workspace:
        write_site(workspace, page_results(workspace, submission.manifest.suite), folder)
    return {}


def _write_site(board: Board, site: Path) -> None:
    for name in _ASSETS:
        text = (files(__package__) / "assets" / name).read_text(encoding="utf-8")
        (site / name).write_text(text, encoding="utf-8")
    (site / "index.html").write_text(front_page(board), encoding="utf-8")
    (site / "history.html").write_text(history_page(board), encoding="utf-8")
    (site / ENTRIES).mkdir(exist_ok=True)
    for one in board.submissions:
        (site / ENTRIES / f"{one.id}.html").write_text(submission_page(one), encoding="utf-8")
    data = json.dumps(board_data(board), indent=1, ensure_ascii=False, allow_nan=False)
    (site / DATA).write_text(f"{data}\n", encoding="utf-8")


def _strips(submission: CheckedSubmission) -> Strips:
    """The source and the last picture of some cases."""
    found: dict[str, tuple[Digest, Digest]] = {}
    with Workspace.existing(submission.folder) as workspace:
        records = Records.of(workspace)
        cases = {one.id: f"{one.case.id}, {one.model}" for one in records.trajectories}
        for step in records.steps:
            if step.picture is None or step.trajectory not in cases:
                continue
            source, _ = found.get(cases[step.trajectory], (step.inputs[0], ""))
            found[cases[step.trajectory]] = (source, step.picture)
    return dict(list(found.items())[:_MOST_STRIPS])


def board_data(board: Board) -> dict[str, Any]:
    """The site's content for programs."""
    return {
        "title": board.title,
        "tables": [_table_data(table) for table in board.tables],
        "left_out": [
            {"file": one.file, "digest": one.digest, "reason": one.reason, "withdrawn": one.is_withdrawn}
            for one in board.left_out
        ],
    }


def _table_data(table: BoardTable) -> dict[str, Any]:
    return {
        "suite": table.key.suite,
        "protocol": table.key.protocol,
        "rounds": table.key.rounds,
        "other_versions": dict(table.key.other_versions),
        "entries": {
            name: {
                "model": one.model, "by": one.label, "date": one.date, "checked": one.submission.standing,
                "digest": one.submission.digest, "fingerprint": one.fingerprint,
            }
            for name, one in table.entries.items()
        },
        "kept_apart": dict(table.kept_apart),
        "rankings": [
            {"shared_cases": one.cases, "own_cases": dict(one.own_cases), **json_ranking(one.ranking)}
            for one in table.rankings
        ],
    }  # fmt: skip
