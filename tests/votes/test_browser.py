"""People at a real browser, and a server that is killed under them."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convergebench.analysis.votes.staircase import next_round
from convergebench.store import Workspace
from convergebench.votes.vote_store import read_votes
from forked_python import ForkedPython
from forked_python import run as run_python

pytest.importorskip("uvicorn", reason="pip install 'convergebench[view]'")

Start = Callable[[], ForkedPython]


@pytest.fixture
def port() -> int:
    """A free one, below those that Linux gives to whoever asks for any."""
    while True:
        number = random.randrange(20_000, 32_000)
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", number))
            return number


@pytest.fixture
def start_server(folder: Path, port: int) -> Iterator[Start]:
    running: list[ForkedPython] = []

    def start() -> ForkedPython:
        command = [
            "-m",
            "convergebench",
            "vote",
            "-w",
            str(folder),
            "--port",
            str(port),
            "--votes",
            "12",
        ]
        server = ForkedPython(command, stdout=subprocess.PIPE)
        running.append(server)
        assert server.stdout is not None
        while "Open http" not in server.stdout.readline():
            assert server.poll() is None
        return server

    yield start
    for server in running:
        server.kill()
        server.wait()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


def enter(page: Any, address: str, rater: str) -> None:
    page.goto(address)
    page.fill("input[type=text]", rater)
    page.click("text=Start")


def ready(page: Any, done: int) -> None:
    page.wait_for_selector(f".ballot[data-done='{done}'][data-ready]")


def stored(folder: Path) -> list[str]:
    with Workspace.existing(folder) as workspace:
        return [vote.answer for vote in read_votes(workspace)]


def test_keys_buttons_and_undo_make_votes(start_server: Start, port: int, page: Any, folder: Path) -> None:
    start_server()
    enter(page, f"http://127.0.0.1:{port}/", "ada")
    for done, key in enumerate("1s2"):
        ready(page, done)
        page.keyboard.press(key)
    ready(page, 3)
    page.keyboard.press("u")
    ready(page, 2)
    assert len(stored(folder)) == 2
    page.click(".answers .answer >> nth=1")
    ready(page, 3)
    assert stored(folder)[1] == "skip" and stored(folder)[2] in ("second", "no")


def test_every_picture_says_which_it_is(page: Any, tmp_path: Path, folder: Path) -> None:
    program = ["-m", "convergebench", "vote", "-w", str(folder), "--ask", "return"]
    run_python([*program, "--export", str(tmp_path / "study")], check=True)
    enter(page, (tmp_path / "study" / "index.html").as_uri(), "ada")
    ready(page, 0)
    said = page.locator(".choice img:visible").evaluate_all("images => images.map(one => one.alt)")
    assert {"The source", "Picture A", "Picture B"} <= set(said)
    page.keyboard.press("m")
    labels = page.locator(".stage-label:not(:empty)").all_inner_texts()
    assert labels == ["Source", "A", "Source", "B"]


def test_a_killed_server_loses_no_vote(start_server: Start, port: int, page: Any, folder: Path) -> None:
    server = start_server()
    enter(page, f"http://127.0.0.1:{port}/", "ada")
    for done in range(4):
        ready(page, done)
        page.keyboard.press("1")
    ready(page, 4)
    server.send_signal(signal.SIGKILL)
    server.wait()
    assert len(stored(folder)) == 4
    page.keyboard.press("2")  # given while nobody listens
    page.wait_for_selector(".waiting:has-text('sent again')")
    start_server()
    ready(page, 5)
    assert len(stored(folder)) == 5 and stored(folder)[4] in ("second", "no")


def test_an_offline_folder_collects_votes_and_gives_them_as_a_file(
    folder: Path, page: Any, tmp_path: Path
) -> None:
    program = ["-m", "convergebench", "vote", "-w", str(folder)]
    run_python([*program, "--export", str(tmp_path / "study"), "--votes", "22"], check=True)
    address = (tmp_path / "study" / "index.html").as_uri()
    enter(page, address, "bob")
    for done in range(20):
        ready(page, done)
        page.keyboard.press("1" if done % 3 else "2")
    ready(page, 20)
    page.keyboard.press("u")
    ready(page, 19)
    enter(page, address, "bob")  # closed and opened again
    ready(page, 19)
    for done in range(19, 22):
        ready(page, done)
        page.keyboard.press("2")
    page.wait_for_selector(".ended[data-done='22']")
    with page.expect_download() as saved:
        page.click("text=Save votes")
    saved.value.save_as(tmp_path / saved.value.suggested_filename)
    done = run_python([*program, "--import", str(tmp_path / "votes-bob.jsonl")], check=True)
    assert "22 new votes" in done.stdout
    with Workspace.existing(folder) as workspace:
        votes = read_votes(workspace)
    assert len(votes) == 22 and {vote.rater for vote in votes} == {"bob"}
    assert sum(vote.is_catch_trial for vote in votes) == 1
    pairs = [frozenset(vote.compared) for vote in votes if vote.kind == "return" and not vote.is_catch_trial]
    assert 1 <= len(pairs) - len(set(pairs)) <= 2  # repeats


def test_the_staircase_of_the_page_is_that_of_the_analysis(page: Any, tmp_path: Path, folder: Path) -> None:
    program = ["-m", "convergebench", "vote", "-w", str(folder), "--export"]
    run_python([*program, str(tmp_path / "study")], check=True)
    page.goto((tmp_path / "study" / "index.html").as_uri())
    random = np.random.default_rng(0)
    for _ in range(60):
        rounds, answers = int(random.integers(1, 21)), list[tuple[int, bool]]()
        while (at := next_round(answers, rounds)) is not None:
            said = page.evaluate(
                "([answers, rounds]) => convergebench.staircase.nextRound(answers, rounds)", [answers, rounds]
            )
            assert said == at
            answers.append((at, bool(random.random() < 0.5)))
