"""People at a real browser, and a server that is killed under them."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.store import Workspace
from convergebench.votes.vote_store import read_votes

pytest.importorskip("uvicorn", reason="pip install 'convergebench[view]'")

Start = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def start_server(folder: Path, port: int) -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [
            sys.executable,
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
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
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
