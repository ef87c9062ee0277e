"""Text from a workspace is only ever text, in every field and every view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from report.page.conftest import Visit, fill_and_judge, write
from report.page.test_page import VIEWS

TRICKS = (
    "</script><script>window.pwned=1</script>",
    "\"><img src=x onerror='window.pwned=1'>",
    "'-(window.pwned=1)-'\\'; window.pwned=1 //",
    "${window.pwned=1}`\u2028\u2029\u202e\ud83d\ude08".encode("utf-16", "surrogatepass").decode("utf-16"),
    "__proto__",
)


def hostile(text: str) -> str:
    """The same text with everything that could be taken for something else."""
    return f"{text} {' '.join(TRICKS)}"


@pytest.fixture(scope="module")
def hostile_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "results"
    fill_and_judge(folder, hostile)
    return folder


@pytest.fixture(scope="module")
def hostile_report(hostile_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(hostile_workspace, tmp_path_factory.mktemp("hostile-report"))


def check(page: Any) -> None:
    page.wait_for_timeout(150)
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("({}).x === undefined && Object.keys(Object.prototype).length === 0")
    assert page.locator("img[onerror], #content script").count() == 0


def test_hostile_text_is_shown_as_it_is_and_never_wider_than_the_window(
    visit: Visit, hostile_report: Path
) -> None:
    for view in VIEWS:
        page = visit.open((hostile_report / "index.html").as_uri(), f"#/{view}")
        check(page)
        if view != "drift":
            assert "<script>window.pwned=1</script>" in page.inner_text("#content")
        for width in (360, 800):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_timeout(100)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_hostile_text_is_harmless_from_the_server_too(
    visit: Visit, hostile_workspace: Path, serve: Callable[[Path], str]
) -> None:
    """The data are the same text; the views differ in which of it they load."""
    address = serve(hostile_workspace)
    for view in ("overview", "film", "edits", "runs"):
        check(visit.open(address, f"#/{view}"))


def test_hostile_names_survive_in_links(visit: Visit, hostile_report: Path) -> None:
    page = visit.open((hostile_report / "index.html").as_uri(), "#/gallery")
    page.locator(".gallery-row a.shot").first.click()
    page.wait_for_selector(".pane")
    assert page.locator("figcaption").inner_text().startswith("fading </script>")
    check(page)


@pytest.mark.parametrize("place", ["#/judging?part=verdicts", "#/judging?part=who", "#/edits?case={case}"])
def test_a_judges_hostile_reply_is_only_text(visit: Visit, hostile_report: Path, place: str) -> None:
    case = quote(hostile("one0/add"), safe="")
    page = visit.open((hostile_report / "index.html").as_uri(), place.format(case=case))
    for summary in page.locator("summary").all():
        summary.click()
    check(page)
    assert "<script>window.pwned=1</script>" in page.inner_text("#content")
    visit.page.set_viewport_size({"width": 360, "height": 800})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
