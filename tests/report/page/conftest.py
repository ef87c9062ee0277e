"""A real browser on a page that was opened from disk, or from the server."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from convergebench.report.page import write_site
from convergebench.report.page.live_data import LiveData
from convergebench.results import load_results
from convergebench.store import Workspace
from report.page.filled import Text, fill, plain
from report.page.judged import add_judging

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """For one file of tests: while Playwright runs, its thread has an event loop and can have no other."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """What the visitors of one file share: a page keeps nothing but what its address says."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "results"
    fill_and_judge(folder)
    return folder


def fill_and_judge(folder: Path, text: Text = plain) -> None:
    fill(folder, text=text)
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({"command": "judge"}, text("0.1.0"))
        add_judging(workspace, run, text)
        workspace.finish_run(run, "finished")


@pytest.fixture(scope="session")
def written(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report's folder."""
    return write(filled, tmp_path_factory.mktemp("written"))


def write(workspace: Path, folder: Path) -> Path:
    with Workspace.existing(workspace) as opened:
        write_site(opened, load_results(opened), folder)
    return folder


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """Serves a workspace, and gives its address."""
    uvicorn = pytest.importorskip("uvicorn", reason="pip install 'convergebench[view]'")
    from convergebench.report.page.server import make_app

    ends: list[Callable[[], None]] = []

    def start(workspace: Path) -> str:
        data = LiveData(workspace)
        server = uvicorn.Server(uvicorn.Config(make_app(data), port=0, log_level="warning"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)

        def end() -> None:
            server.should_exit = True
            thread.join()
            data.close()

        ends.append(end)
        return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"

    yield start
    for end in ends:
        end()


@pytest.fixture(scope="session")
def served(filled: Path, serve: Callable[[Path], str]) -> str:
    return serve(filled)


@pytest.fixture
def address(written: Path) -> str:
    """The page from disk: its scripts are those of the server, and so is what they do."""
    return (written / "index.html").as_uri()


@pytest.fixture(params=["from disk", "from the server"])
def either(request: pytest.FixtureRequest, address: str, served: str) -> str:
    """Both, for whatever depends on where data and pictures come from."""
    return address if request.param == "from disk" else served


@dataclass
class Visit:
    """A page, and all that it said and asked for."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    base: str = ""

    def open(self, address: str, place: str = "") -> Any:
        self.base = address.removesuffix("index.html")
        self.page.goto("about:blank")  # else a change of place alone would leave the last view standing
        self.page.goto(address + place, wait_until="commit")  # what is waited for comes next
        self.page.wait_for_selector("#content h1, #content .notice")
        return self.page

    def until(self, expression: str) -> None:
        """Wait until it is true; Playwright's own way would break the page's policy."""
        for _ in range(600):
            if self.page.evaluate(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true: {expression}")


@pytest.fixture
def visit(window: Any) -> Iterator[Visit]:
    """A new visitor. Whatever is seen, nothing may go wrong and nothing may leave the machine."""
    seen = Visit(window.new_page())
    seen.page.set_viewport_size({"width": 1280, "height": 900})
    seen.page.set_default_timeout(30_000)
    seen.page.on("console", lambda m: seen.errors.append(m.text) if m.type in ("error", "warning") else None)
    seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
    seen.page.on("dialog", lambda dialog: (seen.errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    yield seen
    seen.page.close()
    assert seen.errors == []
    assert [url for url in seen.requests if not url.startswith(seen.base)] == []
