"""Refinements: what was said of an edit, what became of it, and the worst first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convergebench.picture import Picture
from report.page.conftest import Visit
from report.page.test_static_site import section
from servers.judge import Answer, Asked, JudgeServer, completion, graded

TRICK = "<img src=x onerror='window.pwned=1'>"
REASONING = f"The house should be mirrored. {TRICK}"
CONTENT = "All of it is there."
SUITE = "reedit-mini"


def answer(number: int, asked: Asked) -> Answer:
    """The reasoner has one picture mirrored and is content with the other; the judge passes what is not
    mirrored."""
    said = " ".join(asked.texts)
    if '"instructions"' in said:
        if "umbrella" in said:
            return completion(json.dumps({"reasoning": CONTENT, "instructions": []}))
        return completion(
            json.dumps({"reasoning": REASONING, "instructions": ["Flip the image horizontally"]})
        )
    source, result = (Picture.from_bytes(one).pixels.astype(int) for one in asked.pictures[:2])
    is_upright = np.abs(result - source).mean() < np.abs(result - source[:, ::-1]).mean()
    return completion(graded(asked, passes="yes" if is_upright else "no"))


@pytest.fixture(scope="module")
def refined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two cases, written by the commands themselves."""
    folder = tmp_path_factory.mktemp("refined")
    workspace, report = str(folder / "results"), folder / "report"
    with JudgeServer(answer) as server:
        words = ["--model", "noise", "--executor", "classical", "--reasoner", server.name]
        run("refine", *words, "--suite", SUITE, "--limit", "2", "--judge", server.name, "--grade", "category",
            "--workspace", workspace)  # fmt: skip
    run("report", "--workspace", workspace, "--output", str(report))
    return report


def run(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "convergebench", *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (0, 3), done.stderr


def test_the_transitions_are_those_of_the_verdicts(refined: Path) -> None:
    data = section(refined, "refine")
    (table,) = data["tables"]
    (whole,) = [row for row in table["rows"] if row["category"] == "OVERALL"]
    counts = {way: whole[way] for way in ("regressed", "unchanged", "improved", "maintained", "missing")}
    assert counts == {"regressed": 1, "unchanged": 0, "improved": 0, "maintained": 1, "missing": 0}
    assert sorted(way for case in data["cases"] for _, way in case["ways"]) == ["maintained", "regressed"]


def test_the_case_that_got_worse_comes_first_and_opens_with_what_was_said(
    visit: Visit, refined: Path
) -> None:
    page: Any = visit.open((refined / "index.html").as_uri(), "#/refine")
    assert page.get_attribute(".sankey", "aria-label") == "1 regressed, 0 unchanged, 0 improved, 1 maintained"
    assert page.locator(".gallery-row .grade").all_inner_texts() == ["regressed", "maintained"]
    page.locator(".gallery-row h2 a").first.click()
    page.wait_for_selector(".panes")
    assert page.locator(".pane").count() == 3
    told = page.inner_text(".panes")
    assert REASONING in told and "Flip the image horizontally" in told
    assert page.locator(".grade").all_inner_texts() == ["yes", "no"]
    assert page.evaluate("window.pwned") is None and page.locator("img[onerror]").count() == 0


def test_where_nothing_was_asked_for_the_picture_is_said_to_be_kept(visit: Visit, refined: Path) -> None:
    page = visit.open((refined / "index.html").as_uri(), "#/refine?way=maintained")
    assert "kept: nothing was asked for" in page.inner_text(".gallery-row")
    page.locator(".gallery-row h2 a").first.click()
    page.wait_for_selector(".look")
    assert CONTENT in page.inner_text(".look")


def test_a_workspace_of_single_edits_alone_opens_with_them(visit: Visit, refined: Path) -> None:
    page = visit.open((refined / "index.html").as_uri())
    assert page.inner_text("h1") == "Single edits"


def test_a_view_of_round_trips_says_where_single_edits_refinements_and_verdicts_are(
    visit: Visit, refined: Path
) -> None:
    page = visit.open((refined / "index.html").as_uri(), "#/overview")
    assert page.inner_text(".notice") == (
        "No round trip was measured here. See Single edits, Refine and Judging."
    )
    page.click(".notice a:has-text('Refine')")
    page.wait_for_selector("h1:has-text('Refine')")
