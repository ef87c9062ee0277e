"""The page's section on sessions, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import set_imitations as imitations
from convergebench.cli.main import code_of
from report.page.conftest import Visit


@pytest.fixture(scope="module")
def page_of_sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models by two protocols; no round trip."""
    folder = tmp_path_factory.mktemp("sessions")
    suite = f"edival?data={imitations.write_edival(folder / 'data')}"
    run = ["run", "-m", "noise,jpeg", "--suite", suite, "--metric", "psnr,regions", "-w", str(folder / "w")]
    for protocol in ("session", "singlepass"):
        assert code_of([*run, "--protocol", protocol, "--json"]) == 0
    assert code_of(["report", "-w", str(folder / "w"), "-o", str(folder / "page")]) == 0
    return folder / "page"


def test_sessions_are_curves_over_turns_of_every_model_and_protocol(
    page_of_sessions: Path, browser: Any
) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{(page_of_sessions / 'index.html').as_uri()}#sessions")
    page.wait_for_selector("section .chart path.curve", timeout=60_000)
    shown = page.inner_text("main")
    page.close()
    assert not errors
    assert "kept of the rest" in shown and "noise, session" in shown and "noise, singlepass" in shown
    assert "at turn 3" in shown


def test_a_page_without_round_trips_opens_on_what_it_has_and_its_empty_views_point_there(
    visit: Visit, page_of_sessions: Path
) -> None:
    address = (page_of_sessions / "index.html").as_uri()
    page = visit.open(address)
    assert page.inner_text("h1") == "Sessions" and page.title() == "Sessions · ConvergeBench"
    assert page.inner_text("#views a[aria-current=page]") == "Sessions"
    for view in ("overview", "film", "gallery", "drift", "compare"):
        page = visit.open(address, f"#/{view}")
        assert page.inner_text(".notice") == "No round trip was measured here. See Sessions."
    page.click(".notice a")
    page.wait_for_selector("h1:has-text('Sessions')")
