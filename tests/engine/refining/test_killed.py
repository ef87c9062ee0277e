"""A refinement as a real process, killed in each of its stages: what was answered is not asked for again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from convergebench.picture import Picture
from forked_python import ForkedPython
from made_pictures import textured
from servers.judge import Answer, Asked, JudgeServer, completion, graded

PROGRAM = Path(__file__).parents[1] / "logged_editor.py"
CASES = 9
SLOW_SECONDS = 0.02
EDIT_SECONDS = 0.04
EDITS, LOOKS, QUESTIONS = 2 * CASES, CASES, 2 * 3 * CASES


def is_look(asked: Asked) -> bool:
    return any('"instructions"' in text for text in asked.texts)


def script(number: int, asked: Asked) -> Answer:
    look = json.dumps({"reasoning": "seen", "instructions": ["Lower it"]})
    return replace(completion(look if is_look(asked) else graded(asked)), after_seconds=SLOW_SECONDS)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(script) as running:
        yield running


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for n in range(3):
        (folder / f"scene{n}.png").write_bytes(Picture.from_pixels(textured(seed=n)).encoded)
    return folder


class Run:
    """One workspace, its database, and the log of its editor."""

    def __init__(self, workspace: Path, pictures: Path, server: JudgeServer) -> None:
        self.workspace, self.server = workspace, server
        self.log = workspace.with_suffix(".log")
        self._words = [
            PROGRAM, self.log, "refine", "-m", "logged",
            "--suite", f"folder:{pictures}", "--limit", str(CASES), "--concurrency", "2",
            "--reasoner", server.name, "--judge", server.name, "--workspace", str(workspace), "--json",
        ]  # fmt: skip

    def start(self) -> ForkedPython:
        environment = {**os.environ, "LOGGED_EDIT_SECONDS": str(EDIT_SECONDS)}
        return ForkedPython(self._words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)

    def finish(self) -> None:
        out, err = self.start().communicate(timeout=180)
        assert json.loads(out)["exit_code"] == 0, err

    def kill_after(self, more: int, count: Callable[[], int]) -> None:
        """Kill it when there are so many more of what is counted; nothing is answered from then on."""
        until = count() + more
        self.server.script = lambda number, asked: replace(
            script(number, asked), when=lambda: count() < until
        )
        process = self.start()
        deadline = time.monotonic() + 180
        while count() < until:
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.server.script = script

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(f"file:{self.workspace / 'convergebench.sqlite'}?mode=ro", uri=True) as db:
            return db.execute(sql).fetchall()

    @property
    def finished(self) -> set[str]:
        """Seeds of the steps, and keys of the judgements, that are done."""
        steps = self.rows("SELECT seed FROM steps WHERE picture IS NOT NULL")
        judgements = self.rows("SELECT key FROM judgements WHERE outcome = 'ok'")
        return {str(name) for (name,) in (*steps, *judgements)}

    @property
    def edited(self) -> list[str]:
        return [line.split()[1] for line in self.log.read_text().splitlines()] if self.log.exists() else []

    @property
    def attempted(self) -> list[str]:
        return [str(key) for (key,) in self.rows("SELECT judgement FROM judge_attempts ORDER BY id")]

    @property
    def content(self) -> list[tuple[object, ...]]:
        """All that must not depend on how often it was stopped."""
        return [
            *self.rows("SELECT t.protocol, c.id, position, role, round, s.instruction, s.seed, inputs, "
                       "s.picture, failure FROM steps s JOIN trajectories t ON t.id = s.trajectory "
                       "JOIN cases c ON c.fingerprint = t.case_fingerprint ORDER BY 1, 2, 3"),
            *self.rows("SELECT key, outcome, value, reason FROM judgements ORDER BY 1"),
            *self.rows("SELECT round, judgement FROM looks ORDER BY 2"),
        ]  # fmt: skip


def test_killed_in_each_stage_it_ends_as_one_that_never_was_and_asks_nothing_twice(
    tmp_path: Path, pictures: Path, server: JudgeServer
) -> None:
    killed = Run(tmp_path / "killed", pictures, server)

    def questions() -> int:
        return sum(not is_look(asked) for asked in server.asked)

    stages: dict[str, tuple[int, Callable[[], int]]] = {
        "first edits": (2, lambda: len(killed.edited)),
        "judging beside editing": (4, questions),
        "looks": (3, lambda: sum(map(is_look, server.asked))),
        "further edits": (2, lambda: len(killed.rows("SELECT 1 FROM steps WHERE role = 'refined'"))),
        "judging": (10, questions),
    }
    for stage, (more, count) in stages.items():
        before = killed.finished if killed.log.exists() else set()
        edits, attempts = len(killed.edited), len(killed.attempted) if before else 0
        killed.kill_after(more, count)
        assert before.isdisjoint(killed.edited[edits:])
        assert before.isdisjoint(killed.attempted[attempts:])
        if stage == "judging beside editing":
            assert len(killed.edited) < EDITS, "others were to be edited yet"
    before, edits, attempts = killed.finished, len(killed.edited), len(killed.attempted)
    killed.finish()
    assert before.isdisjoint(killed.edited[edits:])
    assert before.isdisjoint(killed.attempted[attempts:])
    assert len(before) < EDITS + LOOKS + QUESTIONS == len(killed.finished)
    in_flight = len(stages) * 8  # what a killed process had asked and not yet got
    assert len(server.asked) <= len(killed.attempted) + in_flight

    whole = Run(tmp_path / "whole", pictures, server)
    whole.finish()
    assert killed.content == whole.content
