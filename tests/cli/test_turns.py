"""Sessions on the command line: run, killed, resumed, judged by a judge on loopback, and shown by turn."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from convergebench.cli.main import code_of
from convergebench.report.page.judged_tables import summaries
from convergebench.report.page.step_index import by_picture, index_steps
from convergebench.report.page.verdicts import judgements_of
from convergebench.store import Workspace
from forked_python import ForkedPython
from report.paper.conftest import text_of
from servers.judge import Answer, Asked, JudgeServer, completion, failure, graded
from set_imitations import (
    append_edival,
    edival_row,
    put,
    write_edival,
    write_imgedit_multiturn,
    write_mse_bench,
)

COSTS_A_DOLLAR = "&max_tokens=100&usd_per_million_in=0&usd_per_million_out=10000"
"""A reply of the loopback judge."""


def run_in(
    workspace: Path, suite: str, *more: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, Any]]:
    code = code_of(["run", "-m", "jpeg", "--suite", suite, "--metric", "psnr,regions", "-w", str(workspace),
                    "--json", *more])  # fmt: skip
    return code, json.loads(capsys.readouterr().out)


def steps(workspace: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(workspace / "convergebench.sqlite") as db:
        return db.execute(
            "SELECT c.id, s.round, s.role, s.instruction, s.seed, s.picture FROM steps s "
            "JOIN trajectories t ON t.id = s.trajectory "
            "JOIN case_facts c ON c.fingerprint = t.case_fingerprint ORDER BY 1, 2"
        ).fetchall()


def count_steps(workspace: Path) -> int:
    try:
        with sqlite3.connect(f"file:{workspace}/convergebench.sqlite?mode=ro", uri=True, timeout=30) as db:
            return int(db.execute("SELECT count(*) FROM steps").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_a_session_killed_on_the_way_ends_as_one_that_never_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = f"edival?data={write_edival(tmp_path / 'edival')}"
    run_in(tmp_path / "whole", suite, capsys=capsys)
    killed = tmp_path / "killed"
    command = ["-m", "convergebench", "run", "-m", "jpeg", "--suite", suite, "--metric",
               "psnr,regions", "-w", str(killed), "--concurrency", "1"]  # fmt: skip
    process = ForkedPython(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 90
    while count_steps(killed) < 4 and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.002)
    process.kill()
    process.wait()
    before = count_steps(killed)
    assert before >= 4
    code, done = run_in(killed, suite, capsys=capsys)
    assert (code, done["run"]["edits"] + done["run"]["replayed"]) == (0, 15)
    assert done["run"]["replayed"] >= before
    assert steps(killed) == steps(tmp_path / "whole")


def test_turns_shows_what_each_turn_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_edival(tmp_path / "edival")
    append_edival(folder, edival_row(9, ["subject_add"], ["Add a hat"]))
    run_in(tmp_path, f"edival?data={folder}", capsys=capsys)
    assert code_of(["turns", "-w", str(tmp_path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 of the set's entries cannot be used and are missing at every turn: there is no" in shown
    assert "/session" in shown and "kept of the rest (higher is better)" in shown and "turn 3" in shown
    monkeypatch.setenv("COLUMNS", "40")
    assert code_of(["turns", "-w", str(tmp_path)]) == 0
    narrow = capsys.readouterr().out
    assert "Too narrow for: intervals" in narrow and max(map(len, narrow.splitlines())) <= 40
    assert narrow.count(" model ") == narrow.count(" jpeg ") == 3
    assert code_of(["turns", "-w", str(tmp_path), "--csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("suite,model,protocol,figure,turn,mean")
    kept = [line.split(",") for line in lines if ",kept," in line]
    assert [(line[8], line[9]) for line in kept] == [("5", "1")] * 3, "n and missing"
    monkeypatch.delenv("COLUMNS")
    assert code_of(["summary", "-w", str(tmp_path)]) == 0
    summary = " ".join(capsys.readouterr().out.split())
    assert "5 sessions, 15 turns with a picture, by jpeg" in summary and "kept of the rest" in summary
    assert "convergebench turns --suite edival@" in summary
    assert code_of(["summary", "-w", str(tmp_path), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["sessions"]
    assert (found["sessions"], found["turns"], len(found["curves"])) == (5, 15, 1)
    assert code_of(["worst", "-w", str(tmp_path)]) == 1
    assert "convergebench turns shows sessions" in capsys.readouterr().err


def test_where_sessions_differ_in_length_each_turn_has_its_n(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_in(tmp_path, f"imgedit-multiturn?data={write_imgedit_multiturn(tmp_path / 'set')}", capsys=capsys)
    assert code_of(["turns", "-w", str(tmp_path)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(" jpeg"))
    assert "6, 6, 3" in row


def test_measuring_sessions_again_counts_their_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_in(tmp_path, f"edival?data={write_edival(tmp_path / 'edival')}", capsys=capsys)
    results = len({picture for *_, picture in steps(tmp_path)})
    again = ["measure", "-w", str(tmp_path), "--metric", "psnr,regions,ssim"]
    assert code_of(again) == 0
    assert f"{results} of {results} results measured" in capsys.readouterr().out
    assert code_of([*again, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"returns": results, "measured": 0}


def grades(number: int, asked: Asked) -> Answer:
    """The cup that is removed fails; the pictures tell nothing, so the words decide."""
    words = " ".join(asked.texts)
    last = words.rpartition("3. ")[2] if "3. " in words else ""
    return completion(graded(asked, prompt_following=4 if "Remove" in last else 9, consistency=8))


def test_sessions_are_judged_with_their_history_and_stop_at_the_first_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    run_in(tmp_path, f"mse-bench?data={write_mse_bench(tmp_path / 'mse')}", capsys=capsys)
    with JudgeServer(grades) as server:
        assert code_of(["turns", "-w", str(tmp_path), "--judge", server.name, "--json"]) == 0
        (suite,) = json.loads(capsys.readouterr().out)
        curves = {one["figure"]: one["turns"] for one in suite["curves"]}
        assert [point["mean"] for point in curves["passed"]] == [100, 100, 0, 0, 0]
        assert [point["mean"] for point in curves["prompt_following"]] == [9, 9, 4, 0, 0]
        assert [point["n"] for point in curves["passed"]] == [5] * 5
        assert len(server.asked) == 15
        assert max(len(asked.pictures) for asked in server.asked) == 4
        assert code_of(["turns", "-w", str(tmp_path), "--judge", server.name]) == 0
        assert len(server.asked) == 15, "verdicts are in the workspace"
    capsys.readouterr()
    with JudgeServer(grades) as other:
        assert code_of(["turns", "-w", str(tmp_path), "--judge", other.name, "--json"]) == 0
    out = capsys.readouterr().out
    titles = {one["title"] for one in json.loads(out)[0]["curves"] if one["figure"] == "passed"}
    assert len(titles) == 2 and "127.0.0.1" not in out, "two servers are told apart, without their addresses"
    assert (
        code_of(["export", "-w", str(tmp_path), "-o", str(tmp_path / "ex"), "--format", "csv,markdown"]) == 0
    )
    with (tmp_path / "ex" / "turns.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["figure"], row["turn"]) == ("passed", "5")]
    assert [float(row["mean"]) for row in rows] == [0, 0]
    assert len({row["judge"] for row in rows}) == 2, "rows of two judges are told apart"
    assert {row["wording"] for row in rows} == {"ConvergeBench's own wording"}
    assert "| jpeg | 100.0 " in (tmp_path / "ex" / "tables.md").read_text()
    for words in (["summary"], ["summary", "--csv"], ["turns", "--csv"]):
        assert code_of([*words, "-w", str(tmp_path)]) == 0
        assert "127.0.0.1" not in capsys.readouterr().out, words
    with Workspace.existing(tmp_path) as workspace:
        judgements = judgements_of(workspace, by_picture(index_steps(workspace)))
        assert judgements and not summaries(judgements), "a mean of the turns before a failure is too high"


def run_two_suites(workspace: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same two sessions of three turns by two protocols: 12 questions if every turn passes."""
    suite = f"edival?data={write_edival(data, sessions=2)}"
    for protocol in ("session", "singlepass"):
        assert run_in(workspace, suite, "--protocol", protocol, capsys=capsys)[0] == 0


def passed(number: int, asked: Asked) -> Answer:
    return completion(graded(asked, prompt_following=9, consistency=9))


def test_a_limit_on_cost_holds_for_all_suites_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_two_suites(tmp_path, tmp_path / "edival", capsys)
    with JudgeServer(passed) as server:
        judge = f"{server.name}{COSTS_A_DOLLAR}"
        words = ["turns", "-w", str(tmp_path), "--suite", "edival", "--judge", judge, "--json"]
        assert code_of([*words, "--max-cost", "8"]) == 3
        said = capsys.readouterr().err
        assert len(server.asked) == 8, "6 of the first suite, 2 of the second"
        assert "8 new judgements with 8 calls, 0 reused," in said and "$8.000" in said
        assert "the next judge call may exceed --max-cost; raise it to continue" in said
        assert code_of([*words, "--max-cost", "3"]) == 3
        said = capsys.readouterr().err
        assert len(server.asked) == 11
        assert "3 new judgements with 3 calls, 8 reused," in said


def test_a_comparison_judges_what_it_compares_and_nothing_if_a_name_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_two_suites(tmp_path, tmp_path / "edival", capsys)
    words = ["turns", "-w", str(tmp_path), "--json"]
    with JudgeServer(passed) as server:
        judging = ["--judge", server.name]
        assert code_of([*words, "jpeg/session", *judging]) == 2
        assert code_of([*words, "jpeg/session", "jpeg/independent", *judging]) == 2
        assert server.asked == []
        capsys.readouterr()
        assert code_of([*words, "jpeg/session", "jpeg/singlepass", *judging]) == 0
        assert len(server.asked) == 12
    assert any("passed" in one["figure"] for one in json.loads(capsys.readouterr().out))


def test_without_a_suite_all_protocols_of_the_last_import_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, gallery = f"edival?data={write_edival(tmp_path / 'edival', sessions=2)}", tmp_path / "gallery"
    for name in ("multipass", "singlepass"):
        put(gallery / name / "0_input_raw_turn_1.png", 3)
    w = ["-w", str(tmp_path / "w")]
    assert code_of(["import", str(gallery), "--layout", "edival", "--suite", suite, "-m", "a", *w]) == 0
    with JudgeServer(passed) as server:
        assert code_of(["turns", *w, "--suite", "edival", "--judge", server.name]) == 0
    capsys.readouterr()
    assert code_of(["turns", *w, "--json"]) == 0
    shown = [one["suite"].partition("/")[2] for one in json.loads(capsys.readouterr().out)]
    assert shown == ["session", "singlepass"]


def test_a_paper_says_who_judged_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = f"edival?data={write_edival(tmp_path / 'edival', sessions=2)}"
    run_in(tmp_path, suite, capsys=capsys)
    for judged, said in (
        (False, "No judge has graded edits"),
        (True, "was judged by server:loopback-vl-1 (ConvergeBench's own wording)"),
    ):
        if judged:
            with JudgeServer(passed) as server:
                assert code_of(["turns", "-w", str(tmp_path), "--judge", server.name]) == 0
        assert code_of(["paper", "-w", str(tmp_path), "-o", str(tmp_path / "paper")]) == 0
        text = text_of(tmp_path / "paper" / "paper.pdf")
        assert said in text and ("No judge has" in text) != judged


def test_a_judge_that_cannot_continue_is_not_asked_about_other_suites(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_two_suites(tmp_path, tmp_path / "edival", capsys)
    with JudgeServer(lambda number, asked: failure(401, "no such key")) as server:
        words = ["--judge", server.name, "--concurrency", "1", "--json"]
        assert code_of(["turns", "-w", str(tmp_path), "--suite", "edival", *words]) == 1
        assert len(server.asked) == 1
    said = capsys.readouterr().err
    assert "cannot continue: " in said
    assert re.search(r"not judged yet: edival@\w+/singlepass\.", said)
