"""The page's section on sessions, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import set_imitations as imitations
from convergebench.cli.main import code_of


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
