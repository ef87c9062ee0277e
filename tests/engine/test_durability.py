"""Real processes on a real workspace: killed at random moments, interrupted, and two at a time."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from convergebench.picture import Picture
from forked_python import ForkedPython
from made_pictures import textured

PROGRAM = Path(__file__).with_name("logged_editor.py")
DATABASE = "convergebench.sqlite"


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for n in range(3):
        (folder / f"scene{n}.png").write_bytes(Picture.from_pixels(textured(seed=n)).encoded)
    return folder


def start(workspace: Path, pictures: Path, **settings: object) -> ForkedPython:
    log = workspace.with_suffix(".log")
    arguments = ["run", "-m", "logged", "--suite", f"folder:{pictures}", "--rounds", "3",
                 "--metric", "psnr,ssim", "--workspace", str(workspace), "--json"]  # fmt: skip
    environment = {
        **os.environ,
        **{f"LOGGED_EDIT_{name.upper()}": str(value) for name, value in settings.items()},
    }
    return ForkedPython(
        [PROGRAM, log, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def finished(process: ForkedPython) -> int:
    out, err = process.communicate(timeout=120)
    code = process.wait()
    assert code in (0, 130), err + out
    return code


def count_steps(workspace: Path) -> int:
    try:
        with sqlite3.connect(f"file:{workspace / DATABASE}?mode=ro", uri=True, timeout=30) as db:
            return int(db.execute("SELECT count(*) FROM steps").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not made yet


def content(workspace: Path) -> dict[str, object]:
    """All that must not depend on how often the run was stopped."""
    with sqlite3.connect(workspace / DATABASE) as db:
        steps = db.execute(
            "SELECT c.id, t.seed, position, role, round, s.instruction, s.seed, inputs, s.picture, failure "
            "FROM steps s JOIN trajectories t ON t.id = s.trajectory "
            "JOIN cases c ON c.fingerprint = t.case_fingerprint ORDER BY 1, 2, 3"
        ).fetchall()
        measured = db.execute(
            "SELECT reference, picture, metric, version, value, missing FROM measurements ORDER BY 1, 2, 3"
        ).fetchall()
        health = db.execute("PRAGMA integrity_check").fetchone()[0]
    files = {
        path.relative_to(workspace): path.read_bytes() for path in (workspace / "pictures").rglob("*.png")
    }
    return {"steps": steps, "measured": measured, "files": files, "health": health}


def edited_after_it_was_finished(workspace: Path) -> list[str]:
    with sqlite3.connect(workspace / DATABASE) as db:
        recorded = {str(seed): at for seed, at in db.execute("SELECT seed, at FROM steps")}
    lines = [line.split() for line in workspace.with_suffix(".log").read_text().splitlines()]
    return [seed for at, seed in lines if at[:23] > recorded[seed][:23]]


def test_a_run_killed_at_random_moments_ends_as_one_that_never_was(tmp_path: Path, pictures: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finished(start(whole, pictures))
    moments = random.Random(1)
    for _ in range(8):
        until = count_steps(killed) + moments.randrange(1, 16)
        process = start(killed, pictures, most=24)
        while count_steps(killed) < until:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.03))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert finished(start(killed, pictures)) == 0
    assert content(killed) == content(whole)
    assert content(whole)["health"] == "ok"
    assert edited_after_it_was_finished(killed) == []


def test_ctrl_c_keeps_what_is_in_flight_and_says_130(tmp_path: Path, pictures: Path) -> None:
    workspace = tmp_path / "stopped"
    process = start(workspace, pictures, seconds=0.1)
    while count_steps(workspace) < 10:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert finished(process) == 130
    asked = len(workspace.with_suffix(".log").read_text().splitlines())
    assert count_steps(workspace) == asked < 198
    assert finished(start(workspace, pictures)) == 0
    assert edited_after_it_was_finished(workspace) == []


def test_two_processes_on_one_workspace_share_the_work_and_edit_nothing_twice(
    tmp_path: Path, pictures: Path
) -> None:
    workspace = tmp_path / "shared"
    both = [start(workspace, pictures) for _ in range(2)]
    assert [finished(process) for process in both] == [0, 0]
    asked = [line.split()[1] for line in workspace.with_suffix(".log").read_text().splitlines()]
    assert len(asked) == len(set(asked)) == count_steps(workspace) == 3 * 11 * 3 * 2
