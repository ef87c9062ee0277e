"""Finding cases, keeping them, and taking tables and strips along."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from convergebench.report.page import other_results, write_site
from convergebench.report.page.exports import StripExport, exported_strip
from convergebench.results import load_results
from convergebench.store import Enrolment, Workspace
from convergebench.types import SuiteId
from made_pictures import textured
from report.page.conftest import Visit
from report.page.filled import add_film, cases, editor, fill, record, source_of, worn

COPIED = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"


def test_a_table_is_copied_with_the_columns_that_are_shown(visit: Visit, address: str) -> None:
    page = visit.open(address)
    page.evaluate(COPIED)
    page.click("summary:has-text('as a table')")
    table = page.locator(".data-table").first
    table.locator("summary").click()
    table.locator(".chooser label:has-text('missing')").click()
    assert "hide=missing" in page.url
    table.get_by_role("button", name="Copy as CSV").click()
    visit.until("window.copied")
    rows = list(csv.DictReader(io.StringIO(page.evaluate("copied"))))
    assert [row["model"] for row in rows] == ["steady", "refuser", "fading", "identity"]
    assert float(
        next(iter(value for name, value in rows[0].items() if name.endswith("_low")))
    ) == pytest.approx(0.98)
    assert "missing" not in rows[0]
    table.get_by_role("button", name="Copy as Markdown").click()
    visit.until("copied.startsWith('|')")
    assert "| 1 | steady | 0.980 [0.980, 0.980] |" in page.evaluate("copied")


def test_favourites_and_tags_are_in_the_address_and_go_along(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/gallery?search=ball")
    assert page.locator(".gallery-row").count() == 1
    page.locator(".star").click()
    page.wait_for_selector(".star[aria-pressed=true]")
    page.locator(".gallery-row h3 a").click()
    page.wait_for_selector(".marks .star[aria-pressed=true]")
    page.fill(".tag-field", "odd ball")
    page.keyboard.press("Enter")
    page.wait_for_selector(".marks button.tag:has-text('odd ball')")
    page = visit.open(
        address, page.url[page.url.index("#") :].replace("#/film?", "#/gallery?marked=odd+ball&")
    )
    assert page.locator(".gallery-row h3 a").all_inner_texts() == ["Add a ball."]


def test_a_report_of_two_suites_lets_its_reader_choose(visit: Visit, tmp_path: Path) -> None:
    fill(tmp_path / "results")
    with Workspace.create(tmp_path / "results") as workspace:
        run = workspace.start_run({"suite": "other@1"}, "0.1.0")
        case = replace(cases()[0], id="other/hat")
        (trajectory,) = workspace.enrol(
            [Enrolment("round_trip", "other@1", editor("steady"), case, 0, 1)], fresh=False
        )
        source, forward = source_of(case), worn(source_of(case), "steady", 1, forward=True)
        record(workspace, run, trajectory, 1, "forward", source, forward)
        record(workspace, run, trajectory, 1, "backward", forward, worn(source, "steady", 1, forward=False))
        workspace.finish_run(run, "finished")
        results = load_results(workspace, SuiteId("tiny@1"))
        again = workspace.start_run({"suite": "tiny@1"}, "0.1.0")
        add_film(workspace, again, "steady", replace(cases()[0], id="anna/late"))
        with other_results(workspace, results) as others:
            index = write_site(workspace, results, tmp_path / "report", others)
    page = visit.open(index.as_uri())
    assert "tiny@1: 4 cases" in page.inner_text(".overview > .quiet")
    page.select_option("#suites select", label="other@1")
    visit.until("document.querySelector('.overview > .quiet')?.innerText.includes('other@1: 1 case,')")
    page.click("#views a:has-text('Filmstrip')")
    page.wait_for_selector("h1:has-text('other/hat')")
    page.select_option("#suites select", label="tiny@1, run 1 alone")
    visit.until("document.querySelector('.overview > .quiet')?.innerText.includes('tiny@1: 4 cases')")


def test_protocols_with_different_numbers_of_edits_are_offered_by_name(visit: Visit, tmp_path: Path) -> None:
    fill(tmp_path / "results")
    with Workspace.create(tmp_path / "results") as workspace:
        run = workspace.start_run({"suite": "tiny@1"}, "0.1.0")
        for protocol, part in (("sequence", "sequence-2"), ("sequence", "sequence-3"), ("stay", "stay")):
            case = replace(cases()[0], id=f"{part}/hat")
            enrolment = Enrolment(protocol, f"tiny@1/{part}", editor("steady"), case, 0, 1)
            (trajectory,) = workspace.enrol([enrolment], fresh=False)
            source, forward = source_of(case), worn(source_of(case), "steady", 1, forward=True)
            record(workspace, run, trajectory, 1, "forward", source, forward)
            record(
                workspace, run, trajectory, 1, "backward", forward, worn(source, "steady", 1, forward=False)
            )
        results = load_results(workspace, SuiteId("tiny@1"))
        with other_results(workspace, results) as others:
            index = write_site(workspace, results, tmp_path / "report", others)
    offered = visit.open(index.as_uri()).locator("#suites option").all_inner_texts()
    assert [one for one in offered if "run" not in one] == [
        "tiny@1, round trip", "tiny@1, sequence-2", "tiny@1, sequence-3", "tiny@1, stay",
    ]  # fmt: skip


def test_a_finding_of_the_audit_counts_once(visit: Visit, address: str) -> None:
    page = visit.open(address, "#/runs")
    found = page.locator("section[aria-label='What an audit finds'] li").all_inner_texts()
    assert "1 chain of" in " ".join(found)
    assert all(one.endswith(".") for one in found)


def test_a_strip_is_saved_as_one_picture_and_as_an_animation() -> None:
    pictures = {str(seed): textured(96, 64, seed=seed) for seed in range(3)}
    one = StripExport((("source", "0"), ("round 1", "1"), ("round 2", "2")))
    with Image.open(io.BytesIO(exported_strip(one, "png", pictures.__getitem__))) as png:
        assert png.width == 3 * 96 + 2 * 8
        assert np.array_equal(np.asarray(png)[-64:, :96], pictures["0"])
    with Image.open(io.BytesIO(exported_strip(one, "webp", pictures.__getitem__))) as webp:
        assert (webp.format, getattr(webp, "n_frames", 1)) == ("WEBP", 3)


def test_the_overview_offers_the_strip_of_each_model(visit: Visit, either: str) -> None:
    page = visit.open(either)
    (first, *_) = page.locator(".standing").first.locator("a[download]").all()
    got = visit.page.request.get(first.evaluate("link => link.href")) if either.startswith("http") else None
    assert got is None or (got.status == 200 and got.body()[:4] == b"\x89PNG")
