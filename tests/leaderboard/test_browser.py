"""The site in a real browser: at three sizes and colours, by keyboard, and for a screen reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.conftest import Built
from report.page.conftest import browser  # noqa: F401
from report.page.test_accessible import axe  # noqa: F401

LOOKS = {"desktop": (1280, 900, "light"), "phone": (390, 844, "light"), "dark": (1280, 900, "dark")}


@pytest.fixture(params=LOOKS.values(), ids=LOOKS)
def tab(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:  # noqa: F811
    width, height, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda sent: None if sent.url[:5] in ("file:", "data:") else problems.append(sent.url))
    yield page
    context.close()
    assert problems == []


def test_every_page_is_accessible_and_fits_its_window(tab: Any, built: Built, axe: str) -> None:  # noqa: F811
    """In the dark only colours are others."""
    is_dark = tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    checks = "runOnly: ['color-contrast']" if is_dark else "resultTypes: ['violations']"
    for path in [*sorted(built.site.glob("*.html")), *sorted(built.site.glob("entries/*.html"))]:
        tab.goto(path.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        tab.evaluate(axe + ";0")
        found = tab.evaluate(f"axe.run({{{checks}, preload: false}})")["violations"]
        assert [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found] == [], path


def test_a_table_is_sorted_by_keyboard_and_links_to_the_page_of_an_entry(tab: Any, built: Built) -> None:
    tab.goto((built.site / "index.html").as_uri())
    heading = tab.locator("#table-0 th button", has_text="score")
    scores = "[...document.querySelectorAll('#table-0 tbody tr')].map(r => Number(r.cells[2].dataset.value))"
    heading.press("Enter")
    assert tab.evaluate(scores) == sorted(tab.evaluate(scores), reverse=True)
    heading.press("Enter")
    assert tab.evaluate(scores) == sorted(tab.evaluate(scores))
    assert heading.locator("..").get_attribute("aria-sort") == "ascending"
    tab.locator("#table-0 tbody th", has_text="North").get_by_role("link").click()
    assert "North <i>Lab</i>" in tab.locator("h1").inner_text()
    tab.get_by_role("link", name="Curves, pictures and cases").click()
    tab.wait_for_selector("table", state="attached")  # some are folded
    assert tab.title()
